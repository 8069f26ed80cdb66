import { expect, test } from "vitest";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { createPruner } from "../../../src/app/operations/retention.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const DAY = 86_400_000;

async function stage() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  const answer = { statusCode: 200 };
  const courier = createTestWorker(rt, async () => ({
    kind: "responded",
    retryAfter: null,
    responseText: "thanks",
    ...answer,
  }));
  const happen = async (count = 1) => {
    emitEvents(rt, business, ...Array.from({ length: count }, () => "service.updated" as const));
    courier.wake();
    await courier.whenIdle();
  };
  const kept = () => ({
    events: rt.store.events.list({}, 10_000).length,
    deliveries: rt.store.deliveries.list({}, 10_000).length,
  });
  return { rt, business, endpoint, answer, happen, kept };
}

test("events, deliveries and attempts that arrived are kept for 30 days", async () => {
  const { rt, happen, kept } = await stage();
  await happen(3);
  const prune = createPruner(rt);
  rt.advance(30 * DAY);
  await prune();
  expect(kept()).toEqual({ events: 3, deliveries: 3 });
  rt.advance(1);
  await prune();
  expect(kept()).toEqual({ events: 0, deliveries: 0 });
  expect(rt.store.deliveries.listAttemptsAfter(0, 10)).toEqual([]);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 0 });
});

test("what receivers answered is kept for 7 days, the attempt itself for longer", async () => {
  const { rt, happen } = await stage();
  await happen();
  const { id } = rt.store.deliveries.list({}, 1)[0]!;
  const prune = createPruner(rt);
  rt.advance(7 * DAY);
  await prune();
  expect(rt.store.deliveries.listAttempts(id)).toMatchObject([{ responseText: "thanks" }]);
  rt.advance(1);
  await happen();
  await prune();
  expect(rt.store.deliveries.listAttempts(id)).toMatchObject([
    { statusCode: 200, responseText: null },
  ]);
  const { id: later } = rt.store.deliveries.list({}, 1)[0]!;
  expect(rt.store.deliveries.listAttempts(later)).toMatchObject([{ responseText: "thanks" }]);
});

test("what is parked is kept for 90 days with its event, and what waits for ever", async () => {
  const { rt, business, endpoint, answer, happen, kept } = await stage();
  const waiting = await subscribe(rt, business, "http://10.0.0.2/");
  disableEndpoint(rt, endpoint.id, "manual");
  answer.statusCode = 500;
  await happen();
  const prune = createPruner(rt);
  rt.advance(90 * DAY);
  await prune();
  expect(kept()).toEqual({ events: 1, deliveries: 2 });
  rt.advance(1);
  await prune();
  expect(rt.store.deliveries.list({}, 10)).toMatchObject([
    { endpointId: waiting.endpoint.id, status: "PENDING" },
  ]);
  expect(kept().events).toBe(1);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ PARKED: 0, PENDING: 1 });
});

test("above its size the file loses the oldest that was delivered, and nothing that is owed", async () => {
  const { rt, answer, happen, kept } = await stage();
  await happen(1200);
  answer.statusCode = 500;
  await happen(5);
  const full = rt.store.file.getUsedBytes();
  await createPruner(rt, { maxBytes: full })();
  expect(kept()).toEqual({ events: 1205, deliveries: 1205 });
  await createPruner(rt, { maxBytes: full - 50_000 })();
  const left = rt.store.events.list({}, 10_000);
  expect(left.length).toBeLessThanOrEqual(705);
  expect(left.length).toBeGreaterThan(200);
  // The newest are there still.
  expect(left.map(({ sequence }) => sequence)).toEqual(left.map((_, i) => 1205 - i));
  await createPruner(rt, { maxBytes: 0 })();
  expect(rt.store.deliveries.list({}, 100).map(({ status }) => status)).toEqual(
    Array(5).fill("PENDING"),
  );
});

test("expired secrets and old minutes go as well", async () => {
  const { rt, endpoint, happen } = await stage();
  await happen();
  rt.store.endpointSecrets.expireCurrent(endpoint.id, rt.now() + 1);
  rt.advance(31 * DAY);
  await createPruner(rt)();
  expect(rt.store.endpointSecrets.list()).toEqual([]);
  expect(rt.store.tallies.listMinutes(0)).toEqual([]);
});

test("with less than 64 MB free nothing new is taken in, while deliveries and their outcomes go on", async () => {
  const { rt, business, happen } = await stage();
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
  await expect(happen(0)).resolves.toBeUndefined();
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 1 });
  rt.freeBytes = () => 64 * 1024 * 1024;
  expect(emitEvents(rt, business, "staff.updated")).toMatchObject({
    lastSequence: 2,
    deliveries: 1,
  });
});
