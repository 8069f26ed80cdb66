import type { BookedSegment, Booking } from "../../domain/bookings/booking.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import type { Kind } from "../../domain/catalog/catalog.ts";
import { memoized } from "../../domain/lazy.ts";
import { addDays, startOfDay, formatInstant } from "../../domain/local-time.ts";
import { countOf } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { guestNameOf } from "./guests.ts";
import {
  MAX_NAMED_VISITS,
  shortIdOf,
  type VisitSummary,
} from "../../domain/bookings/affected-visits.ts";
import { askOtherVisits } from "./other-visits.ts";

/**
 * A line of the day sheet, which is either one service of a booking or a reservation. Times are
 * epoch ms.
 */
export type DayEntry = Pick<Visit, "id" | "status" | "startsAt" | "endsAt"> & {
  type: "booking" | "reservation";
  /** The guest's name or customer reference; null if neither is known. */
  guest: string | null;
  guests: number;
  service: string | null;
  staff: string | null;
  /** Whether the staff member has time off at this time. */
  isStaffAway: boolean;
  /** Rooms and equipment of the service, or the table; null if there are none. */
  place: string | null;
};

/** The most visits that are read for a day: more than any business has. */
const MAX_VISITS = 10_000;

/**
 * Returns the visits that begin on a local date, in order of start, without cancelled ones.
 * @param staffId limits the result to the services of this staff member
 */
export function listDay(
  rt: Runtime,
  { id: businessId, doc: { timezone } }: BusinessRow,
  date: string,
  staffId?: string,
): DayEntry[] {
  const from = startOfDay(date, timezone);
  const to = startOfDay(addDays(date, 1), timezone);
  const filter = { businessId, from, to };
  const bookings = rt.store.bookings.listPage({ ...filter, staffId }, MAX_VISITS);
  // A reservation has no staff member, so the day of one person has no reservations.
  const reservations = rt.store.reservations.listPage(
    filter,
    staffId === undefined ? MAX_VISITS : 0,
  );
  return describeVisits(rt, businessId, { bookings, reservations }, staffId).filter(
    ({ status }) => status !== "CANCELLED",
  );
}

/**
 * Returns the entries of visits, in order of start.
 * @param staffId limits the result to the services of this staff member
 */
export function describeVisits(
  rt: Runtime,
  businessId: string,
  { bookings, reservations }: { bookings: Booking[]; reservations: Reservation[] },
  staffId?: string,
): DayEntry[] {
  const nameOf = createCatalogNamer(rt, businessId);
  const from = Math.min(...bookings.map(({ startsAt }) => startsAt));
  const isAway = createAwayCheck(rt, businessId, from);
  return [
    ...bookings.flatMap((booking) => describeBooking(rt, nameOf, isAway, booking, staffId)),
    ...reservations.map((reservation) => describeReservation(rt, nameOf, reservation)),
  ].toSorted((a, b) => a.startsAt - b.startsAt || (a.id < b.id ? -1 : 1));
}

/** Returns a text such as `Mia (3)`, with the number of guests if there are several. */
export const describeGuest = ({ guest, guests }: Pick<DayEntry, "guest" | "guests">): string =>
  `${guest ?? "-"}${guests > 1 ? ` (${guests})` : ""}`;

export const describeStaff = ({
  staff,
  isStaffAway,
}: Pick<DayEntry, "staff" | "isStaffAway">): string | null =>
  isStaffAway ? `${staff ?? ""} (away)` : staff;

/**
 * Returns a line such as `Tuesday, 2026-12-01: 12 visits, 1 of them pending, 2 with somebody who is
 * away`.
 */
export function describeDay(date: string, entries: readonly DayEntry[]): string {
  const day = Temporal.PlainDate.from(date).toLocaleString("en", { weekday: "long" });
  // A booking has an entry for each of its services, all with the booking's ID.
  const countVisits = (chosen: readonly DayEntry[]) => new Set(chosen.map(({ id }) => id)).size;
  const pending = countVisits(entries.filter(({ status }) => status === "PENDING"));
  const away = countVisits(entries.filter(({ isStaffAway }) => isStaffAway));
  return [
    `${day}, ${date}: ${countOf(countVisits(entries), "visit")}`,
    ...(pending === 0 ? [] : [`${pending} of them pending`]),
    ...(away === 0 ? [] : [`${away} with somebody who is away`]),
  ].join(", ");
}

export type Namer = (kind: Kind, id: string | null) => string | null;

/** Returns a function that names catalog objects. A deleted object is named by its ID. */
export const createCatalogNamer =
  (rt: Runtime, businessId: string): Namer =>
  (kind, id) =>
    id && (rt.store.catalog.findByKeyOrId(businessId, kind, id)?.name ?? id);

type AwayCheck = (segment: Pick<BookedSegment, "staffId" | "startsAt" | "endsAt">) => boolean;

/** Returns a function that tells whether the staff member of a segment has time off during it. */
function createAwayCheck(rt: Runtime, businessId: string, from: number): AwayCheck {
  const storedOfStaff = Map.groupBy(
    rt.store.timeOff.listEndingAfter(businessId, from),
    ({ staffId }) => staffId,
  );
  const listTimeOff = memoized((staffId: string) => [
    ...(rt.store.catalog.findByKeyOrId(businessId, "staff", staffId)?.timeOff ?? []),
    ...(storedOfStaff.get(staffId) ?? []).map((row) => ({ from: row.startsAt, to: row.endsAt })),
  ]);
  return ({ staffId, startsAt, endsAt }) =>
    staffId !== null && listTimeOff(staffId).some(({ from, to }) => from < endsAt && to > startsAt);
}

const describeBooking = (
  rt: Runtime,
  nameOf: Namer,
  isAway: AwayCheck,
  booking: Booking,
  staffId: string | undefined,
): DayEntry[] =>
  booking.segments
    .filter((segment) => staffId === undefined || segment.staffId === staffId)
    .map((segment) => ({
      id: booking.id,
      type: "booking",
      status: booking.status,
      startsAt: segment.startsAt,
      endsAt: segment.endsAt,
      guest: guestNameOf(rt, booking),
      guests: booking.guests,
      service: describeService(nameOf, segment),
      staff: segment.staffName ?? nameOf("staff", segment.staffId),
      isStaffAway: isAway(segment),
      place:
        segment.resources.map(({ resourceId }) => nameOf("resource", resourceId)).join(", ") ||
        null,
    }));

export function describeService(
  nameOf: Namer,
  segment: Pick<BookedSegment, "serviceName" | "variantName"> & { serviceId: string },
): string {
  const name = segment.serviceName ?? nameOf("service", segment.serviceId) ?? "";
  return segment.variantName === null ? name : `${name}, ${segment.variantName}`;
}

const describeReservation = (
  rt: Runtime,
  nameOf: Namer,
  { id, status, startsAt, endsAt, partySize, tableId, customerRef }: Reservation,
): DayEntry => ({
  id,
  type: "reservation",
  status,
  startsAt,
  endsAt,
  guest: guestNameOf(rt, { id, customerRef }),
  guests: partySize,
  service: null,
  staff: null,
  isStaffAway: false,
  place: nameOf("table", tableId),
});

type Found = Pick<VisitSummary, "service" | "staff"> & {
  code?: string;
  startsAt: number;
  customerRef: string | null;
};

/** Describes the visits with the first `limit` IDs, in order of start. */
export function summarizeVisits(
  rt: Runtime,
  { id: businessId, doc: { timezone } }: Pick<BusinessRow, "id" | "doc">,
  ids: readonly string[],
  limit = MAX_NAMED_VISITS,
): VisitSummary[] {
  // Preparing the queries below takes milliseconds, and most changes of a catalog affect no visit.
  if (ids.length === 0) return [];
  const nameOf = createCatalogNamer(rt, businessId);
  const { bookings, reservations } = rt.store;

  function find(id: string): Found | undefined {
    const booking = bookings.findById(businessId, id);
    if (booking)
      return {
        ...booking,
        service: booking.segments.map((segment) => describeService(nameOf, segment)).join(" + "),
        staff:
          [...new Set(booking.segments.map((one) => one.staffName ?? nameOf("staff", one.staffId)))]
            .filter((name) => name !== null)
            .join(" + ") || null,
      };
    const reservation = reservations.findById(businessId, id);
    if (reservation)
      return { ...reservation, service: nameOf("table", reservation.tableId), staff: null };
    const visit = askOtherVisits((kind) => kind.find(rt, businessId, id));
    const event =
      visit && rt.store.catalog.findByKeyOrId(businessId, "public_event", visit.eventId);
    return (
      visit && {
        code: visit.code,
        // The start of a deleted event is not known, so the time of the order stands in for it.
        startsAt: event?.startsAt ?? visit.createdAt,
        customerRef: visit.customerRef,
        service: nameOf("public_event", visit.eventId),
        staff: null,
      }
    );
  }

  const found = ids.slice(0, limit).flatMap((id) => {
    const visit = find(id);
    return visit === undefined ? [] : [{ id, visit }];
  });
  return found
    .toSorted((a, b) => a.visit.startsAt - b.visit.startsAt)
    .map(({ id, visit: { code, startsAt, customerRef, service, staff } }) => ({
      id,
      shortId: code ?? shortIdOf(id),
      startsAt: formatInstant(startsAt, timezone),
      guest: guestNameOf(rt, { id, customerRef }),
      service,
      staff,
    }));
}
