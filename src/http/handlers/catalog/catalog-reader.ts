import { loadCatalog } from "../../../app/catalog/load-catalog.ts";
import type { Runtime } from "../../../app/runtime.ts";
import {
  nextTransition,
  type PublicCatalog,
  toPublicCatalog,
} from "../../../domain/public/public-catalog.ts";
import type { StoredCatalog } from "../../../domain/public/public-context.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { getBusiness } from "../../pipeline/business-response.ts";

/** A business with its stored catalog, and the public catalog as of `asOf` (epoch milliseconds). */
type CatalogSnapshot = {
  business: BusinessRow;
  stored: StoredCatalog;
  publicCatalog: PublicCatalog;
  asOf: number;
};

type ReadCatalog = (businessId: string, asOf: (timezone: string) => number) => CatalogSnapshot;

/**
 * Reads a business's public catalog as of an instant. Keeps the last snapshot, because clients often
 * request several lists and pages of one business in a row.
 */
export function createCatalogReader(rt: Runtime): ReadCatalog {
  let last: { snapshot: CatalogSnapshot; validUntil: number } | undefined;
  return (businessId, asOfIn) => {
    const current = getBusiness(rt, { businessId });
    const asOf = asOfIn(current.doc.timezone);
    if (
      last?.snapshot.business.id === current.id &&
      last.snapshot.business.revision === current.revision &&
      last.snapshot.asOf <= asOf &&
      asOf < last.validUntil
    )
      return { ...last.snapshot, asOf };
    const { business, stored } = readConsistently(rt, current);
    const snapshot = { business, stored, publicCatalog: toPublicCatalog(stored, asOf), asOf };
    last = { snapshot, validUntil: nextTransition(stored, asOf) ?? Infinity };
    return snapshot;
  };
}

/** Loading takes several statements: repeats it if another connection has committed in between. */
function readConsistently(
  rt: Runtime,
  current: BusinessRow,
): Pick<CatalogSnapshot, "business" | "stored"> {
  for (let business = current; ;) {
    const stored = loadCatalog(rt, business);
    const after = getBusiness(rt, { businessId: business.id });
    if (after.revision === business.revision) return { business, stored };
    business = after;
  }
}
