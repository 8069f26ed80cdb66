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

/** Returns the names of the colleagues who can take over a staff member's services in a booking. */
function listColleagues(
  rt: Runtime,
  business: BusinessRow,
  bookingId: string,
  staffId: string,
): string[] {
  const booking = rt.store.bookings.findById(business.id, bookingId);
  if (booking === undefined) return [];
  const { slug } = business;
  return rt.store.catalog.listByKind(business.id, "staff").flatMap((person) => {
    const colleagueId = objectId("staff", slug, person);
    if (colleagueId === staffId) return [];
    return canBePlanned(rt, business, booking, withStaff(booking, staffId, colleagueId))
      ? [person.name]
      : [];
  });
}

/** @param to the ID of the new staff member; null for anyone who is free */
const withStaff = ({ segments }: Booking, from: string, to: string | null): NamedSegment[] =>
  segments.map((segment) => (segment.staffId === from ? { ...segment, staffId: to } : segment));

function canBePlanned(
  rt: Runtime,
  business: BusinessRow,
  { id, guests, startsAt }: Booking,
  segments: readonly NamedSegment[],
): boolean {
  try {
    planBooking(rt, business, {
      audience: "INTERNAL",
      request: { segments, guests },
      startsAt,
      except: id,
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
 * so a visit that nobody can take does not hold up other visits. Times and prices stay.
 * @returns the names of the colleagues by the ID of each visit that was moved
 */
export function reassignVisits(
  rt: Runtime,
  slug: string,
  { timeOff, visits }: Away,
): Map<string, string[]> {
  const moved = new Map<string, string[]>();
  for (const { id } of visits) {
    const names = tryReassign(rt, slug, id, timeOff.staffId);
    if (names !== null) moved.set(id, names);
  }
  return moved;
}

/**
 * Returns the names of the colleagues; null if nobody is free or the visit has ended meanwhile.
 */
function tryReassign(rt: Runtime, slug: string, id: string, staffId: string): string[] | null {
  try {
    return rt.tx(() => {
      const business = getBusiness(rt, slug);
      const before = getVisitToChange(rt, BOOKING, business, OPERATOR, id);
      const after = moveBooking(rt, business, OPERATOR, before, {
        startsAt: before.startsAt,
        segments: withStaff(before, staffId, null),
        changesStaffOnly: true,
        ignoresNotice: true,
      });
      const nameOf = createCatalogNamer(rt, business.id);
      const names = after.segments.flatMap(({ staffId: newId }, i) =>
        before.segments[i]?.staffId === staffId && newId !== staffId
          ? (nameOf("staff", newId) ?? [])
          : [],
      );
      return [...new Set(names)];
    });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
