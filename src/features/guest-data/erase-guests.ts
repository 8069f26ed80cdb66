import { audit } from "../../app/audit.ts";
import { eraseForGood } from "../../app/guests/erase-visits.ts";
import type { Remains } from "../../app/guests/erased-bytes.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { findGuests, type FoundGuests, type GuestQuery, type VisitQuery } from "./find-guests.ts";

/**
 * Deletes the stored data of a guest: guest data and customer references, also in events.
 * @returns `undecryptable`: the number of other visits whose guest data no master key decrypts.
 *   `remains`: where the erased bytes are left for now
 */
export function eraseGuests(
  rt: Runtime,
  business: BusinessRow,
  query: GuestQuery | VisitQuery,
): { guests: FoundGuests; undecryptable: number; remains: Remains } {
  // Guests are decrypted before the transaction, because decrypting many would block other writers
  // for seconds.
  const found = findGuests(rt, business.id, query);
  const visitIds = found.guests.map(({ visitId }) => visitId);
  const undecryptable = found.undecryptable.filter((id) => !visitIds.includes(id)).length;
  const remains = eraseForGood(rt, visitIds, () =>
    audit(rt, {
      action: "guests.erased",
      subject: { id: business.id, name: business.slug },
      businessId: business.id,
      details: { visits: visitIds.length, visitIds },
    }),
  );
  return { guests: found.guests, undecryptable, remains };
}
