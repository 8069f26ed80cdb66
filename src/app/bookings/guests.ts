import type { Customer } from "../../domain/bookings/customer.ts";
import { assertMasterKey } from "../master-key.ts";
import type { Runtime } from "../runtime.ts";

// Guest data are encrypted with the master key and kept apart from visits and orders, so that no
// event, log or list can contain them by accident.

const rowIdOf = (visitId: string): string => `guest ${visitId}`;

/**
 * Call it in the transaction that writes the visit. null deletes what is stored.
 * @throws AppError signing_unavailable
 */
export function saveCustomer(
  rt: Runtime,
  businessId: string,
  visitId: string,
  customer: Customer | null,
): void {
  if (customer === null) return rt.store.guests.delete(visitId);
  assertMasterKey(rt, rt.store.endpointSecrets.iterate());
  const sealed = rt.secrets.seal(JSON.stringify(customer), rowIdOf(visitId));
  rt.store.guests.replace({ visitId, businessId, sealed });
}

/**
 * @throws AppError signing_unavailable
 * @public
 */
export function findCustomer(rt: Runtime, visitId: string): Customer | null {
  const row = rt.store.guests.findByVisit(visitId);
  return row === undefined
    ? null
    : (JSON.parse(rt.secrets.open(row.sealed, rowIdOf(visitId))) as Customer);
}
