import type { ExpiringRows } from "../../app/operations/retention.ts";
import { addDays, localDateOf } from "../../domain/local-time.ts";
import { ACTION_MS } from "./rules.ts";
import { createAlertLinkStore, createClosingStore, createDeskStore } from "./store.ts";

/**
 * The number of days for which a closing is kept. Nobody can take it back later than in the night
 * after its date, and dates differ by up to a day between time zones.
 */
const CLOSING_DAYS = 3;

/**
 * Deletes outcomes of actions after a day, old closings, and links and devices that have ended.
 */
const pruneDesks: ExpiringRows = (rt, _after, _limit, { now }) => {
  rt.openStore(createDeskStore).prune(now, now - ACTION_MS);
  rt.openStore(createAlertLinkStore).prune(now);
  rt.openStore(createClosingStore).prune(addDays(localDateOf(now, "UTC"), -CLOSING_DAYS));
  // The value undefined tells the caller that no expired row is left for another call.
  return undefined;
};

export const retention = [pruneDesks];
