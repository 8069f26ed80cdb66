import type { Visit } from "../../src/domain/bookings/visit.ts";

/** The columns of a confirmed visit that the operator made. */
export const confirmedVisit = (startsAt: number, createdAt = 0): Omit<Visit, "id" | "endsAt"> => ({
  status: "CONFIRMED",
  startsAt,
  customerRef: null,
  createdByKey: null,
  cancelUntil: startsAt,
  decideBy: null,
  cancelledBy: null,
  cancelReason: null,
  version: 1,
  createdAt,
  updatedAt: createdAt,
});

/** Of a segment without names. */
export const NO_NAMES = { serviceName: null, variantName: null, staffName: null };
