import type { ExpiringRows } from "../../app/operations/retention.ts";
import { CONFIRM_MS, LINK_MS } from "./rules.ts";
import { eraseVisits } from "../../app/guests/erase-visits.ts";
import { markErasedLog } from "../../app/guests/erased-bytes.ts";
import { createPageBookingStore } from "./store.ts";

/**
 * Deletes the links of guests whose visits are long over, and the data of guests with holds that
 * were used or can no longer be confirmed.
 */
const pruneLinks: ExpiringRows = (rt, _after, _limit, { now }) => {
  const store = rt.openStore(createPageBookingStore);
  store.deleteEndedBefore(now - LINK_MS);
  const ended = store.listEndedHolds(now - CONFIRM_MS);
  if (ended.length > 0) {
    eraseVisits(rt, ended);
    markErasedLog(rt);
  }
  // All rows were handled, so there is no position from which a next call would continue.
  return undefined;
};

export const retention = [pruneLinks];
