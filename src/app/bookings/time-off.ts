import { objectId } from "../../domain/catalog/object-id.ts";
import { line } from "../../domain/catalog/file/values.ts";
import { AppError } from "../../domain/errors.ts";
import { parseTimeRange } from "../../domain/bookings/start-time.ts";
import type { Runtime } from "../runtime.ts";
import type { TimeOffRow } from "../../store/time-off.ts";
import { getBusiness } from "../businesses.ts";
import { getObject } from "../catalog/objects.ts";
import { publishChange } from "../catalog/publish.ts";
import { loadBookableCatalog } from "./bookable-catalog.ts";

export type TimeOffRequest = {
  staff: string;
  /** A date, or a date and time, on the business's clocks. */
  from: string;
  to: string;
  reason: string | null;
};

const REASON = line(200);

/**
 * Takes a person out of the plan for a while. Nothing that is booked is touched: `booked` tells how much of it falls into it.
 * @throws AppError resource_not_found, invalid_date, validation_failed
 */
export function createTimeOff(
  rt: Runtime,
  slug: string,
  request: TimeOffRequest,
): TimeOffRow & { booked: number } {
  if (request.reason !== null && !REASON.safeParse(request.reason).success)
    throw new AppError("validation_failed", "The reason must be one line of 1 to 200 characters.");
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const staffId = objectId(
      "staff",
      slug,
      getObject(loadBookableCatalog(rt, business), "staff", request.staff),
    );
    const span = parseTimeRange(request.from, request.to, business.doc.timezone);
    const row = {
      id: rt.newId("tof"),
      staffId,
      ...span,
      reason: request.reason,
      createdAt: rt.now(),
    };
    publishChange(rt, business.id, () => rt.store.timeOff.insert(business.id, row), {
      lists: [],
      affectsAvailability: true,
    });
    const taken = rt.store.bookings.busy(business.id, span.startsAt, span.endsAt);
    return { ...row, booked: taken.filter((segment) => segment.staffId === staffId).length };
  });
}

/** @throws AppError resource_not_found */
export function deleteTimeOff(rt: Runtime, slug: string, id: string): void {
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    if (!rt.store.timeOff.findById(business.id, id))
      throw new AppError("resource_not_found", `There is no time off '${id}'.`, {
        fix: "deskbell time-off list",
      });
    publishChange(rt, business.id, () => rt.store.timeOff.delete(id), {
      lists: [],
      affectsAvailability: true,
    });
  });
}
