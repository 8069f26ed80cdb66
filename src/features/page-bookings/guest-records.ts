import type { ReadGuestRecords } from "../../app/feature-hooks.ts";
import { createPageBookingStore } from "./store.ts";

/**
 * Returns what is stored with the guest's links to a visit. The tokens of the links are not stored
 * in readable form.
 */
const readLink: ReadGuestRecords = (rt, visitId) => {
  const row = rt.openStore(createPageBookingStore).findByVisit(visitId);
  if (row === undefined) return {};
  const { language, unconfirmed: isUnconfirmed, hasMailbox: isConfirmedByMailbox } = row;
  return { pageLinks: [{ language, isUnconfirmed, isConfirmedByMailbox }] };
};

export const guestRecords: readonly ReadGuestRecords[] = [readLink];
