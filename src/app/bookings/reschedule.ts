import { deepEqual } from "../../domain/equality.ts";
import type { NamedSegment } from "../../domain/availability/request.ts";
import type { Audience } from "../../domain/availability/catalog-lookup.ts";
import {
  type BookedSegment,
  type Booking,
  type PublicBooking,
  toPublicBooking,
} from "../../domain/bookings/booking.ts";
import {
  type PublicReservation,
  type Reservation,
  toPublicReservation,
} from "../../domain/bookings/reservation.ts";
import { parseStartTime } from "../../domain/bookings/start-time.ts";
import {
  assertActionAllowed,
  stateAfterReschedule,
  type Visit,
} from "../../domain/bookings/visit.ts";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { formatInstant } from "../../domain/local-time.ts";
import { auditVisit, auditIgnoredNotice, type StartOptions } from "./audit-visit.ts";
import { notifyMoved } from "./booking-alerts.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { audienceOf, OPERATOR, initiatorOf, type VisitAccess } from "./access.ts";
import { getVisitToChange, nextVersion, publishVisit, nameVisit } from "./change-visit.ts";
import { planBooking, planReservation, totalOf, type VisitTerms } from "./plan-booking.ts";
import { BOOKING, RESERVATION, type VisitKind } from "./visit-kinds.ts";

type NewTime = StartOptions & {
  /** Epoch milliseconds. */
  startsAt: number;
};

type NewBookingTime = NewTime & {
  /** The new segments. If they are undefined, the services, the staff and the price stay. */
  segments?: readonly NamedSegment[] | undefined;
  /**
   * Whether the new segments and the booked ones differ only in their staff. The names and prices
   * at the time of booking then stay, and the services need not be public.
   */
  changesStaffOnly?: boolean;
  /**
   * The IDs of bookings that are moved later in the same transaction, so that their present times
   * count as free.
   */
  together?: readonly string[];
};

/**
 * Moves a booking, and returns it. Call it in a transaction, in which the old time becomes free and
 * the new time is taken.
 * @throws AppError wrong_status, cancellation_closed, and those of `planBooking`
 */
export function moveBooking(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  before: Booking,
  {
    startsAt,
    segments,
    ignoresNotice,
    changesStaffOnly = segments === undefined,
    together = [],
  }: NewBookingTime,
): Booking {
  assertMayReschedule(rt, BOOKING, access, before);
  const { guests } = before;
  // If the services stay, they need not be public: they may have been hidden since they were
  // booked.
  const audience: Audience = changesStaffOnly ? "INTERNAL" : audienceOf(access);
  const terms = planBooking(rt, business, {
    audience,
    request: { segments: segments ?? before.segments, guests },
    startsAt,
    except: [before.id, ...together],
    ignoresNotice,
  });
  const booked = changesStaffOnly ? withOldTerms(before.segments, terms.segments) : terms.segments;
  // Old prices are in the currency of the booking, and new prices in the currency of the catalog.
  const { currency, currencyDigits } = changesStaffOnly ? before : terms;
  // A change that changes nothing needs no new approval.
  if (startsAt === before.startsAt && deepEqual(booked, before.segments)) return before;
  const after = withNewTime(rt, BOOKING, business, access, before, terms, {
    ...before,
    segments: booked,
    totalCents: totalOf(booked, guests),
    currency,
    currencyDigits,
  });
  rt.store.bookings.reschedule(business.id, after);
  publishVisit(rt, BOOKING, business, before, after);
  notifyMoved(rt, business, access, BOOKING, after);
  auditRescheduled(rt, BOOKING, business, before, after);
  return after;
}

/** Returns the planned segments with the names and prices at the time of booking. */
const withOldTerms = (
  before: readonly BookedSegment[],
  planned: readonly BookedSegment[],
): BookedSegment[] =>
  planned.map((segment, i) => ({
    ...segment,
    ...(before[i] && {
      priceCents: before[i].priceCents,
      serviceName: before[i].serviceName,
      variantName: before[i].variantName,
      ...(before[i].staffId === segment.staffId && { staffName: before[i].staffName }),
    }),
  }));

/**
 * Moves a reservation, and returns it; the table is chosen again. Call it in a transaction.
 * @param change undefined fields keep their value
 */
export function moveReservation(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  before: Reservation,
  change: NewTime & { partySize?: number | undefined; areaId?: string | null | undefined },
): Reservation {
  assertMayReschedule(rt, RESERVATION, access, before);
  const { partySize = before.partySize, areaId = before.areaId, startsAt, ignoresNotice } = change;
  const terms = planReservation(rt, business, {
    // If the area stays, it need not be public: it may have been hidden since it was reserved.
    audience: change.areaId === undefined ? "INTERNAL" : audienceOf(access),
    request: { partySize, areaId },
    startsAt,
    except: [before.id],
    ignoresNotice,
  });
  const table = { partySize, areaId: terms.areaId, tableId: terms.tableId };
  const { endsAt } = terms;
  if (deepEqual({ ...before, startsAt, endsAt, ...table }, before)) return before;
  const after = withNewTime(rt, RESERVATION, business, access, before, terms, {
    ...before,
    ...table,
  });
  rt.store.reservations.reschedule(business.id, after);
  publishVisit(rt, RESERVATION, business, before, after);
  notifyMoved(rt, business, access, RESERVATION, after);
  auditRescheduled(rt, RESERVATION, business, before, after);
  return after;
}

function auditRescheduled<Row extends Visit>(
  rt: Runtime,
  { noun }: VisitKind<Row>,
  business: BusinessRow,
  before: Row,
  after: Row,
): void {
  const from = formatInstant(before.startsAt, business.doc.timezone);
  auditVisit(rt, business, `${noun}.rescheduled`, after, { from });
}

function assertMayReschedule<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  access: VisitAccess,
  row: Row,
): void {
  assertActionAllowed(nameVisit(kind, row), row, "reschedule", initiatorOf(access), rt.now());
}

/**
 * Returns the next version of a visit, with the time, deadlines and state after the reschedule.
 * @param row the visit with all changes other than these
 */
function withNewTime<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  business: BusinessRow,
  access: VisitAccess,
  before: Row,
  { startsAt, endsAt, cancelUntil, requiresApproval }: VisitTerms,
  row: Row,
): Row {
  const initiator = initiatorOf(access);
  const needsApproval = requiresApproval || access.needsApproval === true;
  const state = stateAfterReschedule(before, initiator, needsApproval, startsAt, rt.now());
  return nextVersion(rt, kind.store(rt), business.id, {
    ...row,
    startsAt,
    endsAt,
    cancelUntil,
    ...state,
  });
}

/**
 * Moves a booking as the operator.
 * @param start a time as in `createBooking`
 */
export const rescheduleBooking = (
  rt: Runtime,
  slug: string,
  id: string,
  {
    start,
    segments,
    ignoresNotice,
  }: StartOptions & { start: string; segments?: readonly NamedSegment[] | undefined },
): PublicBooking =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const { timezone } = business.doc;
    const before = getVisitToChange(rt, BOOKING, business, OPERATOR, id);
    const startsAt = parseStartTime(start, timezone);
    const change = { startsAt, segments, ignoresNotice };
    const after = moveBooking(rt, business, OPERATOR, before, change);
    if (ignoresNotice) auditIgnoredNotice(rt, business, "booking", after);
    return toPublicBooking(after, timezone);
  });

/**
 * Returns the area in which a reservation stays if its guest or the operator moves it; null, for
 * any area, if guests can no longer reserve tables of the present one.
 */
export function findKeptArea(
  rt: Runtime,
  { id }: BusinessRow,
  { areaId }: Pick<Reservation, "areaId">,
): string | null {
  const area = areaId && rt.store.catalog.findByKeyOrId(id, "area", areaId);
  return area && area.status === "ACTIVE" ? areaId : null;
}

/**
 * Runs a change of a reservation.
 * @param fix the fix of the error if all tables of the present area are too small; null if the change
 *   does not keep this area
 */
export function explainKeptArea<T>(fix: string | null, change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (fix === null || !(error instanceof AppError) || error.code !== "party_too_large")
      throw error;
    const { code, message, issues, extensions } = error;
    throw new AppError(code, message, { fix, issues, extensions });
  }
}

/**
 * Moves a reservation as the operator.
 * @param area the key or ID of the new area; null for any area. If it is undefined, the reservation
 *   stays in its area
 */
export const rescheduleReservation = (
  rt: Runtime,
  slug: string,
  id: string,
  {
    start,
    partySize,
    area,
    ignoresNotice,
  }: StartOptions & {
    start: string;
    partySize?: number | undefined;
    area?: string | null | undefined;
  },
): PublicReservation =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const { timezone } = business.doc;
    const before = getVisitToChange(rt, RESERVATION, business, OPERATOR, id);
    const startsAt = parseStartTime(start, timezone);
    const areaId = area === undefined ? findKeptArea(rt, business, before) : area;
    const change = { startsAt, partySize, areaId, ignoresNotice };
    const party = partySize === undefined ? "" : ` --party ${partySize}`;
    const ofNotice = ignoresNotice ? " --ignore-notice" : "";
    const fix =
      area === undefined && areaId !== null
        ? `deskbell reservations reschedule ${before.id} --start ${shellQuote(start)}${party} --area any${ofNotice}`
        : null;
    const after = explainKeptArea(fix, () =>
      moveReservation(rt, business, OPERATOR, before, change),
    );
    if (ignoresNotice) auditIgnoredNotice(rt, business, "reservation", after);
    return toPublicReservation(after, timezone);
  });
