import type { ExpiringRows } from "../../app/operations/retention.ts";
import { madeUntilIfEnded, LINK_MS } from "./rules.ts";
import { eraseVisits } from "../../app/guests/erase-visits.ts";
import { markErasedLog } from "../../app/guests/erased-bytes.ts";
import { createPageBookingStore } from "./store.ts";

/**
 * Deletes the links of guests whose visits are long over, and the data of guests who have not
 * confirmed a hold.
 */
const pruneLinks: ExpiringRows = (rt) => {
  const store = rt.openStore(createPageBookingStore);
  store.deleteEndedBefore(rt.now() - LINK_MS);
  const ended = store.listEndedHolds(madeUntilIfEnded(rt.now()));
  if (ended.length > 0) {
    eraseVisits(rt, ended);
    markErasedLog(rt);
  }
  return undefined;
};

export const retention = [pruneLinks];
