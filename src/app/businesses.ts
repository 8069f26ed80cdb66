import { AppError } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import type { Runtime } from "./runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";

export function getBusiness(rt: Runtime, slug: string): BusinessRow {
  const business = rt.store.businesses.findBySlug(slug);
  if (business) return business;
  const slugs = rt.store.businesses.list().map((row) => row.slug);
  throw new AppError(
    "business_not_found",
    `There is no business '${slug}'.${didYouMean(slug, slugs)}`,
    { fix: slugs.length > 0 ? "deskbell businesses list" : "deskbell seed salon" },
  );
}

/** Returns the slug of a business, or its ID if it was deleted. */
export const slugOf = (rt: Runtime, id: string): string =>
  rt.store.businesses.findById(id)?.slug ?? id;
