import { expect, test } from "vitest";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { createPruner } from "../../../src/app/operations/retention.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const DAY = 86_400_000;

async function setUp() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  const answer = { statusCode: 200 };
  const worker = createTestWorker(rt, async () => ({
    kind: "responded",
    retryAfter: null,
    responseText: "thanks",
    ...answer,
  }));
  const emitAndDeliver = async (count = 1) => {
    emitEvents(rt, business, ...Array.from({ length: count }, () => "service.updated" as const));
    worker.wake();
    await worker.whenIdle();
  };
  const countRows = () => ({
    events: rt.store.events.list({}, 10_000).length,
    deliveries: rt.store.deliveries.list({}, 10_000).length,
  });
  return { rt, business, endpoint, answer, emitAndDeliver, countRows };
}

test("delivered events, their deliveries and attempts are deleted after 30 days", async () => {
  const { rt, emitAndDeliver, countRows } = await setUp();
  await emitAndDeliver(3);
  const prune = createPruner(rt);
  rt.advance(30 * DAY);
  await prune();
  expect(countRows()).toEqual({ events: 3, deliveries: 3 });
  rt.advance(1);
  await prune();
  expect(countRows()).toEqual({ events: 0, deliveries: 0 });
  expect(rt.store.deliveries.listAttemptsAfter(0, 10)).toEqual([]);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 0 });
});

test("response texts are deleted after 7 days, attempts later", async () => {
  const { rt, emitAndDeliver } = await setUp();
  await emitAndDeliver();
  const { id } = rt.store.deliveries.list({}, 1)[0]!;
  const prune = createPruner(rt);
  rt.advance(7 * DAY);
  await prune();
  expect(rt.store.deliveries.listAttempts(id)).toMatchObject([{ responseText: "thanks" }]);
  rt.advance(1);
  await emitAndDeliver();
  await prune();
  expect(rt.store.deliveries.listAttempts(id)).toMatchObject([
    { statusCode: 200, responseText: null },
  ]);
  const { id: later } = rt.store.deliveries.list({}, 1)[0]!;
  expect(rt.store.deliveries.listAttempts(later)).toMatchObject([{ responseText: "thanks" }]);
});

test("parked deliveries are deleted after 90 days, pending ones never", async () => {
  const { rt, business, endpoint, answer, emitAndDeliver, countRows } = await setUp();
  const waiting = await subscribe(rt, business, "http://10.0.0.2/");
  disableEndpoint(rt, endpoint.id, "manual");
  answer.statusCode = 500;
  await emitAndDeliver();
  const prune = createPruner(rt);
  rt.advance(90 * DAY);
  await prune();
  expect(countRows()).toEqual({ events: 1, deliveries: 2 });
  rt.advance(1);
  await prune();
  expect(rt.store.deliveries.list({}, 10)).toMatchObject([
    { endpointId: waiting.endpoint.id, status: "PENDING" },
  ]);
  expect(countRows().events).toBe(1);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ PARKED: 0, PENDING: 1 });
});

test("above the maximum size, the oldest delivered events are deleted but no pending ones", async () => {
  const { rt, answer, emitAndDeliver, countRows } = await setUp();
  await emitAndDeliver(1200);
  answer.statusCode = 500;
  await emitAndDeliver(5);
  const full = rt.store.file.getUsedBytes();
  await createPruner(rt, { maxBytes: full })();
  expect(countRows()).toEqual({ events: 1205, deliveries: 1205 });
  await createPruner(rt, { maxBytes: full - 50_000 })();
  const left = rt.store.events.list({}, 10_000);
  expect(left.length).toBeLessThanOrEqual(705);
  expect(left.length).toBeGreaterThan(200);
  // The newest remain.
  expect(left.map(({ sequence }) => sequence)).toEqual(left.map((_, i) => 1205 - i));
  await createPruner(rt, { maxBytes: 0 })();
  expect(rt.store.deliveries.list({}, 100).map(({ status }) => status)).toEqual(
    Array(5).fill("PENDING"),
  );
});

test("expired secrets and old statistics are deleted", async () => {
  const { rt, endpoint, emitAndDeliver } = await setUp();
  await emitAndDeliver();
  rt.store.endpointSecrets.expireCurrent(endpoint.id, rt.now() + 1);
  rt.advance(31 * DAY);
  await createPruner(rt)();
  expect(rt.store.endpointSecrets.list()).toEqual([]);
  expect(rt.store.tallies.listMinutes(0)).toEqual([]);
});

test("with less than 64 MB free, new data is rejected while deliveries continue", async () => {
  const { rt, business, emitAndDeliver } = await setUp();
  emitEvents(rt, business, "service.updated");
  rt.freeBytes = () => 64 * 1024 * 1024 - 1;
  expect(() => emitEvents(rt, business, "staff.updated")).toThrow(
    expect.objectContaining({ code: "storage_full" }),
  );
  const request = {
    businessId: business.id,
    keyId: null,
    name: "a",
    url: "https://8.8.8.8/",
    events: ["staff.updated"],
    allowPrivate: false,
  };
  await expect(createEndpoint(rt, request)).rejects.toMatchObject({ code: "storage_full" });
  await expect(emitAndDeliver(0)).resolves.toBeUndefined();
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 1 });
  rt.freeBytes = () => 64 * 1024 * 1024;
  expect(emitEvents(rt, business, "staff.updated")).toMatchObject({
    lastSequence: 2,
    deliveries: 1,
  });
});
