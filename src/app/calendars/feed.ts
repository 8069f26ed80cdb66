import type { Booking } from "../../domain/bookings/booking.ts";
import type { Customer } from "../../domain/bookings/customer.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import { type CalendarEvent, writeCalendar } from "../../domain/calendars/ical.ts";
import { countOf } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { CalendarRow } from "../../store/calendars.ts";
import { createNamer, describeService, type Namer } from "../bookings/day-sheet.ts";
import { tryOpenCustomer } from "../bookings/guests.ts";
import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;
const PAST_DAYS = 30;
const FUTURE_DAYS = 400;
/** About 2 MB. */
const MAX_VISITS = 5000;

export type Feed = {
  /** Changes with every change of the feed, and is cheap: phones poll for years. */
  revision: string;
  /** As iCalendar. */
  write: () => string;
};

/** Returns undefined if the business was deleted. */
export function findFeed(rt: Runtime, calendar: CalendarRow): Feed | undefined {
  const { id, businessId } = calendar;
  const business = rt.store.businesses.findById(businessId);
  if (!business) return undefined;
  // In whole days, so that the time alone changes the feed once a day only.
  const today = Math.floor(rt.now() / DAY_MS);
  // Each change of a visit adds an event, except for the erasure of a guest, which only sets the
  // time of the last change.
  const changes = [
    business.lastSequence,
    business.revision,
    rt.store.bookings.getLastChange(businessId),
    rt.store.reservations.getLastChange(businessId),
  ];
  return {
    revision: [id, today, ...changes].join("-"),
    write: () => writeFeed(rt, business, calendar, today * DAY_MS),
  };
}

function writeFeed(
  rt: Runtime,
  business: BusinessRow,
  { businessId, staffId, withGuests }: CalendarRow,
  today: number,
): string {
  const filter = { businessId, from: today - PAST_DAYS * DAY_MS, to: today + FUTURE_DAYS * DAY_MS };
  const nameOf = createNamer(rt, businessId);
  const guestOf = (visit: Visit) => (withGuests ? guestTextsOf(rt, visit) : NO_GUEST);
  const bookings = rt.store.bookings
    .listPage({ ...filter, staffId: staffId ?? undefined }, MAX_VISITS)
    .flatMap((booking) => bookingEvents(nameOf, booking, staffId, guestOf(booking)));
  const reservations = rt.store.reservations
    .listPage(filter, staffId === null ? MAX_VISITS : 0)
    .map((reservation) => reservationEvent(nameOf, reservation, guestOf(reservation)));
  const name = [nameOf("staff", staffId), business.doc.name].filter(Boolean).join(", ");
  return writeCalendar(name, [...bookings, ...reservations]);
}

/** How an event shows the guest: the name in its title, the rest below. */
type GuestTexts = { name: string | null; details: string | null };
const NO_GUEST: GuestTexts = { name: null, details: null };

function guestTextsOf(rt: Runtime, { id, customerRef }: Visit): GuestTexts {
  const row = rt.store.guests.findByVisit(id);
  const customer: Partial<Customer> = (row && tryOpenCustomer(rt, row)) ?? {};
  const { name = null, phone, email, notes } = customer;
  const details = [phone, email, notes].filter(Boolean).join("\n");
  return { name: name ?? customerRef, details: details === "" ? null : details };
}

/** Visits that took place stay confirmed: iCalendar has no status for them. */
const STATUSES: Record<Visit["status"], CalendarEvent["status"]> = {
  PENDING: "TENTATIVE",
  CONFIRMED: "CONFIRMED",
  COMPLETED: "CONFIRMED",
  NO_SHOW: "CONFIRMED",
  CANCELLED: "CANCELLED",
};

const commonFields = (visit: Visit, guest: GuestTexts) => ({
  sequence: visit.version - 1,
  status: STATUSES[visit.status],
  createdAt: visit.createdAt,
  updatedAt: visit.updatedAt,
  description: guest.details,
});

/** One for each service, because a visit can have several staff members. */
const bookingEvents = (
  nameOf: Namer,
  booking: Booking,
  staffId: string | null,
  guest: GuestTexts,
): CalendarEvent[] =>
  booking.segments.flatMap((segment, i) => {
    if (staffId !== null && segment.staffId !== staffId) return [];
    const staff = staffId === null ? (segment.staffName ?? nameOf("staff", segment.staffId)) : null;
    const guests = booking.guests === 1 ? null : countOf(booking.guests, "guest");
    const places = segment.resources.map(({ resourceId }) => nameOf("resource", resourceId));
    return {
      ...commonFields(booking, guest),
      uid: `${booking.id}-${i}@deskbell`,
      startsAt: segment.startsAt,
      endsAt: segment.endsAt,
      summary: titleOf(describeService(nameOf, segment), guests, staff, guest.name),
      location: places.length === 0 ? null : places.join(", "),
    };
  });

const reservationEvent = (
  nameOf: Namer,
  reservation: Reservation,
  guest: GuestTexts,
): CalendarEvent => ({
  ...commonFields(reservation, guest),
  uid: `${reservation.id}@deskbell`,
  startsAt: reservation.startsAt,
  endsAt: reservation.endsAt,
  summary: titleOf("Table", countOf(reservation.partySize, "guest"), guest.name),
  location: nameOf("table", reservation.tableId),
});

const titleOf = (...parts: (string | null)[]): string =>
  parts.filter((part) => part !== null).join(" · ");
