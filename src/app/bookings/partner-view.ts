import {
  type Booking,
  type PublicBooking,
  toPublicBooking,
} from "../../domain/bookings/booking.ts";
import { type Hold, type PublicHold, toPublicHold } from "../../domain/bookings/hold.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";

// As in events, and for keys without `bookings.read`: without staff members who are not public.

export const toPartnerBooking = (
  rt: Runtime,
  business: BusinessRow,
  booking: Booking,
): PublicBooking =>
  withoutHiddenStaff(rt, business, toPublicBooking(booking, business.doc.timezone));

export const toPartnerHold = (rt: Runtime, business: BusinessRow, hold: Hold): PublicHold =>
  withoutHiddenStaff(rt, business, toPublicHold(hold, business.doc.timezone, rt.now()));

function withoutHiddenStaff<T extends Pick<PublicBooking, "segments">>(
  rt: Runtime,
  { id }: BusinessRow,
  object: T,
): T {
  const isPublic = (staffId: string | null): boolean =>
    staffId !== null && rt.store.catalog.findByKeyOrId(id, "staff", staffId)?.public === true;
  return {
    ...object,
    segments: object.segments.map((segment) =>
      isPublic(segment.staffId) ? segment : { ...segment, staffId: null, staffName: null },
    ),
  };
}
