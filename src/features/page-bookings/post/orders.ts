import { countForVisitor, hashVisitor } from "../../../app/bookings/booking-limits.ts";
import { notify } from "../../../app/notices.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BusinessDoc, PublicEventDoc } from "../../../domain/catalog/catalog.ts";
import { endOfEvent } from "../../../domain/catalog/event-end.ts";
import type { Customer } from "../../../domain/bookings/customer.ts";
import { openCondition } from "../../../domain/conditions/registry.ts";
import { formatLocalMinute } from "../../../domain/local-time.ts";
import { countOf } from "../../../domain/text.ts";
import type { PageLanguage } from "../../../pages/languages.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { cancelOrder, getTicketOrderToChange } from "../../tickets/orders/change-order.ts";
import { placeTicketOrder } from "../../tickets/orders/orders.ts";
import { readKeptCodes } from "../../tickets/kept-codes.ts";
import { createOrderStore, createTicketStore } from "../../tickets/store.ts";
import type { TicketOrder } from "../../tickets/rules.ts";
import { accessOfPage, getPageKey, runAsPage } from "../access.ts";
import { contactsOf, createLink, findBooked } from "./book.ts";
import { hashToken, isLinkToken } from "../link-tokens.ts";
import { LINK_MS } from "../rules.ts";
import { createPageBookingStore } from "../store.ts";

// A guest orders tickets on the page and pays the business, which then confirms the order.

const HOUR_MS = 3_600_000;

export type TicketItem = { ticketTypeId: string; quantity: number };

export type PageOrder = {
  event: PublicEventDoc;
  items: readonly TicketItem[];
  /** The key of the form: a form that is sent twice orders once. */
  formKey: string;
  nonce: string;
  /** The total that the form showed, which must still be right; null if it showed none. */
  expectedTotalCents: number | null;
  customer: Customer;
  language: PageLanguage;
};

/**
 * Returns when tickets that are ordered now must be paid. The latest time is the start of the
 * event, or its end if the event has begun.
 */
export const payByOf = (
  { doc: { publicPage } }: BusinessRow,
  { startsAt, endsAt }: { startsAt: number; endsAt: number },
  now: number,
): number =>
  Math.min(now + publicPage.orders.payWithinHours * HOUR_MS, startsAt > now ? startsAt : endsAt);

/** Returns the largest share of a quota that unpaid orders of the page can take. */
export const maxQuotaShareOf = ({ orders }: BusinessDoc["publicPage"]): number =>
  orders.maxQuotaPercent / 100;

/**
 * Orders tickets, once for each form, and returns the token of the guest's link to the order. Call
 * it outside of a transaction.
 * @param visitorOf hashes the visitor's network address with the ID of the page's key
 * @throws AppError conflict, validation_failed, price_changed, too_many_holds, too_many_bookings,
 *   idempotency_key_reused
 */
export const orderOnPage = (
  rt: Runtime,
  business: BusinessRow,
  visitorOf: (keyId: string) => Buffer,
  wanted: PageOrder,
): string =>
  rt.tx(() => {
    const { event, items, customer, expectedTotalCents } = wanted;
    const keyId = getPageKey(rt, business);
    const ordered = findBooked(rt, keyId, wanted);
    if (ordered !== undefined) return ordered;
    const access = accessOfPage(business, keyId, visitorOf(keyId));
    const wantedItems = items.map(({ ticketTypeId, quantity }) => ({
      key: ticketTypeId,
      quantity,
    }));
    const order = runAsPage(rt, keyId, () =>
      placeTicketOrder(rt, business, access, event, wantedItems, {
        customerRef: null,
        customer,
        expectedTotalCents,
        payWithinMs: payByOf(business, event, rt.now()) - rt.now(),
        maxQuotaShare: maxQuotaShareOf(business.doc.publicPage),
        keepsCodes: true,
      }),
    );
    for (const contact of contactsOf(customer))
      countForVisitor(rt, accessOfPage(business, keyId, hashVisitor(rt, keyId, contact)), "order");
    notifyOrdered(rt, business, event, order);
    return createLink(rt, business, keyId, wanted, order);
  });

/** A guest's order, and the language in which the guest reads its page. */
export type GuestOrder = { order: TicketOrder; language: string };

/** Returns the order of a link; undefined if the link is unknown or has ended. */
export function findGuestOrder(
  rt: Runtime,
  business: BusinessRow,
  token: string,
): GuestOrder | undefined {
  if (!isLinkToken(token)) return undefined;
  const row = rt.openStore(createPageBookingStore).findByToken(hashToken(token));
  if (row === undefined || row.businessId !== business.id) return undefined;
  const { visitId, language } = row;
  const order = rt.openStore(createOrderStore).findById(business.id, visitId);
  if (order === undefined) return undefined;
  const event = rt.store.catalog.findByKeyOrId(business.id, "public_event", order.eventId);
  const endsAt = event ? endOfEvent(event) : order.updatedAt;
  return endsAt + LINK_MS <= rt.now() ? undefined : { order, language };
}

export type TicketWithCode = { ticketTypeId: string; admissionCode: string; isUsed: boolean };

/** Returns the tickets of a confirmed order with their admission codes, until the event ends. */
export function listTicketsWithCodes(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  { id: orderId, status, eventId }: TicketOrder,
): TicketWithCode[] {
  const event = rt.store.catalog.findByKeyOrId(businessId, "public_event", eventId);
  if (status !== "CONFIRMED" || event === undefined || endOfEvent(event) <= rt.now()) return [];
  const codes = readKeptCodes(rt, orderId);
  // The store lists the newest ticket first, and the page shows the oldest first.
  return rt
    .openStore(createTicketStore)
    .list({ businessId, orderId }, codes.size)
    .toReversed()
    .flatMap(({ id, ticketTypeId, checkedInAt }) => {
      const admissionCode = codes.get(id);
      if (admissionCode === undefined) return [];
      return { ticketTypeId, admissionCode, isUsed: checkedInAt !== null };
    });
}

/** Returns the state of an order. A pending order whose time is over counts as EXPIRED. */
export const statusOfOrder = (
  { status, expiresAt }: TicketOrder,
  now: number,
): TicketOrder["status"] => (status === "PENDING" && expiresAt <= now ? "EXPIRED" : status);

/**
 * Cancels the order of a link, as the guest. An order that is not pending stays as it is.
 * @returns false if the link has ended
 */
export const cancelOrderAsGuest = (rt: Runtime, business: BusinessRow, token: string): boolean =>
  rt.tx(() => {
    const found = findGuestOrder(rt, business, token);
    const keyId = found?.order.createdByKey;
    if (found === undefined || !keyId) return false;
    const access = accessOfPage(business, keyId, null);
    const order = getTicketOrderToChange(rt, business, access, found.order.id);
    if (order.status === "PENDING")
      runAsPage(rt, keyId, () => cancelOrder(rt, business, order, null));
    return true;
  });

/** Tells the operator about a new order, without guest data. */
function notifyOrdered(
  rt: Runtime,
  { slug, doc }: BusinessRow,
  event: PublicEventDoc,
  { id, code, items, expiresAt }: TicketOrder,
): void {
  const tickets = countOf(
    items.reduce((sum, { quantity }) => sum + quantity, 0),
    "ticket",
  );
  const payBy = formatLocalMinute(expiresAt, doc.timezone).replace("T", " ");
  notify(
    rt,
    openCondition(
      "order.received",
      `${tickets} of ${event.name} were ordered on the page as ${code}: confirm the order once it is paid, by ${payBy}, or it expires`,
      `deskbell ticket-orders confirm ${code} --business ${slug}`,
      { business: slug, subject: { id, name: code }, since: rt.now(), asksForDecision: true },
    ),
  );
}
