import { objectId } from "../../domain/catalog/object-id.ts";
import { outsideLine } from "../../domain/basic-schemas.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { parseTimeRange } from "../../domain/bookings/start-time.ts";
import type { VisitSummary } from "../../domain/bookings/affected-visits.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { TimeOffRow } from "../../store/bookings/time-off.ts";
import { getBusiness } from "../businesses.ts";
import { getStoredObject } from "../catalog/objects.ts";
import { publishChange } from "../catalog/publish.ts";
import { audit, auditTime } from "../audit.ts";
import { summarizeVisits } from "./day-sheet.ts";

export type TimeOffRequest = {
  staff: string;
  /** A date, or a date and time, in the business's time zone. */
  from: string;
  to: string;
  reason: string | null;
};

const REASON = outsideLine(200);

/**
 * Adds time off of a staff member. Existing bookings stay; `booked` has the IDs of the bookings
 * that `listVisitsIn` returns.
 * @throws AppError resource_not_found, invalid_date, validation_failed
 */
export const createTimeOff = (
  rt: Runtime,
  slug: string,
  request: TimeOffRequest,
): TimeOffRow & { booked: string[]; visits: VisitSummary[] } =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const row = addTimeOff(rt, business, parseTimeOff(rt, business, request));
    const booked = listVisitsIn(rt, business, row);
    return { ...row, booked, visits: summarizeVisits(rt, business, booked) };
  });

/**
 * Returns the IDs of the person's pending and confirmed bookings that overlap the time off, in
 * order of their start. Bookings that are over are left out, because time off can begin in the
 * past.
 */
export const listVisitsIn = (
  rt: Runtime,
  { id }: BusinessRow,
  { staffId, startsAt, endsAt }: Pick<TimeOffRow, "staffId" | "startsAt" | "endsAt">,
): string[] =>
  rt.store.bookings.listOverlappingOf(id, staffId, {
    startsAt: Math.max(startsAt, rt.now()),
    endsAt,
  });

type NewTimeOff = Pick<TimeOffRow, "staffId" | "startsAt" | "endsAt" | "reason">;

/** @throws AppError resource_not_found, invalid_date, validation_failed */
export function parseTimeOff(
  rt: Runtime,
  business: BusinessRow,
  { staff, from, to, reason }: TimeOffRequest,
): NewTimeOff {
  if (reason !== null && !REASON.safeParse(reason).success)
    throw new AppError("validation_failed", "The reason must be one line of 1 to 200 characters.");
  const person = getStoredObject(rt, business, "staff", staff);
  return {
    staffId: objectId("staff", business.slug, person),
    ...parseTimeRange(from, to, business.doc.timezone),
    reason,
  };
}

/** Adds time off and publishes that the free times changed. Call it in a transaction. */
export function addTimeOff(rt: Runtime, { id }: BusinessRow, added: NewTimeOff): TimeOffRow {
  const row = { id: rt.newId("tof"), ...added, createdAt: rt.now() };
  publishChange(rt, id, () => rt.store.timeOff.insert(id, row), {
    lists: [],
    affectsAvailability: true,
  });
  auditTimeOff(rt, "time_off.created", id, row);
  return row;
}

export function deleteTimeOff(rt: Runtime, slug: string, id: string): void {
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const row = assertFound(
      rt.store.timeOff.findById(business.id, id),
      `There is no time off '${id}'.`,
      "deskbell time-off list",
    );
    publishChange(rt, business.id, () => rt.store.timeOff.delete(id), {
      lists: [],
      affectsAvailability: true,
    });
    auditTimeOff(rt, "time_off.deleted", business.id, row);
  });
}

/**
 * Adds an entry to the audit log. It does not contain the reason, because the entry stays when the
 * time off is deleted.
 */
function auditTimeOff(
  rt: Runtime,
  action: "time_off.created" | "time_off.deleted",
  businessId: string,
  { id, staffId, startsAt, endsAt }: TimeOffRow,
): void {
  const person = rt.store.catalog.findByKeyOrId(businessId, "staff", staffId);
  audit(rt, {
    action,
    subject: { id, name: person?.name ?? staffId },
    businessId,
    details: { staffId, from: auditTime(startsAt), to: auditTime(endsAt) },
  });
}
