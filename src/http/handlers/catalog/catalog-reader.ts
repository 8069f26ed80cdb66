import { loadCatalog } from "../../../app/catalog/publish.ts";
import type { StoredCatalog } from "../../../domain/public/public-context.ts";
import {
  nextTransition,
  type PublicCatalog,
  toPublicCatalog,
} from "../../../domain/public/public-catalog.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { getBusiness } from "../../pipeline/business-response.ts";

/** A business with all that the public may see of it at a moment. */
type Source = {
  business: BusinessRow;
  stored: StoredCatalog;
  shown: PublicCatalog;
  moment: number;
};

export type ReadCatalog = (businessId: string, momentIn: (timezone: string) => number) => Source;

/** Reads a business's public catalog as of a moment; the last one is kept, because pages and lists are asked in a row. */
export function createCatalogReader(rt: Runtime): ReadCatalog {
  let last: { source: Source; until: number } | undefined;
  const fits = (business: BusinessRow, moment: number): boolean =>
    last !== undefined &&
    last.source.business.id === business.id &&
    last.source.business.revision === business.revision &&
    last.source.moment <= moment &&
    moment < last.until;
  return (businessId, momentIn) => {
    const current = getBusiness(rt, { businessId });
    const moment = momentIn(current.doc.timezone);
    if (last && fits(current, moment)) return { ...last.source, moment };
    const { business, stored } = readWhole(rt, current);
    const source = { business, stored, shown: toPublicCatalog(stored, moment), moment };
    last = { source, until: nextTransition(stored, moment) ?? Infinity };
    return source;
  };
}

/** Several statements, between which somebody may commit: read again until nobody has. */
function readWhole(rt: Runtime, known: BusinessRow): Pick<Source, "business" | "stored"> {
  for (let business = known; ;) {
    const stored = loadCatalog(rt, business);
    const after = getBusiness(rt, { businessId: business.id });
    if (after.revision === business.revision) return { business, stored };
    business = after;
  }
}
