import { describeVisits, listDay, type DayEntry } from "../../app/bookings/day-sheet.ts";
import { guestNameOf, tryDecryptCustomer } from "../../app/bookings/guests.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  actionError,
  VISIT_ACTIONS,
  type Visit,
  type VisitAction,
} from "../../domain/bookings/visit.ts";
import { addDays, localDateOf } from "../../domain/local-time.ts";
import { formatMoney } from "../../domain/money.ts";
import type { PageLanguage } from "../../pages/languages.ts";
import { findTeller } from "../guest-mail/queue-mail.ts";
import { createOrderStore } from "../tickets/store.ts";
import { findAway, listAbsences } from "./actions/absences.ts";
import { listChoices, listDishes, listServices } from "./actions/choices.ts";
import { currentClosing } from "./closing.ts";
import { allows, type DeskSession } from "./desks.ts";
import { ACTION_MS, type DeskView, type DeskVisit, localOf } from "./rules.ts";
import { createDeskStore } from "./store.ts";

const MAX_PENDING = 50;
const MAX_ORDERS = 20;
const MAX_RECENT = 5;
/** The length of the random key in the forms of a page. */
const KEY_BYTES = 12;
const MINUTE_MS = 60_000;

/**
 * Returns a text that changes when something on the page may change: the data or the minute. The
 * page's script compares it every few seconds.
 */
export const versionOf = (rt: Runtime): string =>
  `${rt.revision()}.${Math.floor(rt.now() / MINUTE_MS)}`;

/** @param awayId the ID of the time off whose visits are shown; undefined to show none */
export function readDeskView(
  rt: Runtime,
  session: DeskSession,
  awayId: string | undefined,
  language: PageLanguage,
): DeskView {
  const { business, desk } = session;
  const { timezone, name } = business.doc;
  // The version is read before the data. A change in between then gives the page's next request a
  // newer version.
  const version = versionOf(rt);
  const now = rt.now();
  const today = localDateOf(now, timezone);
  const isWholeBusiness = desk.staffId === null;
  const visitsOf = (date: string): DeskVisit[] =>
    toDeskVisits(rt, session, listDay(rt, business, date, desk.staffId ?? undefined));
  // The list of today begins with the visits of yesterday that end after midnight, because a bar
  // still deals with them then.
  const ofNight = visitsOf(addDays(today, -1)).filter(
    ({ end, status }) =>
      end > `${today}T00:00` && (status === "CONFIRMED" || end > localOf(now, timezone)),
  );
  const days = [today, addDays(today, 1)].map((date) => ({ date, visits: visitsOf(date) }));
  days[0]?.visits.unshift(...ofNight);
  markNowAndNext(days[0]?.visits ?? [], now, rt, session);
  const pending = listPending(rt, session);
  const listed = [pending, ...days.map(({ visits }) => visits)].flat();
  const marksSoldOut = allows(session, "sold-out");
  return {
    business: name,
    desk: desk.name,
    now: localOf(now, timezone),
    today,
    version,
    key: rt.random(KEY_BYTES).toString("hex"),
    rights: desk.allow,
    isOfOnePerson: !isWholeBusiness,
    pending,
    days,
    recent: listRecent(rt, session, listed).filter(({ end }) => end > `${today}T00:00`),
    ...listChoices(rt, session, language),
    hasEvents: rt.store.catalog.hasKind(business.id, "public_event"),
    ...(marksSoldOut ? listDishes(rt, session) : { dishes: [], soldOut: [] }),
    ...(marksSoldOut && isWholeBusiness ? listServices(rt, session) : { offered: [], hidden: [] }),
    isHoursChanged: currentClosing(rt, business) !== undefined,
    ...(allows(session, "visits") && isWholeBusiness
      ? listOrders(rt, session)
      : { orders: [], hasMoreOrders: false }),
    absences: isWholeBusiness && allows(session, "close") ? listAbsences(rt, session) : [],
    away: awayId === undefined || !isWholeBusiness ? null : findAway(rt, session, awayId),
  };
}

/** Returns the visits of a day's entries. A booking with several services has an entry for each. */
function toDeskVisits(
  rt: Runtime,
  session: DeskSession,
  entries: readonly DayEntry[],
): DeskVisit[] {
  return [...Map.groupBy(entries, ({ id }) => id).values()].flatMap((group) => {
    const [first] = group;
    const visit = first && findVisit(rt, session, first.id);
    return visit === undefined ? [] : toDeskVisit(rt, session, visit, group);
  });
}

type AnyVisit = Visit & { type: "booking" | "reservation"; guests: number };

/**
 * Returns a visit; undefined if the desk does not show it. A desk of one person shows the bookings
 * of this person only.
 */
export function findVisit(
  rt: Runtime,
  { business, desk }: Pick<DeskSession, "business" | "desk">,
  id: string,
): AnyVisit | undefined {
  const booking = rt.store.bookings.findById(business.id, id);
  if (booking)
    return desk.staffId === null || booking.segments.some(({ staffId }) => staffId === desk.staffId)
      ? { ...booking, type: "booking" }
      : undefined;
  const reservation = rt.store.reservations.findById(business.id, id);
  return reservation && desk.staffId === null
    ? { ...reservation, type: "reservation", guests: reservation.partySize }
    : undefined;
}

function toDeskVisit(
  rt: Runtime,
  session: DeskSession,
  visit: AnyVisit,
  entries: readonly DayEntry[],
): DeskVisit {
  const { timezone } = session.business.doc;
  const sealed = allows(session, "guests") ? rt.store.guests.findByVisit(visit.id) : undefined;
  const customer = sealed && tryDecryptCustomer(rt, sealed);
  // The page declines a pending visit instead of cancelling it, so that the guest learns that the
  // business has refused.
  const withoutButton: readonly VisitAction[] = visit.status === "PENDING" ? ["cancel"] : [];
  return {
    id: visit.id,
    type: visit.type,
    status: visit.status,
    start: localOf(visit.startsAt, timezone),
    end: localOf(visit.endsAt, timezone),
    decideBy: visit.decideBy === null ? null : localOf(visit.decideBy, timezone),
    guest: guestNameOf(rt, visit),
    guests: visit.guests,
    parts: entries.map(({ startsAt, service, staff, isStaffAway, place }) => ({
      start: localOf(startsAt, timezone),
      what: service,
      staff,
      isStaffAway,
      place,
    })),
    contact:
      customer === undefined
        ? null
        : { email: customer.email, phone: customer.phone, notes: customer.notes },
    at: null,
    actions: allows(session, "visits")
      ? VISIT_ACTIONS.filter((action) => action !== "expire").filter(
          (action) =>
            !withoutButton.includes(action) &&
            // The first argument would name the visit in the error's message. The message is not
            // used here, so the name is empty.
            actionError("", visit, action, "BUSINESS", rt.now()) === undefined,
        )
      : [],
    teller: findTeller(rt, session.business, visit),
  };
}

/**
 * Sets `at` of today's visits, which are sorted by their starts. `at` stays null for a visit to
 * which the guest did not come.
 */
function markNowAndNext(visits: DeskVisit[], now: number, rt: Runtime, session: DeskSession): void {
  let hasNext = false;
  for (const shown of visits) {
    const visit = findVisit(rt, session, shown.id);
    if (visit === undefined || visit.status === "NO_SHOW") continue;
    if (visit.endsAt <= now) shown.at = "past";
    else if (visit.startsAt <= now) shown.at = "now";
    else if (!hasNext) {
      shown.at = "next";
      hasNext = true;
    }
  }
}

/** Lists the visits from now on that wait for a decision. */
function listPending(rt: Runtime, session: DeskSession): DeskVisit[] {
  const { business, desk } = session;
  const filter = { businessId: business.id, from: rt.now(), status: "PENDING" as const };
  const staffId = desk.staffId ?? undefined;
  const bookings = rt.store.bookings.listPage({ ...filter, staffId }, MAX_PENDING);
  const reservations =
    staffId === undefined ? rt.store.reservations.listPage(filter, MAX_PENDING) : [];
  const entries = describeVisits(rt, business.id, { bookings, reservations }, staffId);
  return toDeskVisits(rt, session, entries);
}

/** Lists the visits that the device has changed lately, without those that are `listed` already. */
function listRecent(rt: Runtime, session: DeskSession, listed: readonly DeskVisit[]): DeskVisit[] {
  const { business, desk, device } = session;
  const listedIds = new Set(listed.map(({ id }) => id));
  const ids = rt
    .openStore(createDeskStore)
    .listChangedVisits(device.id, rt.now() - ACTION_MS, MAX_RECENT)
    .filter((id) => !listedIds.has(id));
  const { bookings, reservations } = rt.store;
  const found = {
    bookings: ids.flatMap((id) => bookings.findById(business.id, id) ?? []),
    reservations: ids.flatMap((id) => reservations.findById(business.id, id) ?? []),
  };
  const entries = describeVisits(rt, business.id, found, desk.staffId ?? undefined);
  return toDeskVisits(rt, session, entries);
}

/** Lists the newest ticket orders that wait for payment. */
function listOrders(
  rt: Runtime,
  { business: { id, doc } }: DeskSession,
): Pick<DeskView, "orders" | "hasMoreOrders"> {
  const pending = rt
    .openStore(createOrderStore)
    .list({ businessId: id, status: "PENDING" }, MAX_ORDERS + 1);
  const orders = pending
    .slice(0, MAX_ORDERS)
    .filter(({ expiresAt }) => expiresAt > rt.now())
    .map(({ code, eventId, items, totalCents, currency, currencyDigits }) => ({
      code,
      event: rt.store.catalog.findByKeyOrId(id, "public_event", eventId)?.name ?? null,
      tickets: items.reduce((sum, { quantity }) => sum + quantity, 0),
      total: `${formatMoney(totalCents, { ...doc, currencyDigits })} ${currency}`,
    }));
  return { orders, hasMoreOrders: pending.length > MAX_ORDERS };
}
