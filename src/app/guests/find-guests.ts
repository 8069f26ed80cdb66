import type { Customer } from "../../domain/bookings/customer.ts";
import { findCustomer, tryOpenCustomer } from "../bookings/guests.ts";
import type { Runtime } from "../runtime.ts";

/** A guest matches if one of the given values is equal. */
export type GuestQuery = {
  email?: string | undefined;
  phone?: string | undefined;
  customerRef?: string | undefined;
};

/** `undecryptable`: guests that were not searched, because no master key decrypts them. */
export type FoundGuests = {
  guests: { visitId: string; customer: Customer | null }[];
  undecryptable: number;
};

/** Decrypts every guest of the business: an index of addresses would itself be guest data. */
export function findGuests(rt: Runtime, businessId: string, query: GuestQuery): FoundGuests {
  const found = new Map<string, Customer | null>();
  let undecryptable = 0;
  for (const row of rt.store.guests.iterate(businessId)) {
    const customer = tryOpenCustomer(rt, row);
    if (customer === undefined) undecryptable += 1;
    else if (matches(customer, query)) found.set(row.visitId, customer);
  }
  const { customerRef } = query;
  const referenced =
    customerRef === undefined ? [] : rt.store.guests.listByReference(businessId, customerRef);
  for (const visitId of referenced)
    if (!found.has(visitId)) found.set(visitId, findCustomer(rt, visitId));
  const guests = [...found].map(([visitId, customer]) => ({ visitId, customer }));
  return { guests, undecryptable };
}

function matches(customer: Customer, { email, phone }: GuestQuery): boolean {
  const isEmail = email !== undefined && normalizeEmail(customer.email) === normalizeEmail(email);
  return isEmail || (phone !== undefined && digitsOf(customer.phone) === digitsOf(phone));
}

const normalizeEmail = (email: string | null): string | undefined => email?.trim().toLowerCase();
const digitsOf = (phone: string | null): string | undefined => phone?.replaceAll(/\D/g, "");
