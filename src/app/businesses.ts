import { AppError } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import type { Runtime } from "./runtime.ts";
import { FEATURES } from "../features/index.ts";
import type { BusinessRow } from "../store/businesses.ts";

export function getBusiness(rt: Runtime, slug: string): BusinessRow {
  const business = rt.store.businesses.findBySlug(slug);
  if (business) return business;
  const slugs = rt.store.businesses.listSlugs();
  throw new AppError(
    "business_not_found",
    `There is no business '${slug}'.${didYouMean(slug, slugs)}`,
    {
      fix:
        slugs.length > 0
          ? "deskbell businesses list"
          : (findSampleCommand() ?? "deskbell catalog apply FILE"),
    },
  );
}

/** Returns the command that loads sample data, if a feature has one. */
export const findSampleCommand = (): string | undefined =>
  FEATURES.find(({ sampleCommand }) => sampleCommand !== undefined)?.sampleCommand;

/** A key or an endpoint, which belongs to a business or to a partner with several businesses. */
type Owned = { businessId: string | null; partnerId: string | null };

/** Returns the slug of the business of a key or endpoint; null if it belongs to a partner. */
export const businessOf = (rt: Runtime, { businessId }: Owned): string | null =>
  businessId === null ? null : slugOf(rt, businessId);

/** Returns a text to follow `of` in a sentence: a business's slug, or `the partner 'NAME'`. */
export const describeOwner = (rt: Runtime, owned: Owned): string =>
  businessOf(rt, owned) ??
  `the partner '${rt.store.partnerAccess.findName(owned.partnerId ?? "")}'`;

/** Returns the slug of a business, or its ID if it was deleted. */
export const slugOf = (rt: Runtime, id: string): string =>
  rt.store.businesses.findById(id)?.slug ?? id;
