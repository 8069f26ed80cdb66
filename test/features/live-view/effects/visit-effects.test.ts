import { expect, test } from "vitest";
import {
  bookServices,
  createBooking,
  createReservation,
} from "../../../../src/app/bookings/bookings.ts";
import { rescheduleBooking } from "../../../../src/app/bookings/reschedule.ts";
import { OPERATOR } from "../../../../src/app/bookings/access.ts";
import { catalogId } from "../../../../src/domain/ids.ts";
import { createKey } from "../../../../src/app/keys.ts";
import { edit } from "../../../support/edit-database.ts";
import { applyCatalogBody, eventTypesOf, recordEvents } from "../../../support/use-case.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";
import { openSession } from "../open-view.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia], bookingRules: { minNoticeMin: 0 } }
  - { key: dye, name: Dye, durationMin: 60, price: 90.00, staff: [mia], bookingRules: { requiresApproval: true } }
staff: [{ key: mia, name: Mia }]
tables: [{ key: t1, minSeats: 1, maxSeats: 4 }]
`;

// The clock of the test stands at 07:00 of this day in New York.
const DAY = "2026-11-20";

function openDay(options = {}) {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const start = (time: string) => ({ start: `${DAY}T${time}` });
  const customer = { name: "Ana Silva" };
  const cut = createBooking(rt, SLUG, { service: "cut", ...start("09:00"), customer }).id;
  const dye = createBooking(rt, SLUG, { service: "dye", ...start("11:00") }).id;
  const table = createReservation(rt, SLUG, { party: 2, ...start("13:00") }).id;
  const business = businessOf(rt);
  const pending = { ...rt.store.bookings.findById(business.id, dye)!, status: "PENDING" as const };
  rt.tx(() => rt.store.bookings.update({ ...pending, decideBy: pending.startsAt }));
  const view = openSession(rt, options);
  view.press("d");
  return { rt, view, cut, dye, table };
}

const businessOf = (rt: TestRuntime) => rt.store.businesses.findBySlug(SLUG)!;
const bookingOf = (rt: TestRuntime, id: string) =>
  rt.store.bookings.findById(businessOf(rt).id, id);

test("approving the selected visit asks first, and says that nobody informs the guest if no partner made the visit", () => {
  const { rt, view, dye } = openDay();
  view.press("j", "a");
  expect(view.text()).toContain("Approve - at 11:00? Nobody tells the guest.");
  expect(bookingOf(rt, dye)?.status).toBe("PENDING");
  const events = recordEvents(rt, () => view.press("y"));
  expect(eventTypesOf(events)).toEqual(["booking.updated"]);
  expect(bookingOf(rt, dye)?.status).toBe("CONFIRMED");
  expect(view.footer()).toBe(" Approved: - at 11:00.");
});

test("approving a visit that a partner made says that the partner is told", () => {
  const { rt, view, dye } = openDay();
  const owner = { businessId: businessOf(rt).id, name: "website", scopes: [] };
  const { key } = createKey(rt, { ...owner, kind: "SECRET" });
  edit(rt, `UPDATE booking SET created_by_key = '${key.id}' WHERE id = '${dye}'`);
  view.tick();
  view.press("j", "a");
  expect(view.text()).toContain("Approve - at 11:00? The partner that made the visit is told.");
});

test("the key x declines a pending visit and cancels a confirmed one, and both leave the day", () => {
  const { rt, view, cut, dye } = openDay();
  view.press("x");
  expect(view.text()).toContain("Cancel Ana Silva at 09:00?");
  view.press("y");
  expect(bookingOf(rt, cut)).toMatchObject({ status: "CANCELLED", cancelReason: null });
  view.press("x");
  expect(view.text()).toContain("Decline - at 11:00?");
  view.press("y");
  expect(bookingOf(rt, dye)).toMatchObject({ status: "CANCELLED", cancelReason: "DECLINED" });
  expect(view.text()).toContain(": 1 visit ");
});

test("a visit can be moved to a typed time of its day, even to a time outside the free slots", async () => {
  const { rt, view, cut } = openDay();
  view.press("m");
  view.type("10:10");
  view.press("enter");
  await expect.poll(view.footer).toBe(` Moved Ana Silva at 09:00 to ${DAY} 10:10.`);
  expect(bookingOf(rt, cut)?.startsAt).toBe(Date.parse(`${DAY}T10:10-05:00`));
});

test("a visit moves so that the service of the selected row starts at the typed time", async () => {
  const { rt, view } = openDay();
  const business = businessOf(rt);
  const segment = {
    serviceId: catalogId("svc", SLUG, "cut"),
    variantId: null,
    addons: [],
    staffId: null,
  };
  const { id } = rt.tx(() =>
    bookServices(rt, business, OPERATOR, {
      guest: { customerRef: null, customer: null },
      request: { guests: 1, segments: [segment, segment] },
      startsAt: Date.parse(`${DAY}T15:00-05:00`),
    }),
  );
  view.tick();
  view.press("G", "m");
  view.type("16:45");
  view.press("enter");
  await expect.poll(view.footer).toContain("Moved");
  const starts = bookingOf(rt, id)?.segments.map(({ startsAt }) => startsAt);
  expect(starts).toEqual([`${DAY}T16:15-05:00`, `${DAY}T16:45-05:00`].map(Date.parse));
});

test("a visit is not moved if somebody else has moved the selected service while the new time was typed", async () => {
  const { rt, view, cut } = openDay();
  view.press("m");
  view.type("10:00");
  const moved = Date.parse(`${DAY}T09:30-05:00`);
  rescheduleBooking(rt, SLUG, cut, { start: new Date(moved).toISOString(), ignoresNotice: true });
  view.press("enter");
  await expect.poll(view.text).toContain("The visit was moved meanwhile.");
  expect(bookingOf(rt, cut)?.startsAt).toBe(moved);
});

test("a reservation moves to a typed time, and a taken or invalid time is refused with the reason", async () => {
  const { rt, view, table } = openDay();
  view.press("G", "m");
  view.type("14:00");
  view.press("enter");
  await expect.poll(view.footer).toContain("Moved");
  expect(rt.store.reservations.findById(businessOf(rt).id, table)?.startsAt).toBe(
    Date.parse(`${DAY}T14:00-05:00`),
  );
  view.press("g", "m");
  view.type("11:15");
  view.press("enter");
  await expect.poll(view.text).toContain("it is already booked");
  view.press("m");
  view.type("soon");
  view.press("enter");
  await expect.poll(view.text).toContain("Invalid time 'soon'");
});

test("a keystroke records the outcome of a visit without a question, and another keystroke corrects the outcome", async () => {
  const { rt, view, cut } = openDay();
  view.press("c");
  await expect.poll(view.text).toContain("it has not started");
  rt.advance(3 * 3_600_000);
  view.tick();
  view.press("g", "n");
  expect(bookingOf(rt, cut)?.status).toBe("NO_SHOW");
  view.press("c");
  expect(bookingOf(rt, cut)?.status).toBe("COMPLETED");
});

test("the flag --readonly refuses to change visits", () => {
  const { view } = openDay({ isReadonly: true });
  for (const key of ["a", "x", "m", "c", "n"]) {
    view.press(key);
    expect(view.text()).toContain("changes of visits are disabled");
  }
});

test("the keyboard keys for visits do nothing on other screens", () => {
  const { view } = openDay();
  view.press("esc", "a");
  expect(view.footer()).toBe(" No visit is selected: d shows the day.");
});
