import type { ExpiringRows } from "../../app/operations/retention.ts";
import { createTicketCodeStore } from "./store.ts";

/** Deletes the kept admission codes for events that have ended. */
const pruneCodes: ExpiringRows = (rt, _after, _limit, { now }) => {
  rt.openStore(createTicketCodeStore).deleteEnded(now);
  // The statement deletes all old rows at once, so there is no next batch.
  return undefined;
};

export const retention = [pruneCodes];
