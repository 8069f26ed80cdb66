import { isPublicStaff } from "../../../app/bookings/access.ts";
import { countForVisitor, hashVisitor } from "../../../app/bookings/booking-limits.ts";
import {
  assertExpectedTotal,
  bookServices,
  type GuestDetails,
  reserveTable,
} from "../../../app/bookings/bookings.ts";
import { findCustomer, saveCustomer } from "../../../app/bookings/guests.ts";
import { createHold } from "../../../app/bookings/holds.ts";
import { tellGuest } from "../../../app/guests/guest-news.ts";
import { findReply, findReplyOfToken, saveReply } from "../../../app/idempotent-replies.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Booking } from "../../../domain/bookings/booking.ts";
import type { Hold } from "../../../domain/bookings/hold.ts";
import type { Reservation } from "../../../domain/bookings/reservation.ts";
import { AppError } from "../../../domain/errors.ts";
import { domainOf, isMailProvider } from "../../../domain/mail/mail-providers.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { countOnPages } from "../../public-pages/counters.ts";
import { accessOfPage, getPageKey, listCounted, runAsPage, takesBookings } from "../access.ts";
import {
  assertWithinShare,
  contactsOf,
  findOpenHold,
  type PageBooking,
  partOfShare,
  replyOfForm,
  type SentForm,
  tokenOf,
} from "./book.ts";
import { hashToken, isLinkToken } from "../link-tokens.ts";
import { type Choice, confirmableUntil, keptUntil, MAIL_HOLD_MS, toRequest } from "../rules.ts";
import { createPageBookingStore } from "../store.ts";

// If the page has used up its share of the free time, it takes a visit only after the guest has
// confirmed it by a link in a mail. The time is held for some minutes if the share has room for
// guests who were asked by mail. Otherwise the link books the time if it is still free, so that
// nobody can close the page by filling the share. A feature that mails guests sends the link.

const replyOf = (keyId: string, form: SentForm) => replyOfForm("page mail", keyId, form);

/**
 * Returns the hold that was made for a form, and that the guest was asked by mail to confirm;
 * undefined if there is no such hold.
 * @throws AppError idempotency_key_reused if the form was sent with other details
 */
export function findAskedHold(
  rt: Runtime,
  { id }: BusinessRow,
  keyId: string,
  form: SentForm,
): Hold | undefined {
  const holdId = findReply(rt, replyOf(keyId, form))?.body?.toString();
  return holdId === undefined ? undefined : rt.store.holds.findById(id, holdId, keyId);
}

/**
 * Returns the hold that was made for a form, and that the guest was asked by mail to confirm, even
 * if the form was sent with other details. Returns undefined if there is no such hold. Everybody
 * with the URL knows the key of the form, so only the visitor who has sent the form finds the hold.
 * @param visitorOf hashes the visitor's network address with the ID of the page's key
 */
export function findOwnAskedHold(
  rt: Runtime,
  { id }: BusinessRow,
  keyId: string,
  visitorOf: (keyId: string) => Buffer,
  formKey: string,
): Hold | undefined {
  const token = { keyId, token: tokenOf("page mail", formKey) };
  const holdId = findReplyOfToken(rt, token)?.body?.toString();
  const hold = holdId ? rt.store.holds.findById(id, holdId, keyId) : undefined;
  return hold?.visitor?.equals(visitorOf(keyId)) ? hold : undefined;
}

/**
 * Returns the hold that was made for a form, and that the guest was asked by mail to confirm;
 * undefined if there is no such hold. If the visitor has corrected the form since, this function
 * ends the earlier hold and its links, and returns undefined: the owner of a mistyped address must
 * not confirm the visit.
 * @throws AppError idempotency_key_reused if somebody else has sent the form, or if the earlier
 *   hold was confirmed
 */
function findOrEndAskedHold(
  rt: Runtime,
  business: BusinessRow,
  keyId: string,
  visitorOf: (keyId: string) => Buffer,
  form: SentForm,
): Hold | undefined {
  try {
    return findAskedHold(rt, business, keyId, form);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "idempotency_key_reused")) throw error;
    const own = findOwnAskedHold(rt, business, keyId, visitorOf, form.formKey);
    if (own === undefined || own.status === "USED") throw error;
    if (keptUntil(own, rt.now()) !== null) rt.store.holds.release(own.id);
    saveCustomer(rt, business.id, own.id, null);
    return undefined;
  }
}

/**
 * Asks a guest by mail to confirm a time, once for each form, and holds the time if the visitors of
 * the page do not hold too much. The guest's data are stored with the hold. Call it outside of a
 * transaction.
 * @param visitorOf hashes the visitor's network address with the ID of the page's key
 * @throws AppError too_many_holds if no mail is sent, slot_taken, price_changed,
 *   idempotency_key_reused
 */
export const holdForMail = (
  rt: Runtime,
  business: BusinessRow,
  visitorOf: (keyId: string) => Buffer,
  form: PageBooking,
): Hold =>
  rt.tx(() => {
    const keyId = getPageKey(rt, business);
    const { choice, startsAt, holdId, expectedTotalCents, customer, language } = form;
    const asked = findOrEndAskedHold(rt, business, keyId, visitorOf, form);
    if (asked !== undefined) return asked;
    if (holdId !== null && findOpenHold(rt, business, keyId, holdId))
      rt.store.holds.release(holdId);
    const visitor = visitorOf(keyId);
    const hold = holdIfPossible(rt, business, { keyId, visitor }, { choice, startsAt });
    if (hold.tableId === null) assertExpectedTotal(expectedTotalCents, hold.totalCents);
    saveCustomer(rt, business.id, hold.id, customer);
    rt.openStore(createPageBookingStore).insert({
      visitId: hold.id,
      businessId: business.id,
      language,
      unconfirmed: true,
      hasMailbox: false,
    });
    const isTold = tellGuest(rt, business, {
      ...hold,
      kind: "confirm",
      version: 1,
      decideBy: confirmableUntil(hold),
      visitor,
    });
    if (!isTold) throw new AppError("too_many_holds", "The guest cannot be asked by mail.");
    saveReply(rt, replyOf(keyId, form), {
      status: 200,
      headers: [],
      body: Buffer.from(hold.id),
      endsAt: confirmableUntil(hold),
    });
    return hold;
  });

/**
 * Holds a time. If a limit of holds is reached, the hold expires at once and only stores the terms.
 */
function holdIfPossible(
  rt: Runtime,
  business: BusinessRow,
  { keyId, visitor }: { keyId: string; visitor: Buffer },
  { choice, startsAt }: Pick<PageBooking, "choice" | "startsAt">,
): Hold {
  const counted = listCounted(rt, business, keyId);
  const client = { keyId, visitor, counted, part: partOfShare(rt, "mail asked") };
  const request = toRequest(choice);
  try {
    const hold = createHold(rt, business, client, { request, startsAt, ttlMs: MAIL_HOLD_MS });
    countOnPages(rt, "action", "hold");
    return hold;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "too_many_holds")) throw error;
    return createHold(rt, business, client, { request, startsAt, ttlMs: 0 });
  }
}

export type GuestHold = {
  hold: Hold;
  language: string;
  /** Whether the link still works. */
  isOpen: boolean;
  /** Until when nobody else can take the time; null if others can. */
  keptUntil: number | null;
};

/** Returns the hold of a link; undefined if the link is unknown or belongs to no hold. */
export function findGuestHold(
  rt: Runtime,
  business: BusinessRow,
  token: string,
): GuestHold | undefined {
  if (!isLinkToken(token)) return undefined;
  const row = rt.openStore(createPageBookingStore).findByToken(hashToken(token));
  if (row === undefined || row.businessId !== business.id) return undefined;
  // The key of the hold is irrelevant, because the token shows that the guest may see the hold.
  const hold = rt.store.holds.findById(business.id, row.visitId, null);
  if (hold === undefined) return undefined;
  return {
    hold,
    language: row.language,
    isOpen: hold.status !== "USED" && rt.now() < confirmableUntil(hold),
    keptUntil: keptUntil(hold, rt.now()),
  };
}

/** Returns what a guest has chosen. Staff members whom the page does not show are left out. */
export function choiceOfHold(rt: Runtime, { id }: BusinessRow, hold: Hold): Choice {
  const { guests, areaId, segments } = hold;
  const [segment] = segments;
  if (segment === undefined) return { kind: "table", partySize: guests, areaId };
  const { serviceId, variantId, addons, staffId } = segment;
  const isNamed = staffId !== null && isPublicStaff(rt, id, staffId);
  return {
    kind: "service",
    serviceId,
    variantId,
    addons,
    staffId: isNamed ? staffId : null,
    guests,
  };
}

/**
 * Makes a visit from a hold that its guest confirms. From then on, the links to the hold lead to
 * the visit.
 * @returns false if the link has ended, or if the guest's data were erased
 * @throws AppError too_many_bookings, also if the page was closed meanwhile. If the hold no longer
 * keeps its time, also too_many_holds, slot_taken, price_changed, and the errors of a choice that
 * is no longer offered
 */
export const confirmHold = (rt: Runtime, business: BusinessRow, token: string): boolean =>
  rt.tx(() => {
    const found = findGuestHold(rt, business, token);
    if (!found?.isOpen) return false;
    if (!takesBookings(business))
      throw new AppError("too_many_bookings", "Online booking is closed.");
    const { hold, language } = found;
    const { id: holdId, keyId } = hold;
    const customer = findCustomer(rt, holdId);
    if (customer === null) return false;
    const isKept = found.keptUntil !== null;
    const visit = runAsPage(rt, keyId, () => {
      const guest = { customerRef: null, customer };
      return isKept ? bookHold(rt, business, hold, guest) : bookAnew(rt, business, hold, guest);
    });
    for (const contact of contactsOf(customer))
      countForVisitor(rt, accessOfPage(business, keyId, hashVisitor(rt, keyId, contact)), "visit");
    const store = rt.openStore(createPageBookingStore);
    // A mailbox is a proof only if its domain belongs to a mail provider, because the owner of any
    // other domain can create any number of mailboxes.
    const hasMailbox = isMailProvider(domainOf(customer.email ?? ""));
    store.insert({
      visitId: visit.id,
      businessId: business.id,
      language,
      unconfirmed: !hasMailbox && visit.status === "CONFIRMED",
      hasMailbox,
    });
    // A hold that still keeps its time was checked when it was made, and a visit with `hasMailbox`
    // never counts towards the share. Neither is checked here.
    if (!isKept && !hasMailbox)
      assertWithinShare(rt, business, keyId, visit, partOfShare(rt, "mailbox"));
    store.moveLinks(holdId, visit.id);
    countOnPages(rt, "action", "booking");
    // The visit has the guest's data by now, so the copy in the hold is deleted.
    saveCustomer(rt, business.id, holdId, null);
    return true;
  });

function bookHold(
  rt: Runtime,
  business: BusinessRow,
  { id: holdId, keyId, visitor, tableId }: Hold,
  guest: GuestDetails,
): Booking | Reservation {
  const access = accessOfPage(business, keyId, visitor);
  const wanted = { guest, holdId };
  return tableId === null
    ? bookServices(rt, business, access, wanted)
    : reserveTable(rt, business, access, wanted);
}

/** Books the time that a hold no longer keeps, if it is still free at the same price. */
function bookAnew(
  rt: Runtime,
  business: BusinessRow,
  hold: Hold,
  guest: GuestDetails,
): Booking | Reservation {
  const { startsAt, totalCents: expectedTotalCents } = hold;
  const access = accessOfPage(business, getPageKey(rt, business), hold.visitor);
  const choice = choiceOfHold(rt, business, hold);
  if (choice.kind === "table")
    return reserveTable(rt, business, access, { guest, request: toRequest(choice), startsAt });
  const request = toRequest(choice);
  return bookServices(rt, business, access, { guest, request, startsAt, expectedTotalCents });
}
