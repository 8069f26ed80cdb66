import type { ExpiringRows } from "../../app/operations/retention.ts";
import { COUNTED_MS } from "./rules.ts";
import { createReportStore } from "./store.ts";

/** Deletes what limits count after a day. Mails end with the data of their guest. */
const pruneCounts: ExpiringRows = (rt) => {
  rt.openStore(createReportStore).deleteCountsUntil(rt.now() - COUNTED_MS);
  return undefined;
};

export const retention = [pruneCounts];
