import { expect, test } from "vitest";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { listDay, summarizeVisits } from "../../../src/app/bookings/day-sheet.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { updateStaffMember } from "../../../src/app/catalog/staff.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia, leo] }]
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }]
tables: [{ key: two, name: Window, maxSeats: 2 }]
`;

function openDay() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const book = (staff: string) =>
    createBooking(rt, SLUG, { service: "cut", staff, start: "2026-12-01T10:00" });
  return { rt, mias: book("mia"), leos: book("leo") };
}

test("the day sheet lists all visits of a business by start, or only the bookings of a given staff member", () => {
  const { rt, mias, leos } = openDay();
  const table = createReservation(rt, SLUG, { party: 2, start: "2026-12-01T09:00" });
  const business = getBusiness(rt, SLUG);
  const idsOfDay = (staffId?: string) =>
    listDay(rt, business, "2026-12-01", staffId).map(({ id }) => id);
  expect(idsOfDay()).toEqual([table.id, mias.id, leos.id]);
  expect(idsOfDay(leos.segments[0]?.staffId ?? "")).toEqual([leos.id]);
});

test("the summary of a booking shows the staff member's name as it was at the time of booking", () => {
  const { rt, mias } = openDay();
  updateStaffMember(rt, SLUG, "mia", (doc) => ({ ...doc, name: "Maria" }), { add: [], remove: [] });
  expect(summarizeVisits(rt, getBusiness(rt, SLUG), [mias.id])).toMatchObject([
    { id: mias.id, service: "Cut", staff: "Mia" },
  ]);
});
