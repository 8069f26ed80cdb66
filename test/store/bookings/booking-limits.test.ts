import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { KEPT_HOURS } from "../../../src/store/bookings/booking-limits.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const HOUR = 500_000;

test("recent visits are compared with the busiest hour of the same key in the week before", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const [a, b, c] = ["a", "b", "c"].map((name) => {
    const scopes = ["bookings.write"];
    return createKey(rt, { businessId, name, kind: "RESTRICTED", scopes }).key.id;
  }) as [string, string, string];
  const add = (keyId: string, hour: number, visits: number) => {
    for (let n = 0; n < visits; n++) rt.store.keyVisits.increment(keyId, hour);
  };
  add(a, HOUR, 2);
  add(a, HOUR - 1, 3);
  add(a, HOUR - 2, 1);
  add(a, HOUR + 1 - KEPT_HOURS, 2);
  // An hour more than a week ago counts no longer.
  add(a, HOUR - KEPT_HOURS, 9);
  add(b, HOUR - 3, 7);
  add(c, HOUR, 1);
  expect(rt.store.keyVisits.listRecent(HOUR).sort((x, y) => x.recent - y.recent)).toEqual([
    { keyId: c, recent: 1, busiest: 0 },
    { keyId: a, recent: 5, busiest: 2 },
  ]);
});

test("the visits of a key are counted for 24 hours, and cancelled visits are not counted", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const scopes = ["bookings.write"];
  const { key } = createKey(rt, { businessId, name: "site", kind: "RESTRICTED", scopes });
  const { keyVisits } = rt.store;
  keyVisits.increment(key.id, HOUR);
  keyVisits.increment(key.id, HOUR + 1);
  keyVisits.increment(key.id, HOUR + 1);
  keyVisits.cancel(key.id, HOUR + 1);
  const counts = [-1, 0, 1, 23, 24, 25].map((hours) => keyVisits.countOfDay(key.id, HOUR + hours));
  expect(counts).toEqual([0, 1, 2, 2, 1, 0]);
});

test("the number of taken tickets is read for each ticket type, and is 0 for a type without orders", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const db = new Database(rt.config.databasePath);
  db.prepare(
    "INSERT INTO ticket_hold (business_id, ticket_type_id, taken) VALUES (?, 'tkt_1', 7)",
  ).run(businessId);
  db.close();
  const { takenTickets } = rt.store;
  expect(takenTickets.countOf(businessId, "tkt_1")).toBe(7);
  expect(takenTickets.countOf(businessId, "tkt_2")).toBe(0);
  expect(takenTickets.countOf("biz_other", "tkt_1")).toBe(0);
});
