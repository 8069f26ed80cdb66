import type { Customer } from "../../domain/bookings/customer.ts";
import { tryDecryptCustomer } from "../../app/bookings/guests.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import { createGuestSearchStore } from "./store.ts";

/** What to search for: a guest matches if one of these values is equal. */
export type GuestQuery = {
  email?: string | undefined;
  phone?: string | undefined;
  customerRef?: string | undefined;
};

/** The ID of a visit, order or hold whose guest data are meant, whatever is stored of the guest. */
export type VisitQuery = { visitId: string };

/** `customer` is null if no master key decrypts the guest data, or none are stored. */
export type FoundGuests = { visitId: string; customer: Customer | null }[];

/**
 * Finds the guest data of one visit, or of all visits of a guest. A search for a guest decrypts
 * every guest of the business: an index of addresses would itself be guest data.
 * @returns `undecryptable`: the visits whose guest data no master key decrypts. Such a visit is
 * found only by its customer reference. If it is found, `guests` contains it without data.
 * @throws AppError usage for a phone number without digits, which would match every stored phone
 * number without digits
 */
export function findGuests(
  rt: Runtime,
  businessId: string,
  query: GuestQuery | VisitQuery,
): { guests: FoundGuests; undecryptable: string[] } {
  if ("visitId" in query) return findGuestOfVisit(rt, query);
  if (query.phone !== undefined && digitsOf(query.phone) === "")
    throw new AppError("usage", `Invalid phone number ${quote(query.phone)}: it has no digits.`, {
      fix: "write the digits of the number, or name the guest by --email, --customer-ref or --visit",
    });
  const found = new Map<string, Customer | null>();
  const undecryptable: string[] = [];
  const search = rt.openStore(createGuestSearchStore);
  for (const row of search.iterate(businessId)) {
    const customer = tryDecryptCustomer(rt, row);
    if (customer === undefined) undecryptable.push(row.visitId);
    else if (matches(customer, query)) found.set(row.visitId, customer);
  }
  const { customerRef } = query;
  const referenced =
    customerRef === undefined ? [] : search.listByReference(businessId, customerRef);
  for (const visitId of referenced) {
    if (found.has(visitId)) continue;
    const row = rt.store.guests.findByVisit(visitId);
    found.set(visitId, (row && tryDecryptCustomer(rt, row)) ?? null);
  }
  const guests = [...found].map(([visitId, customer]) => ({ visitId, customer }));
  return { guests, undecryptable };
}

function findGuestOfVisit(rt: Runtime, { visitId }: VisitQuery): ReturnType<typeof findGuests> {
  const row = rt.store.guests.findByVisit(visitId);
  const customer = row && tryDecryptCustomer(rt, row);
  const isUndecryptable = row !== undefined && customer === undefined;
  return {
    guests: [{ visitId, customer: customer ?? null }],
    undecryptable: isUndecryptable ? [visitId] : [],
  };
}

function matches(customer: Customer, { email, phone }: GuestQuery): boolean {
  const hasEmail = email !== undefined && normalizeEmail(customer.email) === normalizeEmail(email);
  return hasEmail || (phone !== undefined && digitsOf(customer.phone) === digitsOf(phone));
}

const normalizeEmail = (email: string | null): string | undefined => email?.trim().toLowerCase();
const digitsOf = (phone: string | null): string | undefined => phone?.replaceAll(/\D/g, "");
