import { describe, expect, test } from "vitest";
import { createReservation } from "../../../src/app/bookings/bookings.ts";
import { cancelReservation } from "../../../src/app/bookings/operator-changes.ts";
import {
  applyCatalogBody,
  recordEvents,
  captureError,
  eventTypesOf,
} from "../../support/use-case.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
areas: [{ key: hall, name: Hall }, { key: yard, name: Yard }]
tables:
  - { key: six, area: hall, minSeats: 3, maxSeats: 6 }
  - { key: two, area: hall, minSeats: 1, maxSeats: 2 }
  - { key: out, area: yard, minSeats: 1, maxSeats: 4 }
  - { key: shut, area: yard, minSeats: 1, maxSeats: 20, status: INACTIVE }
turnTimes: [{ upTo: 2, min: 90 }, { upTo: 6, min: 150 }]
`;

function openRestaurant(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  return rt;
}

type Input = Record<string, unknown>;
const at = (time: string): string => `2026-12-01T${time}`;
const reserve = (rt: TestRuntime, input: Input) =>
  createReservation(rt, SLUG, { party: 2, start: at("19:00"), ...input });

test("a reservation gets the smallest free table for the turn time, and one event is written", () => {
  const rt = openRestaurant();
  const created: unknown[] = [];
  const events = recordEvents(rt, () => created.push(reserve(rt, { customerRef: "Room 12" })));
  const id = expect.stringMatching(/^rsv_[0-9a-z]+$/);
  expect(created).toEqual([
    {
      id,
      status: "CONFIRMED",
      partySize: 2,
      startsAt: "2026-12-01T19:00:00-05:00",
      endsAt: "2026-12-01T20:30:00-05:00",
      areaId: expect.stringMatching(/^are_/),
      tableId: expect.stringMatching(/^tbl_/),
      customerRef: "Room 12",
      cancelUntil: "2026-12-01T19:00:00-05:00",
      decideBy: null,
      cancelledBy: null,
      cancelReason: null,
      version: 1,
      createdAt: "2026-11-20T07:00:00-05:00",
      updatedAt: "2026-11-20T07:00:00-05:00",
    },
  ]);
  expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: "reservation.created",
      data: {
        resource: { type: "reservation", id, ids: [id] },
        action: "created",
        changed: { status: true, schedule: true, table: true, partySize: true },
        object: created[0],
      },
    },
  ]);
  expect(reserve(rt, { party: 6 })).toMatchObject({ endsAt: "2026-12-01T21:30:00-05:00" });
});

describe("a reserved table", () => {
  test.each<[name: string, reserved: Input[], wanted: Input, isFree: boolean]>([
    ["cannot be reserved again", [{ table: "two" }], { table: "two" }, false],
    ["leaves the next larger table", [{}], {}, true],
    ["leaves nothing if it was the last suitable one", [{}, {}], {}, false],
    ["is free after its turn time", [{ table: "two" }], { table: "two", start: at("20:30") }, true],
    [
      "blocks a reservation that would overlap it",
      [{ table: "two" }],
      { table: "two", start: at("17:45") },
      false,
    ],
    [
      "allows a reservation that ends before it",
      [{ table: "two" }],
      { table: "two", start: at("17:30") },
      true,
    ],
    [
      "does not fall back to a table too large for the party",
      [{ table: "two" }],
      { area: "hall" },
      false,
    ],
  ])("a reserved table %s", (_name, reserved, wanted, isFree) => {
    const rt = openRestaurant();
    for (const input of reserved) reserve(rt, input);
    const events = recordEvents(rt, () =>
      expect(captureError(() => reserve(rt, wanted))).toMatch(
        isFree ? /^no error/ : /^slot_taken: No table for 2 is free at /,
      ),
    );
    expect(eventTypesOf(events)).toEqual(isFree ? ["reservation.created"] : []);
  });
});

test.each<[input: Input, message: RegExp]>([
  [{ party: 7 }, /^party_too_large: No table seats 7; the largest seats 6\.$/],
  [
    { party: 5, area: "yard" },
    /^party_too_large: No table in this area seats 5; the largest seats 4\.$/,
  ],
  [{ party: 2.5 }, /^validation_failed: 'party' must be a whole number/],
  [{ area: "gardn" }, /^resource_not_found: There is no area 'gardn'\./],
  [{ table: "twoo" }, /^resource_not_found: There is no table 'twoo'\. Did you mean 'two'\?$/],
  [{ start: "2026-11-20T06:45" }, /^slot_taken: No table for 2 is free at 2026-11-20T06:45: /],
  [{ start: "soon" }, /^invalid_date: /],
  [{ customerRef: "\u001b]0;owned\u0007" }, /^validation_failed: 'customerRef' must be one line/],
])("a reservation with %j is rejected and writes no event", (input, message) => {
  const rt = openRestaurant();
  expect(
    recordEvents(rt, () => expect(captureError(() => reserve(rt, input))).toMatch(message)),
  ).toEqual([]);
});

test("cancelling a reservation frees its table, raises its version and sends an event", () => {
  const rt = openRestaurant();
  const { id } = reserve(rt, { table: "two" });
  const [event, ...others] = recordEvents(rt, () => cancelReservation(rt, SLUG, id));
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    type: "reservation.cancelled",
    data: {
      changed: { status: true, schedule: false, table: false, partySize: false },
      object: { id, status: "CANCELLED", version: 2 },
    },
  });
  const { id: businessId } = rt.store.businesses.findBySlug(SLUG)!;
  expect(rt.store.reservations.findById(businessId, id)?.version).toBe(2);
  expect(reserve(rt, { table: "two" })).toMatchObject({ status: "CONFIRMED" });
  expect(recordEvents(rt, () => cancelReservation(rt, SLUG, id))).toEqual([]);
  expect(rt.store.reservations.findById(businessId, id)?.version).toBe(2);
});
