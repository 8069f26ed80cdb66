import { AppError } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import { audit } from "./audit.ts";
import { markErasedLog } from "./guests/erased-bytes.ts";
import type { Runtime } from "./runtime.ts";
import type { BusinessRow, BusinessContents } from "../store/businesses.ts";

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

/**
 * Partners get no event, because their endpoints are deleted too. A dry run only counts: deleting a
 * million rows and rolling back would block other writers.
 */
export function deleteBusiness(rt: Runtime, { id, slug }: BusinessRow): BusinessContents {
  return rt.tx(() => {
    const contents = rt.store.businesses.countContents(id);
    if (rt.isDryRun()) return contents;
    rt.store.businesses.delete(id);
    markErasedLog(rt);
    audit(rt, {
      action: "business.deleted",
      subject: { id, name: slug },
      businessId: id,
      details: contents,
    });
    return contents;
  });
}
