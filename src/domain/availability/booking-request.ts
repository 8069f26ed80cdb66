import type { PublicSlot } from "./public-slot.ts";
import type { NamedRequest } from "./request.ts";

/** Returns the slot with the body of a request that books it. */
export const withBookingRequest = (slot: PublicSlot, request: NamedRequest): PublicSlot => ({
  ...slot,
  bookingRequest: toBookingRequest(slot, request),
});

function toBookingRequest({ startsAt, segments }: PublicSlot, request: NamedRequest) {
  if ("partySize" in request)
    return {
      startsAt,
      partySize: request.partySize,
      ...(request.areaId !== null && { areaId: request.areaId }),
    };
  return {
    startsAt,
    segments: segments.flatMap((segment) =>
      "serviceId" in segment
        ? {
            serviceId: segment.serviceId,
            variantId: segment.variantId,
            addons: segment.addons,
            staffId: segment.staffId,
          }
        : [],
    ),
    ...(request.guests > 1 && { guests: request.guests }),
  };
}
