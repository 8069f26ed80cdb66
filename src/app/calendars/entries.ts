import type { BookedSegment, Booking } from "../../domain/bookings/booking.ts";
import type { Customer } from "../../domain/bookings/customer.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import type { CalendarEvent } from "../../domain/calendars/ical.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { countOf } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { CalendarRow } from "../../store/calendars.ts";
import { createNamer, describeService, type Namer } from "../bookings/day-sheet.ts";
import { tryOpenCustomer } from "../bookings/guests.ts";
import type { Runtime } from "../runtime.ts";
import type { ListedVisit } from "./list-visits.ts";

/** How an entry shows the guest: the name in its title, the rest below. */
type GuestTexts = { name: string | null; details: string | null };
const NO_GUEST: GuestTexts = { name: null, details: null };

/** A place in a class: one of the bookings of a session. */
type Place = { booking: Booking; segment: BookedSegment };

/** Visits that took place stay confirmed: iCalendar has no status for them. */
const STATUSES: Record<Visit["status"], CalendarEvent["status"]> = {
  PENDING: "TENTATIVE",
  CONFIRMED: "CONFIRMED",
  COMPLETED: "CONFIRMED",
  NO_SHOW: "CONFIRMED",
  CANCELLED: "CANCELLED",
};

const MINUTE_MS = 60_000;

const titleOf = (...parts: (string | null)[]): string =>
  parts.filter((part) => part !== null).join(" · ");

/** Returns what turns visits into the entries of a calendar. */
export function createEntryWriter(
  rt: Runtime,
  { id: businessId, slug }: BusinessRow,
  { staffId, withGuests }: Pick<CalendarRow, "staffId" | "withGuests">,
) {
  const nameOf = remember(createNamer(rt, businessId));
  const classes = new Set(
    rt.store.catalog
      .listObjects(businessId, ["service"])
      .service.filter(({ capacity }) => capacity > 1)
      .map((doc) => objectId("service", slug, doc)),
  );

  function guestOf({ id, customerRef }: Visit): GuestTexts {
    if (!withGuests) return NO_GUEST;
    const row = rt.store.guests.findByVisit(id);
    const customer: Partial<Customer> = (row && tryOpenCustomer(rt, row)) ?? {};
    const { name = null, phone, email, notes } = customer;
    const details = [phone, email, notes].filter(Boolean).join("\n");
    return { name: name ?? customerRef, details: details === "" ? null : details };
  }

  const commonFields = (visit: Visit, details: string | null) => ({
    sequence: visit.version - 1,
    status: STATUSES[visit.status],
    createdAt: visit.createdAt,
    updatedAt: visit.updatedAt,
    description: details,
  });

  const placeOf = ({ resources }: BookedSegment): string | null =>
    resources.map(({ resourceId }) => nameOf("resource", resourceId)).join(", ") || null;

  const staffOf = (segment: BookedSegment): string | null =>
    staffId === null ? (segment.staffName ?? nameOf("staff", segment.staffId)) : null;

  function writeSegment(booking: Booking, segment: BookedSegment, position: number): CalendarEvent {
    const guests = booking.guests === 1 ? null : countOf(booking.guests, "guest");
    const { name, details } = guestOf(booking);
    return {
      ...commonFields(booking, details),
      uid: `${booking.id}-${position}@deskbell`,
      startsAt: segment.startsAt,
      endsAt: segment.endsAt,
      summary: titleOf(describeService(nameOf, segment), guests, staffOf(segment), name),
      location: placeOf(segment),
    };
  }

  /** One entry, however many guests a session has. */
  function writeSession(uid: string, places: readonly [Place, ...Place[]]): CalendarEvent {
    const [{ segment }] = places;
    const active = places.filter(({ booking }) => booking.status !== "CANCELLED");
    const guests = active.reduce((sum, { booking }) => sum + booking.guests, 0);
    const updatedAt = Math.max(...places.map(({ booking }) => booking.updatedAt));
    const statuses = active.map(({ booking }) => STATUSES[booking.status]);
    const texts = active.flatMap(({ booking }) => {
      const { name, details } = guestOf(booking);
      return [name, details].filter((text) => text !== null);
    });
    return {
      uid,
      sequence: Math.floor(updatedAt / MINUTE_MS),
      status: statuses.find((status) => status === "CONFIRMED") ?? statuses[0] ?? "CANCELLED",
      startsAt: segment.startsAt,
      endsAt: segment.endsAt,
      createdAt: Math.min(...places.map(({ booking }) => booking.createdAt)),
      updatedAt,
      summary: titleOf(
        describeService(nameOf, segment),
        countOf(guests, "guest"),
        staffOf(segment),
      ),
      location: placeOf(segment),
      description: texts.length === 0 ? null : texts.join("\n"),
    };
  }

  function writeReservation(reservation: Reservation): CalendarEvent {
    const { name, details } = guestOf(reservation);
    return {
      ...commonFields(reservation, details),
      uid: `${reservation.id}@deskbell`,
      startsAt: reservation.startsAt,
      endsAt: reservation.endsAt,
      summary: titleOf("Table", countOf(reservation.partySize, "guest"), name),
      location: nameOf("table", reservation.tableId),
    };
  }

  /** One for each service of a visit, because it can have several staff members. */
  function write(visits: readonly ListedVisit[]): CalendarEvent[] {
    const sessions = new Map<string, [Place, ...Place[]]>();
    const events = visits.flatMap((listed) => {
      if ("reservation" in listed) return writeReservation(listed.reservation);
      const { booking } = listed;
      return booking.segments.flatMap((segment, i) => {
        if (staffId !== null && segment.staffId !== staffId) return [];
        if (!classes.has(segment.serviceId)) return writeSegment(booking, segment, i);
        const uid = sessionUid(segment);
        const places = sessions.get(uid);
        if (places === undefined) sessions.set(uid, [{ booking, segment }]);
        else places.push({ booking, segment });
        return [];
      });
    });
    return [...events, ...[...sessions].map(([uid, places]) => writeSession(uid, places))];
  }

  return { write };
}

const sessionUid = ({ serviceId, variantId, staffId, startsAt }: BookedSegment): string =>
  `${[serviceId, variantId, staffId, startsAt].filter((part) => part !== null).join("-")}@deskbell`;

/** A feed names the same services and people thousands of times. */
function remember(nameOf: Namer): Namer {
  const names = new Map<string, string | null>();
  return (kind, id) => {
    if (id === null) return null;
    const known = names.get(id);
    if (known !== undefined) return known;
    const name = nameOf(kind, id);
    names.set(id, name);
    return name;
  };
}
