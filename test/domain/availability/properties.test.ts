import { assert, pre, property } from "fast-check";
import { expect, test } from "vitest";
import { listRefusedStarts, checkStart } from "../../../src/domain/availability/check-start.ts";
import { busyIntervalsOf } from "../../../src/domain/availability/booked-intervals.ts";
import { busyWindow } from "../../../src/domain/availability/busy-window.ts";
import { formatMinute } from "../../../src/domain/availability/format-minute.ts";
import {
  type DayListing,
  type DayState,
  listSlots,
} from "../../../src/domain/availability/listing.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import type { BusyInterval } from "../../../src/domain/availability/request.ts";
import type { Slot } from "../../../src/domain/availability/slot.ts";
import { formatInstant } from "../../../src/domain/business-time.ts";
import { wallClockAt } from "./oracle-clock.ts";
import { type Oracle, createOracle, type Scenario } from "./oracle.ts";
import { isValidRequest, scenariosWithOneMore } from "./scenarios.ts";
import { ZONES } from "./time-zones.ts";

/** Of each property; test/proofs/availability-zones.test.ts sets it. */
const RUNS = Number(process.env["DESKBELL_RUNS"] ?? 500);
const TIMEOUT_MS = 60_000 + 100 * RUNS;

function inEachWorld(
  runs: number,
  check: (world: Scenario, oneMore: BusyInterval[]) => void,
): void {
  const answered = property(scenariosWithOneMore, ({ world, oneMore }) => {
    pre(isValidRequest(world));
    check(world, oneMore);
  });
  assert(answered, { numRuns: Math.ceil(runs) });
}

const openings = ({ catalog, request: question, busyIntervals: rows, nowMs }: Scenario) =>
  prepareSlotSearch(planResolvedRequest(catalog, question, nowMs), rows);
const listing = (world: Scenario): DayListing[] => listSlots(openings(world));
// By day, then by time: not the same in St John's, whose clocks once went back into the day before.
const slotsOf = (days: DayListing[]): Slot[] =>
  days.flatMap(({ slots }) => slots).sort((a, b) => a.startMin - b.startMin);
const startsOf = (slots: { startMin: number }[]): number[] => slots.map(({ startMin }) => startMin);

test(
  "the engine agrees with an oracle on every minute, on who can be chosen and on what a day is",
  () => {
    inEachWorld(RUNS, (world) => {
      const oracle = createOracle(world);
      const days = listing(world);
      const slots = slotsOf(days);
      expect(startsOf(slots)).toEqual(oracle.minutes.filter(oracle.isBookable));
      for (const slot of slots) checkSlot(slot, world, oracle);
      expect(days.map(({ date, state }) => `${date} ${state}`)).toEqual(statesOf(world, oracle));
    });
  },
  TIMEOUT_MS,
);

function checkSlot(slot: Slot, { catalog, request: question }: Scenario, oracle: Oracle): void {
  const doers = slot.segments.map(({ staffKey, tableKey }) => staffKey ?? tableKey);
  let from = slot.startMin;
  let last: string | null = null;
  let changes = 0;
  for (const [i, segment] of slot.segments.entries()) {
    const doer = doers[i]!;
    const gap = segment.startMin - from;
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThanOrEqual(i === 0 ? 0 : catalog.business.bookingPolicy.maxGapMin);
    expect(segment.endMin - segment.startMin).toBe(oracle.durationOf(i, doer));
    expect(oracle.fits(i, doer, segment.startMin)).toBe(true);
    const able = oracle.candidatesAt(i, segment.startMin);
    expect(able).toContain(doer);
    expect(segment.staffKeys).toEqual(
      "services" in question ? able.filter((key) => key !== null).sort() : [],
    );
    from = segment.endMin;
    if (doer !== null && last !== null && doer !== last) changes += 1;
    last = doer ?? last;
  }
  expect(slot.endMin).toBe(from);
  expect(slot.spotsLeft).toBeGreaterThanOrEqual(1);
  expect(slot.spotsLeft).toBeLessThanOrEqual(slot.spotsTotal);
  expect(changes).toBe(oracle.fewestChanges(slot.startMin));
  const sizes = oracle
    .candidatesAt(0, slot.startMin)
    .map((key) => catalog.objects.table.find((t) => t.key === key)?.maxSeats);
  const chosen = catalog.objects.table.find(({ key }) => key === doers[0])?.maxSeats;
  expect(chosen).toBe(
    "services" in question ? undefined : Math.min(...sizes.map((seats) => seats ?? 0)),
  );
}

function statesOf(world: Scenario, oracle: Oracle): string[] {
  const { timezone } = world.catalog.business;
  let unbooked: Oracle | undefined;
  const state = (date: string): DayState => {
    const ofDay = oracle.minutes.filter((minute) => wallClockAt(timezone, minute).date === date);
    if (ofDay.some(oracle.isBookable)) return "OPEN";
    if (date > oracle.lastDate) return "TOO_FAR";
    if (ofDay.every(oracle.isTooSoon) && date < oracle.firstDate) return "TOO_SOON";
    unbooked ??= createOracle({ ...world, busyIntervals: [] });
    const { fewestChanges } = unbooked;
    const starts = ofDay.filter((minute) => fewestChanges(minute) < Infinity);
    if (starts.length === 0) return "CLOSED";
    return starts.every(oracle.isTooSoon) ? "TOO_SOON" : "FULL";
  };
  const states: string[] = [];
  const { from, to } = world.request;
  for (
    let date = Temporal.PlainDate.from(from);
    date.toString() <= to;
    date = date.add({ days: 1 })
  )
    states.push(`${date} ${state(date.toString())}`);
  return states;
}

test(
  "what is listed is what can be booked, and every other start of the grid is refused for a reason",
  () => {
    inEachWorld(RUNS / 2, (world) => {
      const open = openings(world);
      const oracle = createOracle(world);
      const listed = slotsOf(listSlots(open));
      const refused = listRefusedStarts(open);
      const told = new Set([...startsOf(listed), ...startsOf(refused)]);
      expect(told.size).toBe(listed.length + refused.length);
      expect(
        oracle.minutes.filter((minute) => oracle.isOnGrid(minute) && !told.has(minute)),
      ).toEqual([]);
      for (const slot of listed)
        expect(checkStart(open, slot.startMin)).toEqual({ ok: true, slot });
      for (const { startMin } of refused) expect(checkStart(open, startMin).ok).toBe(false);
      // Off the grid too: every 37th minute of the days.
      const starts = new Set(startsOf(listed));
      for (const minute of oracle.minutes.filter((_, i) => i % 37 === 0))
        expect(checkStart(open, minute).ok).toBe(starts.has(minute));
    });
  },
  TIMEOUT_MS,
);

test(
  "one more booking adds no slot, but for seats in the class that it starts",
  () => {
    inEachWorld(RUNS, (world, oneMore) => {
      const before = new Set(startsOf(slotsOf(listing(world))));
      const after = slotsOf(
        listing({ ...world, busyIntervals: [...world.busyIntervals, ...oneMore] }),
      );
      for (const slot of after)
        expect(before.has(slot.startMin) || joins(slot, oneMore, world)).toBe(true);
    });
  },
  TIMEOUT_MS,
);

/** Whether one of these bookings is for the same class as some segment of the slot. */
const joins = (slot: Slot, rows: BusyInterval[], { catalog }: Scenario): boolean =>
  slot.segments.some(({ serviceKey, staffKey, startMin, endMin }) =>
    rows.some(
      (row) =>
        row.serviceKey === serviceKey &&
        row.staffKey === staffKey &&
        row.startMin === startMin &&
        row.endMin === endMin &&
        catalog.objects.service.some(({ key, capacity }) => key === serviceKey && capacity > 1),
    ),
  );

test(
  "a slot that is taken adds none, but for seats in a class that a longer visit has started, and cannot be had again",
  () => {
    inEachWorld(RUNS / 5, (world) => {
      const rows = [...world.busyIntervals];
      let slots = slotsOf(listing(world));
      for (let n = 0; n < 6 && slots.length > 0; n += 1) {
        const slot = slots[(n * 7) % slots.length]!;
        const booked = busyIntervalsOf(
          planResolvedRequest(world.catalog, world.request, world.nowMs),
          slot,
        );
        rows.push(...booked);
        const before = new Set(startsOf(slots));
        slots = slotsOf(listing({ ...world, busyIntervals: rows }));
        for (const { startMin, ...rest } of slots)
          expect(
            before.has(startMin) ||
              (booked.length > 1 && joins({ startMin, ...rest }, booked, world)),
          ).toBe(true);
        const again = slots.find(({ startMin }) => startMin === slot.startMin);
        const isSame = again?.segments.map(doer).join() === slot.segments.map(doer).join();
        expect(isSame && slot.spotsLeft === 1).toBe(false);
      }
    });
  },
  TIMEOUT_MS,
);

const doer = ({ staffKey, tableKey, startMin }: Slot["segments"][number]) =>
  `${staffKey} ${tableKey} ${startMin}`;

test(
  "the order of whatever goes in changes nothing",
  () => {
    inEachWorld(RUNS / 2, (world) => {
      const { catalog, busyIntervals: rows } = world;
      expect(
        listing({ ...world, catalog: reversed(catalog), busyIntervals: reversed(rows) }),
      ).toEqual(listing(world));
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
  "bookings outside the window that is to be loaded change nothing",
  () => {
    inEachWorld(RUNS / 2, (world, oneMore) => {
      const rows = [...world.busyIntervals, ...oneMore];
      const window = busyWindow(planResolvedRequest(world.catalog, world.request, world.nowMs));
      const loaded = rows.filter(
        ({ startMin, endMin }) => startMin < window.end && endMin > window.start,
      );
      expect(listing({ ...world, busyIntervals: loaded })).toEqual(
        listing({ ...world, busyIntervals: rows }),
      );
    });
  },
  TIMEOUT_MS,
);

test(
  "the viewer's zone changes how a slot is written, not when it is",
  () => {
    inEachWorld(RUNS / 10, (world) => {
      for (const { startMin } of slotsOf(listing(world)).slice(0, 20))
        for (const { zone } of ZONES) {
          const text = formatMinute(startMin, zone);
          expect(Date.parse(text)).toBe(startMin * 60_000);
          expect(text).toBe(formatInstant(startMin * 60_000, zone));
        }
    });
  },
  TIMEOUT_MS,
);
