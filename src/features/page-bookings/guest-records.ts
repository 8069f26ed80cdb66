import type { ReadGuestRecords } from "../../app/feature-hooks.ts";
import { createPageBookingStore } from "./store.ts";

/** Returns that a guest has a link to a visit; its token is stored nowhere. */
const readLink: ReadGuestRecords = (rt, visitId) => {
  const row = rt.openStore(createPageBookingStore).findByVisit(visitId);
  return row === undefined
    ? {}
    : { pageLinks: [{ language: row.language, isUnconfirmed: row.unconfirmed }] };
};

export const guestRecords: readonly ReadGuestRecords[] = [readLink];
