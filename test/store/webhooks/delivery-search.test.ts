import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import {
  type FoundDelivery,
  type PageStart,
  SEARCH_STATES,
  type SearchFilter,
  toSearchCondition,
} from "../../../src/store/webhooks/delivery-search.ts";
import { emitEvents } from "../../support/delivery.ts";
import { fillDeliveries } from "../../support/live-data.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

async function fillStore(deliveries: number) {
  const rt = createTestRuntime();
  const endpoints = await fillDeliveries(rt, deliveries);
  return {
    rt,
    endpoints,
    search: rt.store.deliverySearch,
    businessId: rt.store.businesses.list()[0]!.id,
  };
}

const numberOf = ({ id }: FoundDelivery): number => Number(id.slice(4));
const idOf = (number: number): string => `dlv_${String(number).padStart(25, "0")}`;
const typeOf = (number: number): number => Math.ceil(number / 4) % EVENT_TYPES.length;
const [firstType, someType] = [EVENT_TYPES[0], EVENT_TYPES[7]!];

test.each<[string, SearchFilter, (number: number) => boolean]>([
  ["everything", {}, () => true],
  ["pending deliveries", { state: "PENDING" }, (n) => n % 100 < 3],
  ["retrying deliveries", { state: "RETRYING" }, (n) => n % 100 < 2],
  ["exhausted deliveries", { state: "EXHAUSTED" }, (n) => n % 100 === 3],
  ["delivered deliveries", { state: "DELIVERED" }, (n) => n % 100 > 3],
  ["parked deliveries", { state: "PARKED" }, () => false],
  ["an event type", { eventType: someType }, (n) => typeOf(n) === 7],
  ["a searched event type", { searchedType: someType }, (n) => typeOf(n) === 7],
  ["a part of an event type", { text: someType.slice(1, -1) }, (n) => typeOf(n) === 7],
  ["a status code", { text: "500" }, (n) => n % 100 === 3 || n % 100 < 2],
  ["an error", { text: "http 5" }, (n) => n % 100 === 3 || n % 100 < 2],
  ["a state", { text: "exhaust" }, (n) => n % 100 === 3],
  ["the word that the list shows for a state", { text: "failed" }, (n) => n % 100 < 2],
  ["a host", { text: ":9001" }, (n) => n % 4 === 1],
  ["a business", { text: "Aurora" }, () => true],
  ["a text of which % is a part", { text: "%" }, () => false],
  ["failed deliveries", { failed: true }, (n) => n % 100 === 3 || n % 100 < 2],
  [
    "a state and an event type",
    { state: "RETRYING", searchedType: firstType },
    (n) => n % 100 < 2 && typeOf(n) === 0,
  ],
  ["an ID prefix", { deliveryPrefix: idOf(12).slice(0, -1) }, (n) => n >= 10 && n < 20],
  ["an event", { eventPrefix: `evt_${"25".padStart(25, "0")}` }, (n) => Math.ceil(n / 4) === 25],
])("paging through %s gives the same rows in both directions", async (_name, filter, matches) => {
  const { search } = await fillStore(1000);
  const expected = Array.from({ length: 1000 }, (_, i) => 1000 - i).filter(matches);
  const walk = (direction: "older" | "newer"): number[] => {
    const found: FoundDelivery[] = [];
    for (
      let start: PageStart | null = null;
      ;
      start = { id: found.at(-1)!.id, isIncluded: false }
    ) {
      const { rows, reached } = search.listPage(filter, direction, start, 7);
      expect(reached).toBeNull();
      found.push(...rows);
      if (rows.length < 7) return found.map(numberOf);
    }
  };
  expect(walk("older")).toEqual(expected);
  expect(walk("newer")).toEqual(expected.toReversed());
});

test("deliveries are filtered by endpoint and business", async () => {
  const { search, endpoints, businessId } = await fillStore(100);
  const count = (filter: SearchFilter) => search.listPage(filter, "older", null, 1000).rows.length;
  expect(count({ endpointId: endpoints[1] })).toBe(25);
  expect(count({ text: endpoints[1]!.toUpperCase() })).toBe(25);
  expect(count({ businessId })).toBe(100);
  expect(count({ businessId: "biz_other" })).toBe(0);
});

test("a time filter reads only deliveries that were created at its time or later", async () => {
  const { rt, search, businessId } = await fillStore(100);
  const business = rt.store.businesses.findById(businessId)!;
  emitEvents(rt, business, "staff.created");
  rt.advance(60_000);
  emitEvents(rt, business, "staff.updated");
  const since = rt.now() - 1000;
  const types = (filter: SearchFilter) =>
    new Set(search.listPage(filter, "older", null, 1000).rows.map(({ eventType }) => eventType));
  expect(types({ since })).toEqual(new Set(["staff.updated"]));
  expect(types({ since, state: "PENDING", text: "staff" })).toEqual(new Set(["staff.updated"]));
  expect(types({ since: since - 60_000, businessId })).toEqual(
    new Set(["staff.created", "staff.updated"]),
  );
});

test("deliveries of a deleted endpoint still have its URL", async () => {
  const { rt, search, endpoints } = await fillStore(100);
  rt.tx(() => rt.store.endpoints.delete(endpoints[1]!, rt.now()));
  expect(search.listPage({ endpointId: endpoints[1] }, "older", null, 1).rows[0]).toMatchObject({
    url: "http://127.0.0.1:9001/hook",
    endpointName: "partner",
  });
});

test("a search with few matches stops early and continues where it stopped", async () => {
  const { search } = await fillStore(30_000);
  const find = (from: string | null) =>
    search.listPage(
      { text: "nobody" },
      "older",
      from === null ? null : { id: from, isIncluded: false },
      10,
    );
  expect(find(null)).toEqual({ rows: [], reached: idOf(10_001) });
  expect(find(idOf(10_001))).toEqual({ rows: [], reached: null });
});

test("every filter reads an index ordered by ID, without sorting or a table scan", async () => {
  const { rt, endpoints, businessId } = await fillStore(100);
  const db = new Database(rt.config.databasePath, { readonly: true });
  const filters: SearchFilter[] = [
    {},
    ...SEARCH_STATES.map((state) => ({ state })),
    { endpointId: endpoints[0] },
    { eventType: "staff.created" },
    { businessId },
    { deliveryPrefix: "dlv_0" },
    { searchedType: "staff.created" },
    { since: rt.now() },
    { since: rt.now(), endpointId: endpoints[0] },
    { state: "EXHAUSTED", endpointId: endpoints[0], eventType: "staff.created", businessId },
  ];
  for (const filter of filters) {
    const { source, base, parameters } = toSearchCondition(filter);
    const sql = `EXPLAIN QUERY PLAN SELECT * FROM ${source} WHERE ${base} AND id < :from ORDER BY id DESC LIMIT 10`;
    const steps = db.prepare(sql).all({ ...parameters, from: "dlv_1" }) as { detail: string }[];
    const plan = steps.map(({ detail }) => detail).join("; ");
    expect(plan, JSON.stringify(filter)).toMatch(/^SEARCH delivery USING INDEX/);
    expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
  }
  db.close();
});
