import type { VisitAccess } from "../../app/bookings/access.ts";
import { hashVisitor } from "../../app/bookings/booking-limits.ts";
import type { Held } from "../../app/bookings/hold-share.ts";
import { createKey } from "../../app/keys.ts";
import type { Runtime } from "../../app/runtime.ts";
import { hasEnded } from "../../domain/api-key.ts";
import type { VisitStatus } from "../../domain/bookings/visit.ts";
import { AppError } from "../../domain/errors.ts";
import { addressGroup } from "../../http/auth/client-address.ts";
import { clientAddressOf, type PageRequest } from "../../http/pages/page-request.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { createPageBookingStore } from "./store.ts";

// The page books with an API key of its own, as a partner's website would: the key has limits,
// visits and holds, and can be listed and revoked. Nobody knows its secret.

/** The name of the page's key, and of the actor in the audit log. */
const KEY_NAME = "booking page";

export const takesBookings = ({ doc: { publicPage } }: BusinessRow): boolean =>
  publicPage.enabled && publicPage.booking !== "OFF";

/**
 * Returns the ID of the page's key. The first booking creates the key. Call this function in a
 * transaction.
 * @throws AppError too_many_bookings if the operator has revoked the key
 */
export function getPageKey(rt: Runtime, business: BusinessRow): string {
  const store = rt.openStore(createPageBookingStore);
  const id = store.findKeyId(business.id);
  const key = id === undefined ? undefined : rt.store.keys.findById(id);
  if (key !== undefined && hasEnded(key, rt.now()))
    throw new AppError("too_many_bookings", "Online booking is closed.");
  if (key !== undefined) return key.id;
  const created = createKey(rt, {
    businessId: business.id,
    name: KEY_NAME,
    kind: "RESTRICTED",
    scopes: ["bookings.write", "tickets.write"],
  });
  store.insertKey(business.id, created.key.id);
  return created.key.id;
}

/** Returns the ID of the page's key if the key exists. */
export const findPageKey = (rt: Runtime, { id }: BusinessRow): string | undefined =>
  rt.openStore(createPageBookingStore).findKeyId(id);

/**
 * Returns what the page may see and change.
 * @param visitor hash that identifies the visitor, if a new visit or order must count towards the
 * visitor's limits; otherwise null
 */
export const accessOfPage = (
  { doc }: BusinessRow,
  keyId: string,
  visitor: Buffer | null,
): VisitAccess => ({
  keyId,
  readsAll: false,
  managesAll: false,
  readsGuests: false,
  visitor,
  needsApproval: doc.publicPage.booking === "REQUEST",
  madeWhere: "on the booking page",
});

/**
 * Returns whether the business must approve a visit of the page. Approval is needed if the page
 * takes nothing but booking requests, or if the terms of the visit require it.
 */
export const needsApproval = (
  { doc }: BusinessRow,
  { requiresApproval }: { requiresApproval: boolean },
): boolean => doc.publicPage.booking === "REQUEST" || requiresApproval;

/** Returns a hash of the network address from which a visitor sent a request. */
export const visitorOf = (request: PageRequest, keyId: string): Buffer =>
  hashVisitor(request.rt, keyId, `address ${addressGroup(clientAddressOf(request))}`);

/** Runs an action of a guest with the page as its actor. The audit log gets no address. */
export const runAsPage = <T>(rt: Runtime, keyId: string, work: () => T): T =>
  rt.runAs({ via: "http", id: keyId, name: KEY_NAME, address: null }, work);

/** The maximum number of upcoming bookings, and of upcoming reservations, that are examined. */
const MAX_COUNTED = 10_000;

/**
 * Returns a function that decides whether a visit counts towards the page's share of the free time.
 * A visit counts if it waits for the business or was booked at once, unless a mailbox at a mail
 * provider has confirmed it. Mailboxes of other domains prove nothing, because the owner of a
 * domain can create any number of them.
 */
export function createIsCounted(rt: Runtime, businessId: string) {
  const rows = rt.openStore(createPageBookingStore).listMarked(businessId);
  const marked = new Map(rows.map((row) => [row.visitId, row]));
  return ({ id, status }: { id: string; status: VisitStatus }): boolean => {
    const { unconfirmed: wasBookedAtOnce = false, hasMailbox = false } = marked.get(id) ?? {};
    return !hasMailbox && (status === "PENDING" || (status === "CONFIRMED" && wasBookedAtOnce));
  };
}

/**
 * Returns the visits of the page that count towards its share of the free time.
 * @param except the ID of a visit to leave out
 */
export function listCounted(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  keyId: string,
  except?: string,
): Held[] {
  const countsTowardsShare = createIsCounted(rt, businessId);
  const upcoming = { businessId, createdByKey: keyId, from: rt.now() };
  const isCounted = (visit: { id: string; status: VisitStatus }): boolean =>
    visit.id !== except && countsTowardsShare(visit);
  return [
    ...rt.store.bookings
      .listPage(upcoming, MAX_COUNTED)
      .filter(isCounted)
      .map((row) => ({ ...row, tableId: null })),
    ...rt.store.reservations
      .listPage(upcoming, MAX_COUNTED)
      .filter(isCounted)
      .map((row) => ({ ...row, segments: [] })),
  ];
}
