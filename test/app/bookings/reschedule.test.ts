import { expect, test } from "vitest";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { getBooking } from "../../../src/app/bookings/operator-changes.ts";
import { rescheduleBooking, rescheduleReservation } from "../../../src/app/bookings/reschedule.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { CATALOG_HEADER } from "../../support/catalog-file.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "09:00", end: "18:00" }]
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, staff: [mia, daniel] }]
staff: [{ key: mia, name: Mia }, { key: daniel, name: Daniel, public: false }]
`;

function openBooked() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const start = "2026-12-02T10:00";
  const { id } = createBooking(rt, SLUG, { service: "cut", staff: "mia", start });
  const staffId = objectId("staff", SLUG, { key: "daniel", previousKeys: [] });
  const read = () => getBooking(rt, getBusiness(rt, SLUG).id, id);
  const segments = read().segments.map((segment) => ({ ...segment, staffId }));
  return { rt, id, start, segments, read };
}

test("the operator moves a booking to a staff member who is not public", () => {
  const { rt, id, start, segments, read } = openBooked();
  rescheduleBooking(rt, SLUG, id, { start, segments });
  expect(read().segments).toMatchObject([{ staffName: "Daniel" }]);
});

test("a rescheduled booking keeps its price and currency unless the reschedule names new segments", () => {
  const { rt, id, segments, read } = openBooked();
  const text = CATALOG_HEADER.replace("USD", "JPY") + CATALOG.replace("40.00", "5000");
  applyCatalog(rt, [{ name: "catalog.yaml", text }], { acceptCurrencyChange: true });
  rescheduleBooking(rt, SLUG, id, { start: "2026-12-02T11:00" });
  expect(read()).toMatchObject({ totalCents: 4000, currency: "USD", currencyDigits: 2 });
  rescheduleBooking(rt, SLUG, id, { start: "2026-12-02T11:00", segments });
  expect(read()).toMatchObject({ totalCents: 5000, currency: "JPY", currencyDigits: 0 });
});

const TABLES = `
hours: [{ days: [mon-sun], start: "09:00", end: "22:00" }]
areas: [{ key: garden, name: Garden }, { key: hall, name: Hall }]
tables:
  - { key: g1, name: Garden 1, area: garden, minSeats: 1, maxSeats: 2 }
  - { key: h1, name: Hall 1, area: hall, minSeats: 1, maxSeats: 4 }
`;

test("the operator moves a reservation to another area if its own is closed", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, TABLES);
  const areaOf = (key: string) => objectId("area", SLUG, { key, previousKeys: [] });
  const { id, areaId } = createReservation(rt, SLUG, { party: 2, start: "2026-12-02T18:00" });
  expect(areaId).toBe(areaOf("garden"));
  applyCatalogBody(rt, TABLES.replace("name: Garden }", "name: Garden, status: INACTIVE }"));
  const moved = rescheduleReservation(rt, SLUG, id, { start: "2026-12-02T19:00" });
  expect(moved).toMatchObject({ areaId: areaOf("hall"), version: 2 });
});

test("the operator moves a reservation to another area if its own has no table for the party", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, TABLES);
  const areaOf = (key: string) => objectId("area", SLUG, { key, previousKeys: [] });
  const start = "2026-12-02T18:00";
  const { id } = createReservation(rt, SLUG, { party: 2, start });
  const move = (change: { area?: string | null; partySize?: number }) =>
    rescheduleReservation(rt, SLUG, id, { start, ...change });
  expect(() => move({ partySize: 4 })).toThrow(
    expect.objectContaining({
      message: "No table in this area seats 4; the largest seats 2.",
      fix: `deskbell reservations reschedule ${id} --start ${start} --party 4 --area any`,
    }),
  );
  expect(() => move({ partySize: 4, area: "garden" })).toThrow(
    expect.objectContaining({ code: "party_too_large", fix: undefined }),
  );
  expect(() => move({ area: "roof" })).toThrow("There is no area 'roof'.");
  expect(move({ partySize: 4, area: "hall" }).areaId).toBe(areaOf("hall"));
  expect(move({ partySize: 2 }).areaId).toBe(areaOf("hall"));
  expect(move({ area: null }).areaId).toBe(areaOf("garden"));
});
