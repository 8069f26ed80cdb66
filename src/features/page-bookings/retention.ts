import type { ExpiringRows } from "../../app/operations/retention.ts";
import { LINK_MS } from "./rules.ts";
import { createPageBookingStore } from "./store.ts";

/** Deletes the links of guests whose visits are long over. */
const pruneLinks: ExpiringRows = (rt) => {
  rt.openStore(createPageBookingStore).deleteEndedBefore(rt.now() - LINK_MS);
  return undefined;
};

export const retention = [pruneLinks];
