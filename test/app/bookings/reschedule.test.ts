import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { getBooking } from "../../../src/app/bookings/operator-changes.ts";
import { rescheduleBooking } from "../../../src/app/bookings/reschedule.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
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
