import { describe, expect, test } from "vitest";
import { cancelReservation, createReservation } from "../../../src/app/bookings/reservations.ts";
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

function restaurant(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  return rt;
}

type Input = Record<string, unknown>;
const at = (time: string): string => `2026-12-01T${time}`;
const reserve = (rt: TestRuntime, input: Input) =>
  createReservation(rt, SLUG, { party: 2, start: at("19:00"), ...input });

test("a reservation has the smallest table that is free, for as long as its party stays, and partners are told once", () => {
  const rt = restaurant();
  const made: unknown[] = [];
  const events = recordEvents(rt, () => made.push(reserve(rt, { customerRef: "Room 12" })));
  const id = expect.stringMatching(/^rsv_[0-9a-z]+$/);
  expect(made).toEqual([
    {
      id,
      status: "CONFIRMED",
      partySize: 2,
      startsAt: "2026-12-01T19:00:00-05:00",
      endsAt: "2026-12-01T20:30:00-05:00",
      areaId: expect.stringMatching(/^are_/),
      tableId: expect.stringMatching(/^tbl_/),
      customerRef: "Room 12",
    },
  ]);
  expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: "reservation.created",
      data: {
        resource: { type: "reservation", id, ids: [id] },
        action: "created",
        changed: { status: true, schedule: true },
        object: made[0],
      },
    },
  ]);
  expect(reserve(rt, { party: 6 })).toMatchObject({ endsAt: "2026-12-01T21:30:00-05:00" });
});

describe("a table that is taken", () => {
  test.each<[name: string, taken: Input[], wanted: Input, isFree: boolean]>([
    ["is not given twice", [{ table: "two" }], { table: "two" }, false],
    ["leaves the next larger one", [{}], {}, true],
    ["leaves nothing when it was the last that fits", [{}, {}], {}, false],
    [
      "is free again when its guests have gone",
      [{ table: "two" }],
      { table: "two", start: at("20:30") },
      true,
    ],
    [
      "is not given to who would stay too long",
      [{ table: "two" }],
      { table: "two", start: at("17:45") },
      false,
    ],
    ["may be had until then", [{ table: "two" }], { table: "two", start: at("17:30") }, true],
    [
      "is not given to a party that is too small for the next",
      [{ table: "two" }],
      { area: "hall" },
      false,
    ],
  ])("%s", (_name, taken, wanted, isFree) => {
    const rt = restaurant();
    for (const input of taken) reserve(rt, input);
    const events = recordEvents(rt, () =>
      expect(captureError(() => reserve(rt, wanted))).toMatch(
        isFree ? /^not refused/ : /^conflict: No table for 2 is free at /,
      ),
    );
    expect(eventTypesOf(events)).toEqual(isFree ? ["reservation.created"] : []);
  });
});

test.each<[input: Input, refusal: RegExp]>([
  [{ party: 7 }, /^party_too_large: No table seats 7; the largest seats 6\.$/],
  [{ party: 5, area: "yard" }, /^party_too_large: No table seats 5; the largest seats 4\.$/],
  [{ party: 2.5 }, /^validation_failed: 'party' must be a whole number/],
  [{ area: "gardn" }, /^resource_not_found: There is no area 'gardn'\./],
  [{ table: "twoo" }, /^resource_not_found: There is no table 'twoo'\. Did you mean 'two'\?$/],
  [{ start: "2026-11-20T06:45" }, /^conflict: No table for 2 is free at 2026-11-20T06:45: /],
  [{ start: "soon" }, /^invalid_date: /],
  [{ customerRef: "\u001b]0;owned\u0007" }, /^validation_failed: 'customerRef' must be one line/],
])("%j is refused, and nobody is told", (input, refusal) => {
  const rt = restaurant();
  expect(
    recordEvents(rt, () => expect(captureError(() => reserve(rt, input))).toMatch(refusal)),
  ).toEqual([]);
});

test("a cancelled reservation frees its table, and has no event", () => {
  const rt = restaurant();
  const { id } = reserve(rt, { table: "two" });
  expect(recordEvents(rt, () => cancelReservation(rt, SLUG, id))).toEqual([]);
  expect(reserve(rt, { table: "two" })).toMatchObject({ status: "CONFIRMED" });
  expect(captureError(() => cancelReservation(rt, SLUG, id))).toBe(
    `conflict: Reservation ${id} cannot be cancelled: its status is CANCELLED.`,
  );
});
