import { assert, pre, property } from "../../support/property.ts";
import { expect, test } from "vitest";
import {
  listRefusedStarts,
  checkStart,
  type DayListing,
  type DayState,
  listSlots,
  listStarts,
  type Slot,
} from "../../../src/domain/availability/slot.ts";
import { busyIntervalsOf } from "./booked-intervals.ts";
import { busyWindow } from "../../../src/domain/availability/busy-intervals.ts";
import { formatMinute } from "../../../src/domain/availability/wall-clock.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import type { BusyInterval } from "../../../src/domain/availability/request.ts";
import { formatInstant } from "../../../src/domain/local-time.ts";
import { buildResource, buildService, buildStaffMember } from "../../support/catalog-builders.ts";
import { chooseScale } from "../../support/scale.ts";
import { wallClockAt } from "./oracle-clock.ts";
import { type Oracle, createOracle, type Scenario } from "./oracle.ts";
import { createShop, dailyHours, listTestSlots, serviceRequest } from "./requests.ts";
import { isValidRequest, scenariosWithExtraBooking } from "./scenarios.ts";
import { ZONES } from "./time-zones.ts";

/**
 * The number of runs of each property. `npm run test:thorough` raises the number, and
 * test/proofs/simulate/machine-time-zone.test.ts sets it with `DESKBELL_RUNS`.
 */
const RUNS = Number(process.env["DESKBELL_RUNS"] ?? chooseScale(40, 250));
const TIMEOUT_MS = 60_000 + 100 * RUNS;

function checkScenarios(
  runs: number,
  check: (scenario: Scenario, extraBooking: BusyInterval[]) => void,
): void {
  const answered = property(scenariosWithExtraBooking, ({ scenario, extraBooking }) => {
    pre(isValidRequest(scenario));
    check(scenario, extraBooking);
  });
  assert(answered, { numRuns: Math.ceil(runs) });
}

const searchFor = ({ catalog, request, busyIntervals, nowMs }: Scenario) =>
  prepareSlotSearch(planResolvedRequest(catalog, request, nowMs), busyIntervals);
const listDays = (scenario: Scenario): DayListing[] => listSlots(searchFor(scenario));
// Slots are sorted by time, because two days can overlap: clocks in St John's once went back into
// the previous day.
const slotsOf = (days: DayListing[]): Slot[] =>
  days.flatMap(({ slots }) => slots).sort((a, b) => a.startMin - b.startMin);
const startsOf = (slots: { startMin: number }[]): number[] => slots.map(({ startMin }) => startMin);

test(
  "the listed slots and day states equal those of the oracle, an independent implementation of the rules",
  () => {
    checkScenarios(RUNS, (scenario) => {
      const oracle = createOracle(scenario);
      const days = listDays(scenario);
      const slots = slotsOf(days);
      expect(startsOf(slots)).toEqual(oracle.minutes.filter(oracle.isBookable));
      for (const slot of slots) checkSlot(slot, scenario, oracle);
      expect(days.map(({ date, state }) => `${date} ${state}`)).toEqual(statesOf(scenario, oracle));
    });
  },
  TIMEOUT_MS,
);

function checkSlot(slot: Slot, { catalog, request }: Scenario, oracle: Oracle): void {
  const candidates = slot.segments.map(({ staffKey, tableKey }) => staffKey ?? tableKey);
  let from = slot.startMin;
  let last: string | null = null;
  let changes = 0;
  for (const [i, segment] of slot.segments.entries()) {
    const candidate = candidates[i]!;
    const gap = segment.startMin - from;
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThanOrEqual(i === 0 ? 0 : catalog.business.bookingPolicy.maxGapMin);
    expect(segment.endMin - segment.startMin).toBe(oracle.durationOf(i, candidate));
    expect(oracle.fits(i, candidate, segment.startMin)).toBe(true);
    const able = oracle.candidatesAt(i, segment.startMin);
    expect(able).toContain(candidate);
    expect(segment.staffKeys).toEqual(
      "services" in request ? able.filter((key) => key !== null).sort() : [],
    );
    from = segment.endMin;
    if (candidate !== null && last !== null && candidate !== last) changes += 1;
    last = candidate ?? last;
  }
  expect(slot.endMin).toBe(from);
  expect(slot.spotsLeft).toBeGreaterThanOrEqual(1);
  expect(slot.spotsLeft).toBeLessThanOrEqual(slot.spotsTotal);
  expect(changes).toBe(oracle.fewestChanges(slot.startMin));
  const sizes = oracle
    .candidatesAt(0, slot.startMin)
    .map((key) => catalog.objects.table.find((t) => t.key === key)?.maxSeats);
  const chosen = catalog.objects.table.find(({ key }) => key === candidates[0])?.maxSeats;
  expect(chosen).toBe(
    "services" in request ? undefined : Math.min(...sizes.map((seats) => seats ?? 0)),
  );
}

/** Returns `date state` for each requested day, by the oracle. */
function statesOf(scenario: Scenario, oracle: Oracle): string[] {
  const { timezone } = scenario.catalog.business;
  let unbooked: Oracle | undefined;
  const state = (date: string): DayState => {
    const ofDay = oracle.minutes.filter((minute) => wallClockAt(timezone, minute).date === date);
    if (ofDay.some(oracle.isBookable)) return "OPEN";
    if (date > oracle.lastDate) return "TOO_FAR";
    if (ofDay.every(oracle.isTooSoon) && date < oracle.firstDate) return "TOO_SOON";
    unbooked ??= createOracle({ ...scenario, busyIntervals: [] });
    // `fewestChanges` is Infinity for a start at which the visit cannot be finished.
    const { fewestChanges } = unbooked;
    const starts = ofDay.filter((minute) => fewestChanges(minute) < Infinity);
    if (starts.length === 0) return "CLOSED";
    return starts.every(oracle.isTooSoon) ? "TOO_SOON" : "FULL";
  };
  const states: string[] = [];
  const { from, to } = scenario.request;
  for (
    let date = Temporal.PlainDate.from(from);
    date.toString() <= to;
    date = date.add({ days: 1 })
  )
    states.push(`${date} ${state(date.toString())}`);
  return states;
}

test(
  "every listed start can be booked, and every other start on the grid has a reason",
  () => {
    checkScenarios(RUNS / 2, (scenario) => {
      const open = searchFor(scenario);
      const oracle = createOracle(scenario);
      const days = listSlots(open);
      expect(listStarts(open).map(({ starts }) => starts)).toEqual(
        days.map(({ slots }) => startsOf(slots)),
      );
      const listed = slotsOf(days);
      const refused = listRefusedStarts(open);
      const seen = new Set([...startsOf(listed), ...startsOf(refused)]);
      expect(seen.size).toBe(listed.length + refused.length);
      expect(
        oracle.minutes.filter((minute) => oracle.isOnGrid(minute) && !seen.has(minute)),
      ).toEqual([]);
      for (const slot of listed)
        expect(checkStart(open, slot.startMin)).toEqual({ ok: true, slot });
      for (const { startMin } of refused) expect(checkStart(open, startMin).ok).toBe(false);
      // Minutes off the grid are checked too: every 37th.
      const starts = new Set(startsOf(listed));
      for (const minute of oracle.minutes.filter((_, i) => i % 37 === 0))
        expect(checkStart(open, minute).ok).toBe(starts.has(minute));
    });
  },
  TIMEOUT_MS,
);

test(
  "an extra booking adds no slot, unless it starts a session that others can join",
  () => {
    checkScenarios(RUNS, (scenario, extraBooking) => {
      const before = new Set(startsOf(slotsOf(listDays(scenario))));
      const after = slotsOf(
        listDays({ ...scenario, busyIntervals: [...scenario.busyIntervals, ...extraBooking] }),
      );
      for (const slot of after)
        expect(before.has(slot.startMin) || joins(slot, extraBooking, scenario)).toBe(true);
    });
  },
  TIMEOUT_MS,
);

/** Returns whether the slot has a segment in the session of one of the bookings. */
const joins = (slot: Slot, busyIntervals: BusyInterval[], { catalog }: Scenario): boolean =>
  slot.segments.some(({ serviceKey, staffKey, startMin, endMin }) =>
    busyIntervals.some(
      (row) =>
        row.serviceKey === serviceKey &&
        row.staffKey === staffKey &&
        row.startMin === startMin &&
        row.endMin === endMin &&
        catalog.objects.service.some(({ key, capacity }) => key === serviceKey && capacity > 1),
    ),
  );

test(
  "a booking adds no slot, except in a session that it starts, and no slot can be booked twice",
  () => {
    checkScenarios(RUNS / 5, (scenario) => {
      const busyIntervals = [...scenario.busyIntervals];
      let slots = slotsOf(listDays(scenario));
      for (let n = 0; n < 6 && slots.length > 0; n += 1) {
        const slot = slots[(n * 7) % slots.length]!;
        const booked = busyIntervalsOf(
          planResolvedRequest(scenario.catalog, scenario.request, scenario.nowMs),
          slot,
        );
        busyIntervals.push(...booked);
        const before = new Set(startsOf(slots));
        slots = slotsOf(listDays({ ...scenario, busyIntervals }));
        for (const { startMin, ...rest } of slots)
          expect(
            before.has(startMin) ||
              (booked.length > 1 && joins({ startMin, ...rest }, booked, scenario)),
          ).toBe(true);
        const again = slots.find(({ startMin }) => startMin === slot.startMin);
        const isSame =
          again?.segments.map(candidate).join() === slot.segments.map(candidate).join();
        expect(isSame && slot.spotsLeft === 1).toBe(false);
      }
    });
  },
  TIMEOUT_MS,
);

const candidate = ({ staffKey, tableKey, startMin }: Slot["segments"][number]) =>
  `${staffKey} ${tableKey} ${startMin}`;

test(
  "the order of the catalog's objects and of bookings changes nothing in a slot but the order of add-ons",
  () => {
    checkScenarios(RUNS / 2, (scenario) => {
      const { catalog, busyIntervals } = scenario;
      const expected = listDays(scenario).map((day) => ({
        ...day,
        slots: day.slots.map((slot) => ({
          ...slot,
          segments: slot.segments.map((one) => ({ ...one, addons: one.addons.toReversed() })),
        })),
      }));
      expect(
        listDays({
          ...scenario,
          catalog: reversed(catalog),
          busyIntervals: reversed(busyIntervals),
        }),
      ).toEqual(expected);
    });
  },
  TIMEOUT_MS,
);

function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed).reverse() as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, reversed(inner)]),
  ) as T;
}

test(
  "bookings outside the busy window do not change the slots",
  () => {
    checkScenarios(RUNS / 2, (scenario, extraBooking) => {
      const busyIntervals = [...scenario.busyIntervals, ...extraBooking];
      const window = busyWindow(
        planResolvedRequest(scenario.catalog, scenario.request, scenario.nowMs),
      );
      const loaded = busyIntervals.filter(
        ({ startMin, endMin }) => startMin < window.end && endMin > window.start,
      );
      expect(listDays({ ...scenario, busyIntervals: loaded })).toEqual(
        listDays({ ...scenario, busyIntervals }),
      );
    });
  },
  TIMEOUT_MS,
);

test(
  "the viewer's time zone changes the text of a time, not the instant",
  () => {
    checkScenarios(RUNS / 10, (scenario) => {
      for (const { startMin } of slotsOf(listDays(scenario)).slice(0, 20))
        for (const { zone } of ZONES) {
          const text = formatMinute(startMin, zone);
          expect(Date.parse(text)).toBe(startMin * 60_000);
          expect(text).toBe(formatInstant(startMin * 60_000, zone));
        }
    });
  },
  TIMEOUT_MS,
);

test("a slot has the fewest spots of its services, and only one spot if a service takes one guest per staff member", () => {
  const shop = createShop({
    service: [
      buildService("cut", { staff: ["ann"], resources: [{ resource: "chair", units: 1 }] }),
      buildService("talk", { staff: ["ann"] }),
      buildService("yoga", { capacity: 5, staff: ["bea"] }),
    ],
    staff: [buildStaffMember("ann"), buildStaffMember("bea")],
    resource: [buildResource("chair", { capacity: 3 })],
    schedule: { hours: [dailyHours("09:00", "10:00")] },
    policy: { slotIntervalMin: 60 },
  });
  const spots = (...services: string[]) =>
    listTestSlots(shop, {
      on: "2026-11-23",
      services: services.map((service) => serviceRequest(service)),
    }).map(({ spotsLeft, spotsTotal }) => [spotsLeft, spotsTotal]);
  expect(spots("cut")).toEqual([[1, 1]]);
  expect(spots("talk")).toEqual([[1, 1]]);
  expect(spots("yoga")).toEqual([[5, 5]]);
  expect(spots("talk", "yoga")).toEqual([[1, 1]]);
  expect(spots("yoga", "talk")).toEqual([[1, 1]]);
});
