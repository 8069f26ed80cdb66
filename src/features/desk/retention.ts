import type { ExpiringRows } from "../../app/operations/retention.ts";
import { ACTION_MS } from "./rules.ts";
import { createAlertLinkStore, createDeskStore } from "./store.ts";

/** Deletes outcomes of actions after a day, and links and devices that have ended. */
const pruneDesks: ExpiringRows = (rt) => {
  const now = rt.now();
  rt.openStore(createDeskStore).prune(now, now - ACTION_MS);
  rt.openStore(createAlertLinkStore).prune(now);
  // No row is left for another call.
  return undefined;
};

export const retention = [pruneDesks];
