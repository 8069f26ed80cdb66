import {
  type Booking,
  type PublicBooking,
  toPublicBooking,
} from "../../domain/bookings/booking.ts";
import { type Hold, type PublicHold, toPublicHold } from "../../domain/bookings/hold.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";

// Visits as events and keys without `bookings.read` show them: staff members who are not public are
// left out.

export const toPartnerBooking = (
  rt: Runtime,
  business: BusinessRow,
  booking: Booking,
): PublicBooking =>
  withoutHiddenStaff(rt, business, toPublicBooking(booking, business.doc.timezone));

export const toPartnerHold = (rt: Runtime, business: BusinessRow, hold: Hold): PublicHold =>
  withoutHiddenStaff(rt, business, toPublicHold(hold, business.doc.timezone, rt.now()));

/** A staff member that was deleted is not public. */
export const isPublicStaff = (rt: Runtime, businessId: string, staffId: string): boolean =>
  rt.store.catalog.findByKeyOrId(businessId, "staff", staffId)?.public === true;

function withoutHiddenStaff<T extends Pick<PublicBooking, "segments">>(
  rt: Runtime,
  { id }: BusinessRow,
  object: T,
): T {
  return {
    ...object,
    segments: object.segments.map((segment) =>
      segment.staffId !== null && isPublicStaff(rt, id, segment.staffId)
        ? segment
        : { ...segment, staffId: null, staffName: null },
    ),
  };
}
