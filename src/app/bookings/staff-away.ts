import type { VisitSummary } from "../../domain/bookings/affected-visits.ts";
import type { Booking } from "../../domain/bookings/booking.ts";
import type { NamedSegment } from "../../domain/availability/request.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import type { TimeOffRow } from "../../store/bookings/time-off.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { OPERATOR } from "./access.ts";
import { getVisitToChange } from "./change-visit.ts";
import { createCatalogNamer, summarizeVisits } from "./day-sheet.ts";
import { planBooking } from "./plan-booking.ts";
import { moveBooking } from "./reschedule.ts";
import { addTimeOff, listVisitsIn, parseTimeOff, type TimeOffRequest } from "./time-off.ts";
import { BOOKING } from "./visit-kinds.ts";

/** A visit of a staff member who is away. */
export type AwayVisit = VisitSummary & {
  /** The names of the colleagues who are free at that time and perform the person's services. */
  couldTake: string[];
};

export type Away = {
  timeOff: TimeOffRow;
  /** The visits are in order of their start. */
  visits: AwayVisit[];
};

/**
 * Adds time off of a staff member, and returns the visits that `listAwayVisits` finds. Time off
 * that exists with the same start and end is not added again, so a repeated call lists the visits
 * that are left.
 * @throws AppError as `parseTimeOff`
 */
export const markAway = (rt: Runtime, slug: string, request: TimeOffRequest): Away =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const wanted = parseTimeOff(rt, business, request);
    const timeOff = findSameTimeOff(rt, business, wanted) ?? addTimeOff(rt, business, wanted);
    return { timeOff, visits: listAwayVisits(rt, business, timeOff) };
  });

/**
 * Returns the visits that overlap the time off of a staff member and can still be moved, in order
 * of their start.
 */
export function listAwayVisits(
  rt: Runtime,
  business: BusinessRow,
  timeOff: TimeOffRow,
): AwayVisit[] {
  const { staffId } = timeOff;
  const ids = listVisitsIn(rt, business, timeOff);
  return summarizeVisits(rt, business, ids, ids.length).map((visit) => ({
    ...visit,
    couldTake: listColleagues(rt, business, visit.id, staffId),
  }));
}

const findSameTimeOff = (
  rt: Runtime,
  { id }: BusinessRow,
  wanted: Pick<TimeOffRow, "staffId" | "startsAt" | "endsAt">,
): TimeOffRow | undefined =>
  rt.store.timeOff
    .listEndingAfter(id, wanted.startsAt)
    .find(
      (row) =>
        row.staffId === wanted.staffId &&
        row.startsAt === wanted.startsAt &&
        row.endsAt === wanted.endsAt,
    );

/**
 * Returns the names of the colleagues who can take over a staff member's services in a booking, or
 * the whole session of a class in which the booking has a place.
 */
function listColleagues(
  rt: Runtime,
  business: BusinessRow,
  bookingId: string,
  staffId: string,
): string[] {
  const booking = rt.store.bookings.findById(business.id, bookingId);
  if (booking === undefined) return [];
  const session = listSession(rt, business, booking, staffId);
  return listOthers(rt, business, staffId).flatMap(({ id, name }) =>
    canTake(rt, business, [booking], staffId, id) || canTake(rt, business, session, staffId, id)
      ? [name]
      : [],
  );
}

/** Returns the staff of a business except one person. */
const listOthers = (
  rt: Runtime,
  { id: businessId, slug }: BusinessRow,
  staffId: string,
): { id: string; name: string }[] =>
  rt.store.catalog
    .listByKind(businessId, "staff")
    .map((person) => ({ id: objectId("staff", slug, person), name: person.name }))
    .filter(({ id }) => id !== staffId);

/**
 * Returns the open bookings that have places in the same session of a class with a staff member,
 * beginning with the given one.
 */
function listSession(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  booking: Booking,
  staffId: string,
): [Booking, ...Booking[]] {
  const own = booking.segments.filter((segment) => segment.staffId === staffId);
  const isShared = ({ segments }: Booking): boolean =>
    segments.some((one) =>
      own.some(
        ({ serviceId, startsAt, endsAt }) =>
          one.staffId === staffId &&
          one.serviceId === serviceId &&
          one.startsAt === startsAt &&
          one.endsAt === endsAt,
      ),
    );
  const others = rt.store.bookings
    .listOverlappingOf(businessId, staffId, booking)
    .filter((id) => id !== booking.id)
    .flatMap((id) => rt.store.bookings.findById(businessId, id) ?? [])
    .filter(isShared);
  return [booking, ...others];
}

/** @param to the ID of the new staff member; null for anyone who is free */
const withStaff = ({ segments }: Booking, from: string, to: string | null): NamedSegment[] =>
  segments.map((segment) => (segment.staffId === from ? { ...segment, staffId: to } : segment));

/**
 * Returns whether a colleague is free for bookings of one session. The person and the resources of
 * the session count as free, because the colleague takes the whole session.
 */
function canTake(
  rt: Runtime,
  business: BusinessRow,
  session: readonly [Booking, ...Booking[]],
  from: string,
  to: string,
): boolean {
  const [first] = session;
  try {
    planBooking(rt, business, {
      audience: "INTERNAL",
      request: {
        segments: withStaff(first, from, to),
        guests: session.reduce((sum, { guests }) => sum + guests, 0),
      },
      startsAt: first.startsAt,
      except: session.map(({ id }) => id),
      ignoresNotice: true,
    });
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * Gives each visit to colleagues who are free at its time. Each visit has a transaction of its own,
 * so a visit that nobody can take does not hold up other visits. A visit that nobody can take alone
 * is given to a colleague together with its session: the others of a class occupy its room. Times
 * and prices stay.
 * @returns the names of the colleagues by the ID of each visit that was moved
 */
export function reassignVisits(
  rt: Runtime,
  slug: string,
  { timeOff: { staffId }, visits }: Away,
): Map<string, string[]> {
  const moved = new Map<string, string[]>();
  for (const { id } of visits) {
    if (moved.has(id)) continue;
    const names = tryToMove(rt, () => moveVisit(rt, slug, id, staffId, null));
    if (names !== null) moved.set(id, names);
    else for (const one of moveSession(rt, slug, id, staffId)) moved.set(...one);
  }
  return moved;
}

/** Runs moves in a transaction. Returns null if a rule forbids one of them, and then moves none. */
function tryToMove<T>(rt: Runtime, move: () => T): T | null {
  try {
    return rt.tx(move);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Gives all bookings of a session to the first colleague who can take them. Returns the colleague's
 * name by the ID of each booking; empty if nobody can, or if the booking has no session.
 */
function moveSession(
  rt: Runtime,
  slug: string,
  bookingId: string,
  staffId: string,
): [id: string, names: string[]][] {
  const business = getBusiness(rt, slug);
  const booking = rt.store.bookings.findById(business.id, bookingId);
  const session = booking === undefined ? [] : listSession(rt, business, booking, staffId);
  if (session.length < 2) return [];
  const ids = session.map(({ id }) => id);
  for (const { id: colleagueId } of listOthers(rt, business, staffId)) {
    const moved = tryToMove(rt, () =>
      ids.map((id, i): [string, string[]] => [
        id,
        moveVisit(rt, slug, id, staffId, colleagueId, ids.slice(i + 1)),
      ]),
    );
    if (moved !== null) return moved;
  }
  return [];
}

/**
 * Gives a staff member's services in a booking to somebody else, and returns the names. Call it in
 * a transaction.
 * @param to the ID of the new staff member; null for anyone who is free
 * @param together the IDs of bookings that are moved later in the same transaction
 * @throws AppError if nobody is free or the visit has ended meanwhile
 */
function moveVisit(
  rt: Runtime,
  slug: string,
  id: string,
  from: string,
  to: string | null,
  together: readonly string[] = [],
): string[] {
  const business = getBusiness(rt, slug);
  const before = getVisitToChange(rt, BOOKING, business, OPERATOR, id);
  const after = moveBooking(rt, business, OPERATOR, before, {
    startsAt: before.startsAt,
    segments: withStaff(before, from, to),
    changesStaffOnly: true,
    ignoresNotice: true,
    together,
  });
  const nameOf = createCatalogNamer(rt, business.id);
  const names = after.segments.flatMap(({ staffId: newId }, i) =>
    before.segments[i]?.staffId === from && newId !== from ? (nameOf("staff", newId) ?? []) : [],
  );
  return [...new Set(names)];
}
