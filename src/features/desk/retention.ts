import type { ExpiringRows } from "../../app/operations/retention.ts";
import { ACTION_MS } from "./rules.ts";
import { createDeskStore } from "./store.ts";

/** Deletes outcomes of actions after a day, and links and devices that have ended. */
const pruneDesks: ExpiringRows = (rt) => {
  const now = rt.now();
  rt.openStore(createDeskStore).prune(now, now - ACTION_MS);
  return undefined;
};

export const retention = [pruneDesks];
