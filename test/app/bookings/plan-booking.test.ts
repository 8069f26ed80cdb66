import { describe, expect, test } from "vitest";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { rescheduleBooking, rescheduleReservation } from "../../../src/app/bookings/reschedule.ts";
import {
  applyCatalogBody,
  recordEvents,
  captureError,
  eventTypesOf,
} from "../../support/use-case.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

// The rules themselves are tested in test/domain/availability. These tests check that bookings
// apply all of them.

const CATALOG = `
hours: [{ days: [mon-sun], start: "09:00", end: "18:00" }]
closures: [{ date: 2026-12-08 }]
resources: [{ key: room, name: Room, capacity: 1 }]
services:
  - { key: cut, name: Cut, durationMin: 60, price: 40.00, staff: [mia], bufferAfterMin: 15 }
  - { key: sauna, name: Sauna, durationMin: 60, price: 20.00, resources: [{ resource: room, units: 1 }], capacity: 8 }
staff:
  - key: mia
    name: Mia
    breaks: [{ days: [mon-sun], start: "12:00", end: "13:00" }]
    timeOff: [{ from: 2026-12-10, to: 2026-12-10 }]
tables: [{ key: two, minSeats: 1, maxSeats: 2 }]
`;

const cut = (start: string, input = {}) => ({ service: "cut", start, ...input });

test.each<[reason: string, start: string]>([
  ["it is outside working hours", "2026-12-01T08:45"],
  ["it is outside working hours", "2026-12-01T17:15"],
  ["the business is closed", "2026-12-08T10:00"],
  ["it overlaps a break", "2026-12-01T11:15"],
  ["the staff member has time off", "2026-12-10T10:00"],
  ["visits start at other times", "2026-12-01T10:05"],
  ["the minimum notice is not met", "2026-11-20T07:45"],
  ["it is too far in the future", "2027-06-01T10:00"],
  ["it is already booked", "2026-12-02T10:30"],
  ["it is too close to another booking", "2026-12-02T11:00"],
])("a booking is refused and writes no event because %s (%s)", (reason, start) => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  createBooking(rt, "salon-aurora", cut("2026-12-02T10:00"));
  const events = recordEvents(rt, () =>
    expect(captureError(() => createBooking(rt, "salon-aurora", cut(start)))).toBe(
      `slot_taken: 'cut' is not available at ${start}: ${reason}.`,
    ),
  );
  expect(events).toEqual([]);
});

test.each([
  [1, "deskbell availability --service sauna --date 2026-12-08"],
  [3, "deskbell availability --service sauna --guests 3 --date 2026-12-08"],
])(
  "the refusal of a visit of %i guests names the command that finds times for as many guests",
  (guests, fix) => {
    const rt = createTestRuntime();
    applyCatalogBody(rt, CATALOG);
    const start = "2026-12-08T10:00";
    expect(() => createBooking(rt, "salon-aurora", { service: "sauna", start, guests })).toThrow(
      expect.objectContaining({ code: "slot_taken", fix: expect.stringContaining(fix) }),
    );
  },
);

describe("bookings that ignore the minimum notice", () => {
  const SLUG = "salon-aurora";
  const IGNORING = { ignoresNotice: true };

  function openInTheAfternoon() {
    const rt = createTestRuntime();
    applyCatalogBody(rt, CATALOG);
    // The time is 13:00 in the business's time zone.
    rt.advance(6 * 3_600_000);
    createBooking(rt, SLUG, cut("2026-12-02T10:00"));
    return rt;
  }

  test.each([
    ["without the minimum notice", "2026-11-20T13:00"],
    ["beyond the horizon", "2027-06-01T10:00"],
    ["between the usual times", "2026-12-01T10:05"],
  ])("the operator books and moves a visit %s, which is audited", (_case, start) => {
    const rt = openInTheAfternoon();
    expect(captureError(() => createBooking(rt, SLUG, cut(start)))).toMatch(/^slot_taken: /);
    const { id } = createBooking(rt, SLUG, cut(start), IGNORING);
    rescheduleBooking(rt, SLUG, id, { start: "2026-12-03T10:00" });
    const move = { start, ...IGNORING };
    expect(rescheduleBooking(rt, SLUG, id, move).startsAt).toContain(start);
    const table = createReservation(rt, SLUG, { party: 2, start }, IGNORING);
    rescheduleReservation(rt, SLUG, table.id, move);
    const entries = rt.store.audit
      .list({}, 10)
      .map(({ action, subjectId }) => `${action} ${subjectId}`);
    expect(entries.filter((entry) => entry.includes("ignored"))).toEqual([
      `reservation.notice_ignored ${table.id}`,
      `reservation.notice_ignored ${table.id}`,
      `booking.notice_ignored ${id}`,
      `booking.notice_ignored ${id}`,
    ]);
  });

  test.each([
    ["it is outside working hours", "2026-12-01T08:45"],
    ["the business is closed", "2026-12-08T10:00"],
    ["it overlaps a break", "2026-12-01T11:05"],
    ["the staff member has time off", "2026-12-10T10:00"],
    ["it is already booked", "2026-12-02T10:35"],
    ["it is too close to another booking", "2026-12-02T11:00"],
    ["it is before today", "2026-11-19T12:59"],
  ])("a booking that ignores the minimum notice is refused because %s (%s)", (reason, start) => {
    const rt = openInTheAfternoon();
    expect(captureError(() => createBooking(rt, SLUG, cut(start), IGNORING))).toBe(
      `slot_taken: 'cut' is not available at ${start}: ${reason}.`,
    );
  });

  test("ignoring the minimum notice does not free places and resources that are taken", () => {
    const rt = openInTheAfternoon();
    const start = "2026-12-01T10:05";
    createReservation(rt, SLUG, { party: 2, start }, IGNORING);
    const reserve = () =>
      createReservation(rt, SLUG, { party: 2, start: "2026-12-01T10:10" }, IGNORING);
    expect(captureError(reserve)).toContain("it is already booked");
    const sauna = (start: string, guests: number) =>
      createBooking(rt, SLUG, { service: "sauna", start, guests }, IGNORING);
    sauna(start, 5);
    expect(captureError(() => sauna(start, 4))).toContain("not enough places are left");
    expect(captureError(() => sauna("2026-12-01T10:10", 1))).toMatch(/^slot_taken: /);
  });
});

test("a booking can name services and staff by ID", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const { segments } = createBooking(rt, "salon-aurora", cut("2026-12-01T10:00", { staff: "mia" }));
  const { serviceId, staffId } = segments[0]!;
  expect(
    createBooking(rt, "salon-aurora", {
      service: serviceId,
      staff: staffId,
      start: "2026-12-01T14:00",
    }).segments,
  ).toMatchObject([{ serviceId, staffId }]);
});

test("a table is reserved only within opening hours and for parties it seats", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const reserve = (start: string, party: number) =>
    createReservation(rt, "salon-aurora", { party, start, table: "two" });
  expect(captureError(() => reserve("2026-12-01T17:00", 2))).toBe(
    "slot_taken: No table for 2 is free at 2026-12-01T17:00: it is outside working hours.",
  );
  expect(() => reserve("2026-12-01T17:00", 2)).toThrow(
    expect.objectContaining({ fix: "deskbell availability --party 2 --date 2026-12-01" }),
  );
  expect(captureError(() => reserve("2026-12-01T10:00", 3))).toMatch(/^party_too_large: /);
  expect(eventTypesOf(recordEvents(rt, () => reserve("2026-12-01T16:00", 2)))).toEqual([
    "reservation.created",
  ]);
});
