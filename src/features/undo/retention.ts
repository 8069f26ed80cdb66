import type { ExpiringRows } from "../../app/operations/retention.ts";
import { createCatalogChangeStore } from "./store.ts";

/** Changes of catalogs are kept for the same days as the events. */
const pruneChanges: ExpiringRows = (rt, after, limit, keptSince) =>
  rt.openStore(createCatalogChangeStore).prune(after, limit, keptSince);

export const retention = [pruneChanges];
