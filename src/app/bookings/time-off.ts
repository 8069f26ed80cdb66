import { objectId } from "../../domain/catalog/object-id.ts";
import { outsideLine } from "../../domain/basic-schemas.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { parseTimeRange } from "../../domain/bookings/start-time.ts";
import type { VisitSummary } from "../../domain/bookings/affected-visits.ts";
import type { Runtime } from "../runtime.ts";
import type { TimeOffRow } from "../../store/bookings/time-off.ts";
import { getBusiness } from "../businesses.ts";
import { getStoredObject } from "../catalog/objects.ts";
import { publishChange } from "../catalog/publish.ts";
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
 * Adds time off of a staff member. Existing bookings stay; `booked` has the IDs of the person's
 * bookings that overlap the time off.
 * @throws AppError resource_not_found, invalid_date, validation_failed
 */
export function createTimeOff(
  rt: Runtime,
  slug: string,
  request: TimeOffRequest,
): TimeOffRow & { booked: string[]; visits: VisitSummary[] } {
  if (request.reason !== null && !REASON.safeParse(request.reason).success)
    throw new AppError("validation_failed", "The reason must be one line of 1 to 200 characters.");
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const staffId = objectId("staff", slug, getStoredObject(rt, business, "staff", request.staff));
    const range = parseTimeRange(request.from, request.to, business.doc.timezone);
    const row = {
      id: rt.newId("tof"),
      staffId,
      ...range,
      reason: request.reason,
      createdAt: rt.now(),
    };
    publishChange(rt, business.id, () => rt.store.timeOff.insert(business.id, row), {
      lists: [],
      affectsAvailability: true,
    });
    const booked = rt.store.bookings.listOverlappingOf(business.id, staffId, range);
    return { ...row, booked, visits: summarizeVisits(rt, business, booked) };
  });
}

export function deleteTimeOff(rt: Runtime, slug: string, id: string): void {
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    assertFound(
      rt.store.timeOff.findById(business.id, id),
      `There is no time off '${id}'.`,
      "deskbell time-off list",
    );
    publishChange(rt, business.id, () => rt.store.timeOff.delete(id), {
      lists: [],
      affectsAvailability: true,
    });
  });
}
