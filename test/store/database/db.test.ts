import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createAvailabilityFinder } from "../../../src/app/availability/availability.ts";
import { createEventLoopYield } from "../../../src/app/availability/yield-to-event-loop.ts";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { cancelBooking, cancelReservation } from "../../../src/app/bookings/operator-changes.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { openDatabase } from "../../../src/store/database/database.ts";
import { keepPlan } from "../../../src/store/database/db.ts";
import {
  findSteps,
  plansOf,
  readsGrowingTable,
  SCAN,
  SCAN_OR_SORT,
} from "../../support/query-plans.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const DAY = "2026-11-24";
const CATALOG = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [leo] }]
staff: [{ key: leo, name: Leo }]
tables: [{ key: t2, minSeats: 1, maxSeats: 2 }]
`;

function openSalon(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  return rt;
}

async function findSlots(rt: TestRuntime): Promise<void> {
  const request = { serviceIds: ["cut"], variantIds: [], addonIds: [], staffIds: [], guests: 1 };
  const { days } = createAvailabilityFinder(rt)(getBusiness(rt, SLUG), {
    audience: "INTERNAL",
    request,
    dates: { from: DAY, to: "2026-12-20" },
    timezone: null,
    explain: false,
    yieldToEventLoop: createEventLoopYield(),
  });
  await Array.fromAsync(days());
}

function sell(rt: TestRuntime): void {
  const booking = createBooking(rt, SLUG, { service: "cut", start: `${DAY}T10:00` });
  cancelBooking(rt, SLUG, booking.id);
  const reservation = createReservation(rt, SLUG, { party: 2, start: `${DAY}T10:00` });
  cancelReservation(rt, SLUG, reservation.id);
  createTimeOff(rt, SLUG, { staff: "leo", from: DAY, to: "2026-11-25", reason: null });
}

function list(rt: TestRuntime): void {
  const { id: businessId } = getBusiness(rt, SLUG);
  const before = "zzz";
  const { bookings, reservations } = rt.store;
  for (const store of [bookings, reservations])
    for (const status of [undefined, "PENDING"] as const)
      store.list({ businessId, status, before }, 10);
  const after = { at: 0, id: "" };
  for (const store of [bookings, reservations])
    for (const createdByKey of [undefined, "key_1"])
      for (const updatedSince of [undefined, 1])
        store.listPage({ businessId, createdByKey, updatedSince, after, status: "CONFIRMED" }, 10);
  bookings.listPage({ businessId, staffId: "stf_1", serviceId: "svc_1", from: 1, to: 2 }, 10);
}

test.each([
  ["availability", findSlots, SCAN],
  ["a sale", sell, SCAN],
  ["a list", list, SCAN_OR_SORT],
])("%s scans no table that grows with every visit", async (_name, run, refused) => {
  const rt = openSalon();
  expect(await findSteps(rt, () => run(rt), refused)).toEqual([]);
});

test("the busy intervals of a window are read from a range of an index", async () => {
  const rt = openSalon();
  const plans = await plansOf(rt, () => findSlots(rt));
  const steps = [...plans.values()].flat().filter(readsGrowingTable);
  expect([...new Set(steps)].sort()).toEqual(
    ["booking_segment", "reservation"].flatMap((table) =>
      ["busy", "long"].map(
        (index) =>
          `SEARCH ${table} USING INDEX ${table}_${index} (business_id=? AND ends_at>? AND ends_at<?)`,
      ),
    ),
  );
});

test("deliveries of one status are read from an index", async () => {
  const rt = openSalon();
  const { deliveries } = rt.store;
  const plans = await plansOf(rt, () => {
    deliveries.list({ status: "PENDING" }, 10);
    deliveries.list({ status: "EXHAUSTED" }, 10);
    deliveries.list({ status: "PARKED", endpointId: "whe_1", since: 1 }, 10);
  });
  expect([...plans.values()].map(([step]) => step)).toEqual([
    "SCAN delivery USING INDEX delivery_owed",
    "SEARCH delivery USING INDEX delivery_undelivered (status=?)",
    "SEARCH delivery USING INDEX delivery_parked (endpoint_id=? AND created_at>?)",
  ]);
});

test("the plan of a statement does not depend on the values of its parameters", () => {
  const { config } = createTestRuntime();
  const ours = openDatabase(config.databasePath, 0, null);
  const sqlite = new Database(config.databasePath);
  onTestFinished(() => void (ours.close(), sqlite.close()));
  const query = "EXPLAIN QUERY PLAN SELECT id FROM delivery WHERE status = :status ORDER BY id";
  const planOf = (db: Database.Database, status: string) =>
    db
      .prepare(query)
      .all({ status })
      .map((row) => (row as { detail: string }).detail);
  expect(planOf(ours.db, "PENDING")).toEqual(planOf(ours.db, "DELIVERED"));
  // SQLite itself looks at the value: it uses the partial index of pending deliveries only for
  // PENDING.
  expect(planOf(sqlite, "PENDING")).not.toEqual(planOf(sqlite, "DELIVERED"));
});

test.each([
  ["a = ? AND b = :b", "a = +? AND b = +:b"],
  ["at < :now - 60 LIMIT ?", "at < +:now - 60 LIMIT +?"],
  ['a = 1 -- the guest\'s ?\nAND "a:b" = ?', 'a = 1 -- the guest\'s ?\nAND "a:b" = +?'],
  ["a = '12:30?' OR b = 'it''s :b' OR c = :c", "a = '12:30?' OR b = 'it''s :b' OR c = +:c"],
])("keepPlan changes only the parameters in %s", (sql, expected) =>
  expect(keepPlan(sql)).toBe(expected),
);
