import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { createKey } from "../../src/app/keys.ts";
import { appendEvents } from "../../src/app/events.ts";
import type { EventFilter } from "../../src/store/events.ts";
import { addBusiness, buildEventDraft, emitEvents, subscribe } from "../support/delivery.ts";
import { plansOf } from "../support/query-plans.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { recordEvents } from "../support/use-case.ts";

test("an event is stored as the bytes of its envelope, with their hash", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const appended = emitEvents(rt, business, "service.updated");
  const row = rt.store.events.findById(appended.events[0]!.id)!;
  expect(JSON.parse(row.body.toString())).toEqual({
    id: row.id,
    type: "service.updated",
    createdAt: "2026-11-20T12:00:00.000Z",
    business: {
      id: business.id,
      slug: "salon-aurora",
      name: "Salon Aurora",
      timezone: "America/New_York",
    },
    data: {
      resource: { type: "service", id: "svc_1", ids: ["svc_1"] },
      action: "updated",
      changed: { price: true, variants: false, addons: false },
      object: { name: "Manicure" },
    },
  });
  expect(row.sha256).toEqual(createHash("sha256").update(row.body).digest());
});

test("an event has the texts of the business's default language, like a list requested without `locale`", () => {
  const rt = createTestRuntime();
  const text = `catalog: 1
business: {slug: salon-aurora, name: Salon, timezone: UTC, currency: USD, locale: es, locales: [en]}
services:
  - key: cut
    name: Haircut
    durationMin: 30
    price: 20
    translations: {es: {name: Corte}}
    variants: [{key: long, name: Long, durationMin: 60, price: 30, translations: {es: {name: Largo}}}]
`;
  const [created] = recordEvents(rt, () => applyCatalog(rt, [{ name: "c.yaml", text }]));
  expect(created?.data.object).toMatchObject({
    name: "Corte",
    translations: { es: { name: "Corte" } },
    variants: [{ name: "Largo" }],
  });
});

test("sequence numbers rise by one per event of a business", () => {
  const rt = createTestRuntime();
  const [first, second] = [addBusiness(rt, "one"), addBusiness(rt, "two")];
  expect(emitEvents(rt, first, "service.updated", "catalog.changed").events).toMatchObject([
    { sequence: 1 },
    { sequence: 2 },
  ]);
  expect(emitEvents(rt, second, "staff.updated").lastSequence).toBe(1);
  expect(emitEvents(rt, first, "staff.updated").lastSequence).toBe(3);
  expect(emitEvents(rt, first)).toEqual({ lastSequence: 3, deliveries: 0, events: [] });
});

test("each subscribed endpoint gets one delivery, which is due now, or parked if the endpoint is disabled", async () => {
  const rt = createTestRuntime();
  const [business, foreign] = [addBusiness(rt, "one"), addBusiness(rt, "two")];
  const all = (await subscribe(rt, business, "http://10.0.0.1/")).endpoint;
  const staffOnly = (await subscribe(rt, business, "http://10.0.0.2/", ["staff.updated"])).endpoint;
  const disabled = (await subscribe(rt, business, "http://10.0.0.3/")).endpoint;
  const deleted = (await subscribe(rt, business, "http://10.0.0.4/")).endpoint;
  await subscribe(rt, foreign, "http://10.0.0.5/");
  const db = new Database(rt.config.databasePath);
  db.prepare("UPDATE endpoint SET status = 'DISABLED' WHERE id = ?").run(disabled.id);
  db.prepare("UPDATE endpoint SET deleted_at = 1 WHERE id = ?").run(deleted.id);
  db.close();

  expect(emitEvents(rt, business, "service.updated", "staff.updated").deliveries).toBe(5);
  const deliveriesTo = (endpointId: string) =>
    rt.store.deliveries
      .list({ endpointId }, 10)
      .map(({ eventType, status, nextAttemptAt }) => [eventType, status, nextAttemptAt])
      .sort();
  expect(deliveriesTo(all.id)).toEqual([
    ["service.updated", "PENDING", rt.now()],
    ["staff.updated", "PENDING", rt.now()],
  ]);
  expect(deliveriesTo(staffOnly.id)).toEqual([["staff.updated", "PENDING", rt.now()]]);
  expect(deliveriesTo(disabled.id)).toEqual([
    ["service.updated", "PARKED", null],
    ["staff.updated", "PARKED", null],
  ]);
  expect(rt.store.deliveries.list({}, 10)).toHaveLength(5);
});

test("a change that is rolled back leaves no event, no delivery and no used sequence number", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://10.0.0.1/");
  const change = () =>
    rt.tx(() => {
      appendEvents(rt, business, [buildEventDraft()]);
      throw new Error("the change failed");
    });
  expect(change).toThrow("the change failed");
  expect(rt.store.deliveries.list({}, 10)).toEqual([]);
  expect(emitEvents(rt, business, "service.updated").lastSequence).toBe(1);
});

test("the list of deliveries is newest first, can be filtered by each field and is paged by ID", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  await subscribe(rt, business, "http://10.0.0.2/");
  for (const type of ["service.updated", "staff.updated", "addon.updated"] as const) {
    rt.advance(1000);
    emitEvents(rt, business, type);
  }
  const types = (filter: Parameters<typeof rt.store.deliveries.list>[0], limit = 10) =>
    rt.store.deliveries.list(filter, limit).map(({ eventType }) => eventType);
  const ofOne = { endpointId: endpoint.id };
  expect(types(ofOne)).toEqual(["addon.updated", "staff.updated", "service.updated"]);
  expect(types({ ...ofOne, since: rt.now() - 1000 })).toEqual(["addon.updated", "staff.updated"]);
  expect(types({ eventType: "staff.updated" })).toEqual(["staff.updated", "staff.updated"]);
  expect(types({ businessId: business.id, status: "PENDING" })).toHaveLength(6);
  expect(types({ businessId: "biz_other" })).toEqual([]);
  expect(types({ status: "DELIVERED" })).toEqual([]);
  const [newest] = rt.store.deliveries.list(ofOne, 1);
  expect(types({ ...ofOne, before: newest!.id })).toEqual(["staff.updated", "service.updated"]);
});

test("each event is written before the next is serialized, so that only one body is in memory", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const insert = vi.spyOn(rt.store.events, "insert");
  const serialized: number[] = [];
  const newId = rt.newId;
  rt.newId = (prefix) => {
    if (prefix === "evt") serialized.push(insert.mock.calls.length);
    return newId(prefix);
  };
  emitEvents(rt, business, "service.updated", "staff.updated", "catalog.changed");
  expect(serialized).toEqual([0, 1, 2]);
});

test("an endpoint of a key that may only write bookings gets only events of bookings that the key made", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const createTestKey = (kind: "SECRET" | "RESTRICTED") =>
    createKey(rt, {
      businessId: business.id,
      name: "partner",
      kind,
      scopes: ["webhooks.write", "bookings.write"],
    }).key.id;
  const [own, all] = [createTestKey("RESTRICTED"), createTestKey("SECRET")];
  const endpoints = [];
  for (const keyId of [own, all, null])
    endpoints.push(
      (await subscribe(rt, business, `http://10.0.0.1/${keyId}`, ["booking.created"], keyId))
        .endpoint.id,
    );
  const receiversOf = (ownerKeyId: string | null) => {
    const drafts = [buildEventDraft("booking.created")];
    const { deliveries } = rt.tx(() => appendEvents(rt, business, drafts, ownerKeyId));
    return rt.store.deliveries
      .list({}, deliveries)
      .map(({ endpointId }) => endpointId)
      .toSorted();
  };
  expect(receiversOf(own)).toEqual(endpoints);
  expect(receiversOf(all)).toEqual(endpoints.slice(1));
  expect(receiversOf(null)).toEqual(endpoints.slice(1));
});

test("a list of events by time, type or business is read from an index, and needs no sort", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  emitEvents(rt, business, "service.updated");
  rt.advance(60_000);
  const { events } = emitEvents(rt, business, "menu_item.updated", "service.updated");
  const since = rt.now();
  const newest = events.map(({ id }) => id).toReversed();
  const list = (filter: EventFilter) => rt.store.events.list(filter, 10).map(({ id }) => id);
  expect(list({ since })).toEqual(newest);
  expect(list({ since, businessId: business.id })).toEqual(newest);
  expect(list({ since, type: "service.updated" })).toEqual(newest.slice(0, 1));
  expect(list({ businessId: business.id })).toHaveLength(3);
  expect(list({ businessId: "biz_other" })).toEqual([]);
  const planOf = async (filter: EventFilter) =>
    [...(await plansOf(rt, () => rt.store.events.list(filter, 10))).values()].flat();
  const byId = "SEARCH event USING INDEX sqlite_autoindex_event_1 (id>?)";
  const bySequence = "SEARCH event USING INDEX sqlite_autoindex_event_2 (business_id=?)";
  expect(await planOf({ since })).toEqual([byId]);
  const type = "service.updated";
  const byType = "SEARCH event USING INDEX event_type (type=?";
  expect(await planOf({ type })).toEqual([`${byType})`]);
  expect(await planOf({ since, type })).toEqual([`${byType} AND id>?)`]);
  const ofBusiness = { businessId: business.id };
  expect(await planOf(ofBusiness)).toEqual([bySequence]);
  expect(await planOf({ ...ofBusiness, type })).toEqual([bySequence]);
  expect(await planOf({ ...ofBusiness, type, since })).toEqual([bySequence]);
});
