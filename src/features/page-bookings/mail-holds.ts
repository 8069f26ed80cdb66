import { countForVisitor, hashVisitor } from "../../app/bookings/booking-limits.ts";
import { assertExpectedTotal, bookVisit, reserveTable } from "../../app/bookings/bookings.ts";
import { findCustomer, saveCustomer } from "../../app/bookings/guests.ts";
import { createHold } from "../../app/bookings/holds.ts";
import { tellGuest } from "../../app/guests/guest-news.ts";
import { findReply, saveReply } from "../../app/idempotent-replies.ts";
import type { Runtime } from "../../app/runtime.ts";
import { type Hold, holdStatus } from "../../domain/bookings/hold.ts";
import { AppError } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { accessOfPage, getPageKey, runAsPage } from "./access.ts";
import { contactsOf, findOpenHold, type PageBooking, replyOfForm } from "./book.ts";
import { hashToken, isLinkToken } from "./link-tokens.ts";
import { MAIL_HOLD_MS, toRequest } from "./rules.ts";
import { createPageBookingStore } from "./store.ts";

// Beyond its share of the free time, the page takes a visit only after the guest has confirmed it
// by a link in a mail. Until then the time is held. A feature that mails guests sends the link.

const replyOf = (keyId: string, formKey: string) => replyOfForm("page mail", keyId, formKey);

/** Returns the hold of a form whose guest was asked to confirm it; undefined if there is none. */
export function findAskedHold(
  rt: Runtime,
  { id }: BusinessRow,
  keyId: string,
  formKey: string,
): Hold | undefined {
  const holdId = findReply(rt, replyOf(keyId, formKey))?.body?.toString();
  return holdId === undefined ? undefined : rt.store.holds.findById(id, holdId, keyId);
}

/**
 * Holds a time until the guest confirms it by a link in a mail, once for each form. The guest's
 * data are stored with the hold. Call it outside of a transaction.
 * @throws AppError too_many_holds if no mail is sent, slot_taken, price_changed
 */
export const holdForMail = (
  rt: Runtime,
  business: BusinessRow,
  visitorOf: (keyId: string) => Buffer,
  { choice, startsAt, holdId, formKey, expectedTotalCents, customer, language }: PageBooking,
): Hold =>
  rt.tx(() => {
    const keyId = getPageKey(rt, business);
    const asked = findAskedHold(rt, business, keyId, formKey);
    if (asked !== undefined) return asked;
    if (holdId !== null && findOpenHold(rt, business, keyId, holdId))
      rt.store.holds.release(holdId);
    const store = rt.openStore(createPageBookingStore);
    const visitor = visitorOf(keyId);
    const sharesWith = store
      .listHolds(business.id, rt.now())
      .flatMap((id) => rt.store.holds.findById(business.id, id, keyId) ?? []);
    const client = { keyId, visitor, sharesWith };
    const request = toRequest(choice);
    const hold = createHold(rt, business, client, { request, startsAt, ttlMs: MAIL_HOLD_MS });
    if (hold.tableId === null) assertExpectedTotal(expectedTotalCents, hold.totalCents);
    saveCustomer(rt, business.id, hold.id, customer);
    store.insert({ visitId: hold.id, businessId: business.id, language, unconfirmed: true });
    const isTold = tellGuest(rt, business, {
      ...hold,
      kind: "confirm",
      version: 1,
      decideBy: hold.expiresAt,
      visitor,
    });
    if (!isTold) throw new AppError("too_many_holds", "The guest cannot be asked by mail.");
    saveReply(rt, replyOf(keyId, formKey), {
      status: 200,
      headers: [],
      body: Buffer.from(hold.id),
      endsAt: hold.expiresAt,
    });
    return hold;
  });

export type GuestHold = { hold: Hold; language: string; isOpen: boolean };

/** Returns the hold of a link; undefined if the link is unknown or belongs to no hold. */
export function findGuestHold(
  rt: Runtime,
  business: BusinessRow,
  token: string,
): GuestHold | undefined {
  if (!isLinkToken(token)) return undefined;
  const row = rt.openStore(createPageBookingStore).findByToken(hashToken(token));
  if (row === undefined || row.businessId !== business.id) return undefined;
  const hold = rt.store.holds.findById(business.id, row.visitId, null);
  if (hold === undefined) return undefined;
  return { hold, language: row.language, isOpen: holdStatus(hold, rt.now()) === "OPEN" };
}

/**
 * Makes the visit of a hold that its guest confirms. The links to the hold lead to the visit from
 * then on.
 * @returns false if the hold has ended
 * @throws AppError too_many_bookings
 */
export const confirmHold = (rt: Runtime, business: BusinessRow, token: string): boolean =>
  rt.tx(() => {
    const found = findGuestHold(rt, business, token);
    if (!found?.isOpen) return false;
    const { hold, language } = found;
    const { id: holdId, keyId, visitor } = hold;
    const customer = findCustomer(rt, holdId);
    if (customer === null) return false;
    const store = rt.openStore(createPageBookingStore);
    const access = accessOfPage(business, keyId, visitor);
    const wanted = { guest: { customerRef: null, customer }, holdId };
    const { id: visitId } = runAsPage(rt, keyId, () =>
      hold.tableId === null
        ? bookVisit(rt, business, access, wanted)
        : reserveTable(rt, business, access, wanted),
    );
    for (const contact of contactsOf(customer))
      countForVisitor(rt, accessOfPage(business, keyId, hashVisitor(rt, keyId, contact)), "visit");
    store.insert({ visitId, businessId: business.id, language, unconfirmed: false });
    store.moveLinks(holdId, visitId);
    saveCustomer(rt, business.id, holdId, null);
    return true;
  });
