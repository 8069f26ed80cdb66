import type { Runtime } from "../../src/app/runtime.ts";
import type { Hold } from "../../src/domain/bookings/hold.ts";
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

/** Returns the row of a hold of a table that its key has released. */
export const releasedHold = (id: string, keyId: string, createdAt: number): Hold => ({
  id,
  keyId,
  visitor: null,
  status: "RELEASED",
  startsAt: createdAt,
  endsAt: createdAt + 1,
  segments: [],
  guests: 2,
  areaId: null,
  tableId: "tbl_1",
  totalCents: 0,
  currency: "EUR",
  currencyDigits: 2,
  requiresApproval: false,
  cancelUntil: createdAt,
  bookingId: null,
  reservationId: null,
  expiresAt: createdAt,
  createdAt,
});

/** The fields of a segment without names. */
export const NO_NAMES = { serviceName: null, variantName: null, staffName: null };

/** Returns a runtime with a bug, for negative controls: each search for visits overlooks one. */
export function overlookOneVisit(rt: Runtime): Runtime {
  const { bookings, reservations } = rt.store;
  const store = {
    ...rt.store,
    bookings: {
      ...bookings,
      listBusySegments: (...search: Parameters<typeof bookings.listBusySegments>) =>
        bookings.listBusySegments(...search).slice(1),
    },
    reservations: {
      ...reservations,
      listBusy: (...search: Parameters<typeof reservations.listBusy>) =>
        reservations.listBusy(...search).slice(1),
    },
  };
  return { ...rt, store };
}
