import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createAvailabilityFinder } from "../../src/app/availability/availability.ts";
import { createEventLoopYield } from "../../src/app/availability/yield-to-event-loop.ts";
import { createBooking, createReservation } from "../../src/app/bookings/bookings.ts";
import { cancelBooking, cancelReservation } from "../../src/app/bookings/operator-changes.ts";
import { createTimeOff } from "../../src/app/bookings/time-off.ts";
import { confirmTicketOrder, createTicketOrder } from "../../src/app/bookings/ticket-orders.ts";
import { cancelTicketOrder } from "../../src/app/bookings/change-ticket-order.ts";
import { checkInTicket } from "../../src/app/bookings/tickets.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { openDatabase } from "../../src/store/database.ts";
import { keepPlan } from "../../src/store/db.ts";
import { createTestRuntime, type TestRuntime } from "../support/test-runtime.ts";
import { applyCatalogBody } from "../support/use-case.ts";

// The plan of a query shows whether its cost follows the size of a table.

/** Tables that grow with every visit, ticket or event. */
const GROWING = [
  "delivery",
  "booking",
  "booking_segment",
  "reservation",
  "ticket_order",
  "ticket_order_item",
  "ticket",
];

/** Returns the plan of each query that reads a growing table while `run` runs. */
async function plansOf(rt: TestRuntime, run: () => unknown): Promise<Map<string, string[]>> {
  const db = new Database(rt.config.databasePath, { readonly: true });
  onTestFinished(() => void db.close());
  const queries = new Set<string>();
  const prototype = Object.getPrototypeOf(db.prepare("SELECT 1")) as Record<string, unknown>;
  const restore = (["get", "all", "run", "iterate"] as const).map((name) => {
    const original = prototype[name] as (...args: unknown[]) => unknown;
    prototype[name] = function (this: Database.Statement, ...args: unknown[]) {
      queries.add(this.source);
      return original.apply(this, args);
    };
    return () => void (prototype[name] = original);
  });
  try {
    await run();
  } finally {
    for (const end of restore) end();
  }
  const plans = new Map<string, string[]>();
  for (const query of queries) {
    if (/^\s*(?:INSERT|BEGIN|COMMIT|PRAGMA)/.test(query)) continue;
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${query.replaceAll(/:\w+|\?/g, "1")}`).all();
    const steps = (rows as { detail: string }[]).map(({ detail }) => detail);
    if (steps.some((step) => readsGrowingTable(step))) plans.set(query, steps);
  }
  return plans;
}

const readsGrowingTable = (step: string): boolean =>
  GROWING.includes(/^(?:SCAN|SEARCH) (\w+)/.exec(step)?.[1] ?? "");

const SLUG = "salon-aurora";
const DAY = "2026-11-24";
const CATALOG = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [leo] }]
staff: [{ key: leo, name: Leo }]
tables: [{ key: t2, minSeats: 1, maxSeats: 2 }]
events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: ${DAY}T19:00
    durationMin: 180
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }]
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
  const order = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
  const { tickets } = confirmTicketOrder(rt, SLUG, order.code);
  checkInTicket(rt, SLUG, tickets[0]?.admissionCode ?? "");
  const other = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
  cancelTicketOrder(rt, SLUG, other.id);
  createTimeOff(rt, SLUG, { staff: "leo", from: DAY, to: "2026-11-25", reason: null });
}

function list(rt: TestRuntime): void {
  const { id: businessId } = getBusiness(rt, SLUG);
  const before = "zzz";
  const { bookings, reservations, orders, tickets } = rt.store;
  for (const store of [bookings, reservations])
    for (const status of [undefined, "PENDING"] as const)
      store.list({ businessId, status, before }, 10);
  for (const eventId of [undefined, "evt_1"]) {
    orders.list({ businessId, eventId, before }, 10);
    tickets.list({ businessId, eventId, before }, 10);
  }
  orders.list({ businessId, status: "PENDING", before }, 10);
  tickets.list({ businessId, orderId: "tor_1" }, 10);
  const after = { at: 0, id: "" };
  for (const store of [bookings, reservations, orders])
    for (const createdByKey of [undefined, "key_1"])
      for (const updatedSince of [undefined, 1])
        store.listPage({ businessId, createdByKey, updatedSince, after, status: "PENDING" }, 10);
  bookings.listPage({ businessId, staffId: "stf_1", serviceId: "svc_1", from: 1, to: 2 }, 10);
}

const SCAN = /^SCAN/;
const SCAN_OR_SORT = /^(?:SCAN|USE TEMP B-TREE)/;

test.each([
  ["availability", findSlots, SCAN],
  ["a sale", sell, SCAN],
  ["a list", list, SCAN_OR_SORT],
])("%s scans no table that grows with every visit", async (_name, run, refused) => {
  const rt = openSalon();
  const plans = await plansOf(rt, () => run(rt));
  expect(plans.size).toBeGreaterThan(1);
  for (const [query, steps] of plans)
    for (const step of steps) expect(`${step} in ${query}`).not.toMatch(refused);
});

test("the busy intervals of a window are read between two ends of the index", async () => {
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
  // SQLite itself uses the partial index of the pending deliveries, so it looks at the value.
  expect(planOf(sqlite, "PENDING")).not.toEqual(planOf(sqlite, "DELIVERED"));
});

test.each([
  ["a = ? AND b = :b", "a = +? AND b = +:b"],
  ["at < :now - 60 LIMIT ?", "at < +:now - 60 LIMIT +?"],
  ['a = 1 -- the guest\'s ?\nAND "a:b" = ?', 'a = 1 -- the guest\'s ?\nAND "a:b" = +?'],
  ["a = '12:30?' OR b = 'it''s :b' OR c = :c", "a = '12:30?' OR b = 'it''s :b' OR c = +:c"],
])("parameters in %s keep the plan, and strings stay as they are", (sql, expected) =>
  expect(keepPlan(sql)).toBe(expected),
);
