import type { ExpiringRows } from "../../app/operations/retention.ts";
import { COUNTED_MS } from "./rules.ts";
import { createReportStore } from "./store.ts";

/**
 * Deletes the counts that limits no longer need. Mails are not deleted here, but with the guest
 * data of their visit.
 */
const pruneCounts: ExpiringRows = (rt, _after, _limit, { now }) => {
  rt.openStore(createReportStore).deleteCountsUntil(now - COUNTED_MS);
  // The statement deletes all old rows at once, so there is no next batch.
  return undefined;
};

export const retention = [pruneCounts];
