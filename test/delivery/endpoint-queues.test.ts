import { expect, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { createEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { createEndpointQueues } from "../../src/delivery/endpoint-queues.ts";
import { readStatus } from "../../src/app/operations/status.ts";
import { CHECKS } from "../support/checks.ts";
import type { ConfigFlags } from "../../src/config.ts";
import type { Outcome } from "../../src/domain/webhooks/settle.ts";
import type { WebhookPost } from "../../src/domain/webhooks/webhook-post.ts";
import { addBusiness, createTestWorker, emitEvents } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Sets up a business whose partners' receivers share one host, and a worker with a fake sender. */
function setUp(flags: ConfigFlags = {}) {
  const rt = createTestRuntime(flags);
  const business = addBusiness(rt);
  const createTestKey = (name: string) =>
    createKey(rt, {
      businessId: business.id,
      name,
      kind: "RESTRICTED",
      scopes: ["webhooks.write"],
    }).key.id;
  const subscribe = (keyId: string | null, path: string, allowPrivate = false) =>
    createEndpoint(
      rt,
      {
        businessId: business.id,
        keyId,
        name: path,
        url: `https://shared.example/${path}`,
        events: ["service.updated"],
        allowPrivate,
      },
      async () => ["1.1.1.1"],
    );
  const hanging = new Map<WebhookPost, (outcome: Outcome) => void>();
  const hang = (post: WebhookPost) => new Promise<Outcome>((resolve) => hanging.set(post, resolve));
  const sentAt: number[] = [];
  const respond = (statusCode: number) => async (): Promise<Outcome> => {
    sentAt.push(rt.now());
    return { kind: "responded", statusCode, retryAfter: null, responseText: "" };
  };
  /** Returns the highest number of requests in any 60 minutes. */
  const busiestHour = () =>
    Math.max(
      ...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + HOUR_MS).length),
    );
  return { rt, business, createTestKey, subscribe, hang, hanging, respond, sentAt, busiestHour };
}

test("a host gets at most 8 deliveries at a time, over all businesses and keys", async () => {
  const { rt, business, createTestKey, subscribe, hang, hanging } = setUp();
  for (const name of ["a", "b", "c"]) {
    const keyId = createTestKey(name);
    for (let i = 0; i < 5; i++) await subscribe(keyId, `${name}${i}`);
  }
  const worker = createTestWorker(rt, hang);
  emitEvents(rt, business, ...Array.from({ length: 5 }, () => "service.updated" as const));
  worker.wake();
  worker.sweep();
  expect(hanging.size).toBeGreaterThanOrEqual(6);
  for (let responded = 0; responded < 75; responded++) {
    // The next deliveries wait neither for a sweep nor for an event.
    await expect.poll(() => hanging.size, { interval: 1 }).toBeGreaterThanOrEqual(1);
    expect(hanging.size).toBeLessThanOrEqual(8);
    const [post, resolve] = hanging.entries().next().value ?? expect.fail();
    hanging.delete(post);
    resolve({ kind: "responded", statusCode: 200, retryAfter: null, responseText: "" });
  }
  await worker.whenIdle();
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 75, PENDING: 0 });
});

test("a key whose receivers hang leaves room for the deliveries of other keys to the host", async () => {
  const { rt, business, createTestKey, subscribe, hang } = setUp();
  const hostile = createTestKey("hostile");
  for (let i = 0; i < 10; i++) await subscribe(hostile, `hang${i}`);
  await subscribe(createTestKey("other"), "other");
  const urls: string[] = [];
  const worker = createTestWorker(rt, (post) => {
    urls.push(post.url);
    return post.url.endsWith("/other")
      ? Promise.resolve({ kind: "responded", statusCode: 200, retryAfter: null, responseText: "" })
      : hang(post);
  });
  for (let round = 1; round <= 3; round++) {
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await expect
      .poll(() => urls.filter((url) => url.endsWith("/other")).length, { interval: 1 })
      .toBe(round);
    expect(urls.filter((url) => !url.endsWith("/other"))).toHaveLength(6);
  }
});

test("the limit per host is configurable, and an endpoint that the operator trusts is exempt", async () => {
  const { rt, business, subscribe, hang, hanging } = setUp({ maxInFlightPerHost: 2 });
  for (let i = 0; i < 4; i++) await subscribe(null, `limited${i}`);
  const worker = createTestWorker(rt, hang);
  emitEvents(rt, business, "service.updated");
  worker.wake();
  expect(hanging.size).toBe(2);
  for (let i = 0; i < 4; i++) await subscribe(null, `trusted${i}`, true);
  emitEvents(rt, business, "service.updated");
  worker.wake();
  expect(hanging.size).toBe(6);
});

test("a host that never accepted a delivery gets at most 60 requests an hour, across restarts", async () => {
  const { rt, business, createTestKey, subscribe, respond, sentAt, busiestHour } = setUp();
  const key = createTestKey("partner");
  for (let i = 0; i < 10; i++) await subscribe(key, `${i}`);
  let worker = createTestWorker(rt, respond(500));
  for (let minute = 0; minute < 150; minute++) {
    if (minute % 7 === 0) {
      await worker.stop(1000);
      worker = createTestWorker(rt, respond(500));
    }
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
    worker.sweep();
    await worker.whenIdle();
    rt.advance(MINUTE_MS);
  }
  expect(busiestHour()).toBeLessThanOrEqual(60);
  expect(sentAt.length).toBeGreaterThan(100);
  const status = readStatus(rt, CHECKS);
  expect(status.limitedHosts).toEqual(["shared.example"]);
  expect(status.problems.filter(({ about }) => about === "delivery-worker")).toEqual([]);
});

test("a single 2xx response ends the hourly limit of a host, and the deliveries that waited have lost no attempt", async () => {
  const { rt, business, createTestKey, subscribe, respond, sentAt } = setUp();
  const { endpoint } = await subscribe(createTestKey("partner"), "hook");
  const types = Array.from({ length: 200 }, () => "service.updated" as const);
  emitEvents(rt, business, ...types);
  rt.tx(() => {
    for (let i = 0; i < 60; i++)
      rt.store.hosts.recordRequest("shared.example", "delivery", rt.now());
  });
  const worker = createTestWorker(rt, respond(204));
  worker.sweep();
  await worker.whenIdle();
  expect(sentAt).toEqual([]);
  rt.advance(HOUR_MS + 1);
  while (sentAt.length < 200) {
    worker.sweep();
    await worker.whenIdle();
  }
  const deliveries = rt.store.deliveries.list({ endpointId: endpoint.id }, 1000);
  expect(new Set(deliveries.map((row) => `${row.status} ${row.attemptCount}`))).toEqual(
    new Set(["DELIVERED 1"]),
  );
  expect(rt.store.hosts.findVerifiedAt("shared.example")).toBe(rt.now());
});

test("a cached endpoint is read once after each commit of another writer, and once after it is marked as expired", async () => {
  const { rt, subscribe } = setUp();
  const { endpoint } = await subscribe(null, "hook");
  const { findTarget } = rt.store.endpoints;
  let reads = 0;
  rt.store.endpoints.findTarget = (id) => ((reads += 1), findTarget(id));
  const queues = createEndpointQueues(rt);
  const countReads = (commitCount: number) => {
    reads = 0;
    for (let n = 0; n < 3; n++) queues.load(endpoint.id, commitCount);
    return reads;
  };
  expect([1, 2, 2, 3].map(countReads)).toEqual([1, 1, 0, 1]);
  queues.find(endpoint.id)?.expire();
  expect(countReads(3)).toBe(1);
});
