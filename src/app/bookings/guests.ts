import type { Customer } from "../../domain/bookings/customer.ts";
import type { GuestRow } from "../../store/sealed.ts";
import { AppError } from "../../domain/errors.ts";
import { assertMasterKey, guestRowId } from "../master-key.ts";
import type { Runtime } from "../runtime.ts";

// Guest data are encrypted with the master key and kept apart from visits and orders, so that no
// event, log or list can contain them by accident.

/**
 * Stores the data of a visit's guest; null deletes them. Call it in the transaction that writes the
 * visit.
 * @throws AppError signing_unavailable
 */
export function saveCustomer(
  rt: Runtime,
  businessId: string,
  visitId: string,
  customer: Customer | null,
): void {
  if (customer === null) return rt.store.guests.delete(visitId);
  assertMasterKey(rt);
  rt.store.guests.replace({ visitId, businessId, sealed: encryptCustomer(rt, visitId, customer) });
}

const encryptCustomer = (rt: Runtime, visitId: string, customer: Customer): Buffer =>
  rt.secrets.encrypt(JSON.stringify(customer), guestRowId(visitId));

/** @throws AppError signing_unavailable */
export function findCustomer(rt: Runtime, visitId: string): Customer | null {
  const row = rt.store.guests.findByVisit(visitId);
  return row === undefined ? null : decryptCustomer(rt, row);
}

/** @throws AppError signing_unavailable */
const decryptCustomer = (rt: Runtime, { visitId, sealed }: GuestRow): Customer =>
  JSON.parse(rt.secrets.decrypt(sealed, guestRowId(visitId))) as Customer;

/**
 * Number of rows that one transaction encrypts again. It is small, so that other writers are not
 * blocked for long.
 */
const ROTATION_ROWS = 500;

/**
 * Encrypts the guest data with the newest master key, in short transactions. Rows that no key
 * decrypts stay as they are.
 * @returns the number of rows that were encrypted
 */
export function reencryptGuests(rt: Runtime): number {
  let count = 0;
  let after = "";
  const reencryptNext = (): boolean => {
    const rows = rt.store.guests.listAfter(after, ROTATION_ROWS);
    count += rows.filter((row) => reencrypt(rt, row)).length;
    after = rows.at(-1)?.visitId ?? after;
    return rows.length === ROTATION_ROWS;
  };
  while (rt.tx(reencryptNext));
  return count;
}

/** @returns false if no key decrypts the row */
function reencrypt(rt: Runtime, row: GuestRow): boolean {
  const customer = tryDecryptCustomer(rt, row);
  if (customer === undefined) return false;
  rt.store.guests.replace({ ...row, sealed: encryptCustomer(rt, row.visitId, customer) });
  return true;
}

/** Returns the data of a guest; undefined if no key decrypts them. */
export function tryDecryptCustomer(rt: Runtime, row: GuestRow): Customer | undefined {
  try {
    return decryptCustomer(rt, row);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/**
 * Returns the result of `tryDecryptCustomer` for each row. It takes less CPU time than single calls
 * if the newest key decrypts all rows.
 */
export function tryDecryptCustomers(
  rt: Runtime,
  rows: readonly GuestRow[],
): (Customer | undefined)[] {
  const texts = rt.secrets.decryptTogether(rows.map(toSealed));
  if (texts === undefined) return rows.map((row) => tryDecryptCustomer(rt, row));
  return texts.map((text) => JSON.parse(text) as Customer);
}

/** The number of rows that are decrypted at a time, which limits the memory used. */
const COUNTED_ROWS = 10_000;

/** Returns how many guests have stored data, and for how many of them no key decrypts the data. */
export function countGuests(rt: Runtime): { total: number; lost: number } {
  const count = { total: 0, lost: 0 };
  for (let after = ""; ;) {
    const rows = rt.store.guests.listAfter(after, COUNTED_ROWS).map(toSealed);
    const last = rows.at(-1);
    if (last === undefined) return count;
    after = last.visitId;
    count.total += rows.length;
    count.lost += rt.secrets.listUndecryptable(rows).length;
  }
}

/** Returns a row of guest data in the form that `SecretBox` decrypts. */
export const toSealed = ({ visitId, sealed }: GuestRow) => ({
  visitId,
  id: guestRowId(visitId),
  sealed,
});

/** Returns the encrypted guest data, without the rows that no master key decrypts. */
export const listSealedGuests = (rt: Runtime): { id: string; sealed: Buffer }[] => {
  const rows = [...rt.store.guests.iterateAll()].map(toSealed);
  const lost = new Set(rt.secrets.listUndecryptable(rows));
  return rows.filter((row) => !lost.has(row));
};

/** Returns the name of a guest, else the customer reference; null if neither is known. */
export function guestNameOf(
  rt: Runtime,
  visit: { id: string; customerRef: string | null },
): string | null {
  const row = rt.store.guests.findByVisit(visit.id);
  const customer = row && tryDecryptCustomer(rt, row);
  return customer?.name ?? visit.customerRef;
}
