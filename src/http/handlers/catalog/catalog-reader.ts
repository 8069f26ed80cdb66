import { loadCatalog } from "../../../app/catalog/load-catalog.ts";
import type { Runtime } from "../../../app/runtime.ts";
import {
  kindsAffecting,
  type ListName,
  nextTransition,
  type PublicCatalog,
  toPublicCatalog,
} from "../../../domain/public/public-catalog.ts";
import type { StoredCatalog } from "../../../domain/public/public-context.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { getBusinessOfKey } from "../../pipeline/business-response.ts";

/**
 * Returns the first locale that the business has: the requested one, its language without the
 * region, or the business's default.
 */
export function chooseLocale(
  requested: string | undefined,
  business: { locale: string; locales: string[] },
): string {
  if (requested === undefined) return business.locale;
  const supported = [business.locale, ...business.locales];
  const find = (wanted: string) =>
    supported.find((locale) => locale.toLowerCase() === wanted.toLowerCase());
  const [language = requested] = requested.split("-");
  return find(requested) ?? find(language) ?? business.locale;
}

type CatalogSnapshot = {
  business: BusinessRow;
  stored: StoredCatalog;
  /** The public catalog, with the requested lists only. */
  publicCatalog: PublicCatalog;
  asOf: number;
};

export type ReadCatalog = (
  businessId: string,
  lists: readonly ListName[],
  asOf: (business: BusinessRow) => number,
) => CatalogSnapshot;

/**
 * Returns a reader that keeps the last snapshot, because clients often request several pages of a
 * list in a row.
 */
export function createCatalogReader(rt: Runtime): ReadCatalog {
  let last:
    | { lists: readonly ListName[]; snapshot: CatalogSnapshot; validUntil: number }
    | undefined;
  return (businessId, lists, getAsOf) => {
    const current = getBusinessOfKey(rt, { businessId });
    const wanted = getAsOf(current);
    if (
      last?.lists === lists &&
      last.snapshot.business.id === current.id &&
      last.snapshot.business.revision === current.revision &&
      last.snapshot.asOf <= wanted &&
      wanted < last.validUntil
    )
      return { ...last.snapshot, business: current, asOf: wanted };
    const { business, stored } = readConsistently(rt, current, lists);
    const asOf = getAsOf(business);
    const publicCatalog = toPublicCatalog(stored, asOf, lists);
    const snapshot = { business, stored, publicCatalog, asOf };
    last = { lists, snapshot, validUntil: nextTransition(stored, asOf) ?? Infinity };
    return snapshot;
  };
}

/**
 * Returns a catalog and its business in one state. Loading takes several statements, so it is
 * repeated if another connection has committed in between.
 */
function readConsistently(
  rt: Runtime,
  current: BusinessRow,
  lists: readonly ListName[],
): Pick<CatalogSnapshot, "business" | "stored"> {
  for (let business = current; ;) {
    const stored = loadCatalog(rt, business, kindsAffecting(lists));
    const after = getBusinessOfKey(rt, { businessId: business.id });
    if (after.revision === business.revision) return { business, stored };
    business = after;
  }
}
