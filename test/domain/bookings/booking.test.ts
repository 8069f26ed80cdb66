import { expect, test } from "vitest";
import { bookingUpdatedEvent, type PublicBooking } from "../../../src/domain/bookings/booking.ts";
import {
  type PublicReservation,
  reservationUpdatedEvent,
} from "../../../src/domain/bookings/reservation.ts";

const times = { startsAt: "2026-12-01T10:00:00-05:00", endsAt: "2026-12-01T11:00:00-05:00" };
const later = { startsAt: "2026-12-01T12:00:00-05:00", endsAt: "2026-12-01T13:00:00-05:00" };
const record = {
  status: "CONFIRMED",
  customerRef: null,
  cancelUntil: times.startsAt,
  decideBy: null,
  cancelledBy: null,
  cancelReason: null,
  version: 1,
  createdAt: times.startsAt,
  updatedAt: times.startsAt,
} as const;
const segment = {
  serviceName: "Cut",
  variantName: null,
  staffName: "Mia",
  serviceId: "svc_cut",
  variantId: null,
  addons: [],
  staffId: "stf_mia",
  priceCents: 5000,
  ...times,
};
const booking: PublicBooking = {
  id: "bkg_1",
  ...record,
  ...times,
  segments: [segment],
  guests: 1,
  totalCents: 5000,
  currency: "USD",
};
const reservation: PublicReservation = {
  id: "rsv_1",
  ...record,
  partySize: 2,
  ...times,
  areaId: null,
  tableId: "tbl_1",
};

test.each<[string, Partial<PublicBooking>, string[]]>([
  ["a completed visit", { status: "COMPLETED" }, ["status"]],
  ["a new time", { ...later, segments: [{ ...segment, ...later }] }, ["schedule"]],
  ["a new time of one segment", { segments: [{ ...segment, ...later }] }, ["schedule"]],
  ["another staff member", { segments: [{ ...segment, staffId: "stf_leo" }] }, ["staff"]],
  [
    "an add-on",
    { segments: [{ ...segment, addons: [{ addonId: "adn_1", quantity: 1 }] }] },
    ["services"],
  ],
  ["more guests", { guests: 2, totalCents: 10_000 }, ["guests", "price"]],
  ["a customer reference", { customerRef: "web-1", version: 2 }, []],
])("the event of a changed booking has exactly the flags of %s", (_change, change, flags) => {
  const after = { ...booking, ...change };
  expect(bookingUpdatedEvent(booking, after)).toMatchObject({ object: after, changed: flags });
});

test.each<[string, Partial<PublicReservation>, string[]]>([
  ["a completed visit", { status: "COMPLETED" }, ["status"]],
  ["a new time", later, ["schedule"]],
  ["another table", { tableId: "tbl_2" }, ["table"]],
  ["a larger party", { partySize: 3 }, ["partySize"]],
  ["a customer reference", { customerRef: "web-1", version: 2 }, []],
])("the event of a changed reservation has exactly the flags of %s", (_change, change, flags) => {
  const after = { ...reservation, ...change };
  expect(reservationUpdatedEvent(reservation, after)).toMatchObject({
    object: after,
    changed: flags,
  });
});
