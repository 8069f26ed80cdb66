import type { ExpiringRows } from "../../app/operations/retention.ts";
import { createCatalogChangeStore } from "./store.ts";

/** Deletes old catalog changes, which are kept as long as events. */
const pruneChanges: ExpiringRows = (rt, after, limit, { keptSince }) =>
  rt.openStore(createCatalogChangeStore).prune(after, limit, keptSince);

export const retention = [pruneChanges];
