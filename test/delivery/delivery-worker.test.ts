import { renameSync } from "node:fs";
import { Stripe } from "stripe";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import Database from "better-sqlite3";
import type { Outcome } from "../../src/domain/webhooks/settle.ts";
import { createProbeTimers } from "../../src/delivery/delivery-worker.ts";
import { createKey, updateKey } from "../../src/app/keys.ts";
import { appendEvents } from "../../src/app/events.ts";
import {
  addBusiness,
  buildEventDraft,
  createTestWorker,
  emitEvents,
  subscribe,
} from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { WAITS } from "../support/waits.ts";

const statuses = (rt: ReturnType<typeof createTestRuntime>) =>
  rt.store.deliveries
    .list({}, 100)
    .map(({ status }) => status)
    .sort();

describe("a delivery", () => {
  test("a delivery is cancelled unsent if its endpoint's key may no longer receive the event", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const { key } = createKey(rt, {
      businessId: business.id,
      name: "partner",
      kind: "SECRET",
      scopes: [],
    });
    const partner = await createReceiver();
    const events = ["service.updated", "booking.created"];
    await subscribe(rt, business, partner.url, events, key.id);
    const worker = createTestWorker(rt);
    emitEvents(rt, business, "service.updated", "booking.created");
    updateKey(rt, key.id, { eventGroups: ["catalog"] });
    worker.wake();
    await worker.whenIdle();

    expect(partner.requests.map(({ headers }) => headers["x-service-event"])).toEqual([
      "service.updated",
    ]);
    const [cancelled] = rt.store.deliveries.list({ status: "CANCELLED" }, 10);
    expect(cancelled).toMatchObject({
      eventType: "booking.created",
      attemptCount: 0,
      lastError: "the API key may not receive this event",
    });
  });

  test("a key without a scope for bookings gets bodies without customer references, and signatures of these bodies", async () => {
    const rt = createTestRuntime({}, Date.now());
    const business = addBusiness(rt);
    const { key } = createKey(rt, {
      businessId: business.id,
      name: "partner",
      kind: "RESTRICTED",
      scopes: ["services.read", "webhooks.write"],
    });
    const partner = await createReceiver();
    const own = await createReceiver();
    const { secret } = await subscribe(rt, business, partner.url, ["booking.created"], key.id);
    await subscribe(rt, business, own.url, ["booking.created"]);
    const worker = createTestWorker(rt);
    const object = { id: "bkg_1", customerRef: "web-812", cancelReason: "ill" };
    rt.tx(() => appendEvents(rt, business, [buildEventDraft("booking.created", object)]));
    worker.wake();
    await worker.whenIdle();

    const bodyOf = ({ body }: { body: Buffer }) =>
      (JSON.parse(body.toString()) as { data: { object: object } }).data.object;
    expect(bodyOf(own.requests[0]!)).toEqual(object);
    const [request] = partner.requests;
    expect(bodyOf(request!)).toEqual({ ...object, customerRef: null, cancelReason: null });
    const signature = request!.headers["x-service-signature"] as string;
    expect(() => Stripe.webhooks.constructEvent(request!.body, signature, secret)).not.toThrow();
    expect(bodyOf(rt.store.events.findById(rt.store.events.list({}, 1)[0]!.id)!)).toEqual(object);
  });

  test("a delivery has the stored envelope as its body, and the headers of the specification", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const partner = await createReceiver();
    await subscribe(rt, business, partner.url);
    const worker = createTestWorker(rt);

    const { events } = emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();

    const [request] = partner.requests;
    const [delivery] = rt.store.deliveries.list({}, 10);
    expect(request).toMatchObject({ method: "POST", path: "/hook" });
    expect(request!.body).toEqual(rt.store.events.findById(events[0]!.id)!.body);
    expect(request!.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-service-event": "service.updated",
      "x-service-delivery": delivery!.id,
      "x-service-attempt": "1",
      "x-service-sequence": "1",
      "webhook-id": events[0]!.id,
    });
    expect(delivery).toMatchObject({
      status: "DELIVERED",
      attemptCount: 1,
      lastStatusCode: 200,
      deliveredAt: rt.now(),
    });
    expect(rt.store.deliveries.listAttempts(delivery!.id)).toMatchObject([
      { n: 1, outcome: "responded", statusCode: 200 },
    ]);
  });

  test("the signature of a delivery verifies with stripe, standardwebhooks and svix, unless a byte is changed", async () => {
    const rt = createTestRuntime({}, Date.now());
    const business = addBusiness(rt);
    const partner = await createReceiver();
    const { secret } = await subscribe(rt, business, partner.url);
    const worker = createTestWorker(rt);
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();

    const { body, headers } = partner.requests[0]!;
    const given = headers as Record<string, string>;
    const verifiers: [string, (body: string) => unknown][] = [
      [
        "stripe",
        (body) => Stripe.webhooks.constructEvent(body, given["x-service-signature"]!, secret),
      ],
      ["standardwebhooks", (body) => new StandardWebhook(secret).verify(body, given)],
      ["svix", (body) => (new SvixWebhook(secret).verify(body, given), JSON.parse(body))],
    ];
    const genuine = body.toString();
    const changed = genuine.replace("Manicure", "Manicurf");
    expect(changed).not.toBe(genuine);
    for (const [name, verify] of verifiers) {
      expect([name, verify(genuine)]).toMatchObject([name, { type: "service.updated" }]);
      expect(() => verify(changed)).toThrow(/signature/i);
    }
  });

  test("a delivery to a receiver that is down is retried when its next attempt is due", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const down = await createReceiver();
    await down.close();
    const { endpoint } = await subscribe(rt, business, down.url);
    const worker = createTestWorker(rt);
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
    const [failed] = rt.store.deliveries.list({}, 1);
    expect(failed).toMatchObject({
      status: "PENDING",
      attemptCount: 1,
      lastError: "refused: connection refused",
    });
    expect(failed!.nextAttemptAt! - rt.now()).toBeGreaterThanOrEqual(5000);
    expect(failed!.nextAttemptAt! - rt.now()).toBeLessThanOrEqual(6000);
    expect(rt.store.endpoints.findById(endpoint.id)!.failingSince).toBe(rt.now());

    const up = await createReceiver([{}], down.port);
    rt.advance(4999);
    worker.sweep();
    await worker.whenIdle();
    expect(up.requests).toHaveLength(0);
    rt.advance(1001);
    worker.sweep();
    await worker.whenIdle();
    expect(up.requests).toHaveLength(1);
    expect(up.requests[0]!.headers["x-service-attempt"]).toBe("2");
    expect(statuses(rt)).toEqual(["DELIVERED"]);
    expect(rt.store.endpoints.findById(endpoint.id)!.failingSince).toBeNull();
  });

  test("a delivery is EXHAUSTED after 20 attempts over 8 days, with all attempts and the last error stored", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const partner = await createReceiver([{ status: 500, body: "on fire" }]);
    await subscribe(rt, business, partner.url);
    const worker = createTestWorker(rt);
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
    const startedAt = rt.now();
    for (;;) {
      const [{ nextAttemptAt } = { nextAttemptAt: null }] = rt.store.deliveries.list({}, 1);
      if (nextAttemptAt === null) break;
      rt.advance(nextAttemptAt - rt.now());
      worker.sweep();
      await worker.whenIdle();
    }
    const [delivery] = rt.store.deliveries.list({}, 1);
    expect(delivery).toMatchObject({
      status: "EXHAUSTED",
      attemptCount: 20,
      lastError: "HTTP 500",
    });
    const attempts = rt.store.deliveries.listAttempts(delivery!.id);
    expect(attempts.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(attempts[19]).toMatchObject({ statusCode: 500, responseText: "on fire" });
    expect(Math.floor((rt.now() - startedAt) / 86_400_000)).toBe(8);
    rt.advance(365 * 86_400_000);
    worker.sweep();
    await worker.whenIdle();
    expect(partner.requests).toHaveLength(20);
  });

  test("a delivery of an event that was altered in the database is not sent and becomes CORRUPT", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const partner = await createReceiver();
    await subscribe(rt, business, partner.url);
    const worker = createTestWorker(rt);
    const { events } = emitEvents(rt, business, "service.updated", "staff.updated");
    const db = new Database(rt.config.databasePath);
    const body = Buffer.from(rt.store.events.findById(events[0]!.id)!.body);
    body[20]! ^= 1;
    db.prepare("UPDATE event SET body = ? WHERE id = ?").run(body, events[0]!.id);
    db.close();
    worker.wake();
    await worker.whenIdle();
    expect(partner.requests.map(({ headers }) => headers["x-service-event"])).toEqual([
      "staff.updated",
    ]);
    expect(statuses(rt)).toEqual(["CORRUPT", "DELIVERED"]);
    expect(rt.logged).toMatchObject([{ level: "error", fields: { event: events[0]!.id } }]);
    expect(rt.store.endpoints.list()[0]!.failureCount).toBe(0);
  });

  test("a delivery to a private address that is no longer allowed is blocked before sending", async () => {
    const rt = createTestRuntime({ allowHttp: true });
    const business = addBusiness(rt);
    const partner = await createReceiver();
    const { endpoint } = await subscribe(rt, business, partner.url);
    const db = new Database(rt.config.databasePath);
    db.prepare("UPDATE endpoint SET allow_private = 0 WHERE id = ?").run(endpoint.id);
    db.close();
    const worker = createTestWorker(rt);
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
    expect(partner.requests).toHaveLength(0);
    expect(worker.attempts).toMatchObject([{ outcome: "blocked", status: "PENDING" }]);
    expect(worker.attempts[0]!.error).toMatch(/^blocked_address: 127\.0\.0\.1 is not/);
  });
});

describe("the delivery worker", () => {
  test("the delivery worker delivers each event to each endpoint once", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const partners = [await createReceiver(), await createReceiver(), await createReceiver()];
    for (const { url } of partners) await subscribe(rt, business, url);
    const worker = createTestWorker(rt);
    const { events } = emitEvents(
      rt,
      business,
      ...Array.from({ length: 30 }, () => "service.updated" as const),
    );
    worker.wake();
    worker.wake();
    worker.sweep();
    await worker.whenIdle();
    const sent = events.map(({ id }) => id);
    for (const { requests } of partners)
      expect(requests.map(({ headers }) => headers["webhook-id"]).sort()).toEqual([...sent].sort());
    expect(statuses(rt)).toEqual(Array(90).fill("DELIVERED"));
  });

  test("the delivery worker sends at most 4 deliveries at once to an endpoint, so a hanging endpoint delays no other", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const [hanging, healthy] = [await createReceiver([{ hold: true }]), await createReceiver()];
    await subscribe(rt, business, hanging.url);
    await subscribe(rt, business, healthy.url);
    const worker = createTestWorker(rt);
    emitEvents(rt, business, ...Array.from({ length: 20 }, () => "service.updated" as const));
    worker.wake();
    await healthy.waitForRequests(20);
    await hanging.waitForRequests(4);
    expect(hanging.requests).toHaveLength(4);
    hanging.release();
    await hanging.waitForRequests(8);
    expect(hanging.requests).toHaveLength(8);
  });

  test("the delivery worker sends again at startup what was in flight when it crashed", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const partner = await createReceiver([{ hold: true }, {}]);
    await subscribe(rt, business, partner.url);
    const first = createTestWorker(rt);
    emitEvents(rt, business, "service.updated");
    first.wake();
    await partner.waitForRequests(1);
    await first.stop(0);

    const second = createTestWorker(rt);
    second.sweep();
    await second.whenIdle();
    expect(partner.requests).toHaveLength(2);
    expect(statuses(rt)).toEqual(["DELIVERED"]);
  });

  test("the delivery worker finishes deliveries in flight before it stops, and starts no others", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const partner = await createReceiver([{ hold: true }]);
    await subscribe(rt, business, partner.url);
    const worker = createTestWorker(rt);
    emitEvents(rt, business, ...Array.from({ length: 6 }, () => "service.updated" as const));
    worker.wake();
    await partner.waitForRequests(4);
    const stopped = worker.stop(10_000);
    partner.release();
    await stopped;
    expect(statuses(rt)).toEqual([
      "DELIVERED",
      "DELIVERED",
      "DELIVERED",
      "DELIVERED",
      "PENDING",
      "PENDING",
    ]);
  });

  test("the delivery worker pauses while the disk is full, and loses no outcome", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    await subscribe(rt, business, "http://10.0.0.1/");
    const sent: string[] = [];
    let held: (() => void)[] | undefined = [];
    const worker = createTestWorker(rt, async ({ headers }) => {
      sent.push(headers["X-Service-Delivery"]!);
      if (held) await new Promise<void>((resolve) => held?.push(resolve));
      return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
    });
    const release = () => held?.splice(0).forEach((resolve) => resolve());
    emitEvents(rt, business, ...Array.from({ length: 100 }, () => "service.updated" as const));
    const { tx } = rt;
    rt.tx = () => {
      throw new Database.SqliteError("database or disk is full", "SQLITE_FULL");
    };
    worker.wake();
    release();
    await vi.waitFor(
      () => expect(rt.logged).toMatchObject([{ message: expect.stringMatching(/disk is full/) }]),
      WAITS,
    );
    expect(sent).toHaveLength(8);
    release();
    worker.sweep();
    await new Promise(setImmediate);
    expect(sent).toHaveLength(8);

    rt.tx = tx;
    held = undefined;
    await worker.whenIdle();
    expect(new Set(sent).size).toBe(100);
    expect(sent).toHaveLength(100);
    expect(statuses(rt)).toEqual(Array(100).fill("DELIVERED"));
  });

  test("the delivery worker continues while another connection holds the write lock, and writes the outcomes afterwards", async () => {
    const rt = createTestRuntime({}, undefined, 0);
    const business = addBusiness(rt);
    await subscribe(rt, business, "http://10.0.0.1/");
    let sent = 0;
    const worker = createTestWorker(rt, async () => {
      sent += 1;
      return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
    });
    emitEvents(rt, business, ...Array.from({ length: 300 }, () => "service.updated" as const));
    const other = new Database(rt.config.databasePath);
    other.exec("BEGIN IMMEDIATE");
    worker.wake();
    await vi.waitFor(() => expect(sent).toBe(300), WAITS);
    expect(rt.store.tallies.countByStatus()).toMatchObject({ PENDING: 300 });
    other.exec("COMMIT");
    other.close();
    await worker.whenIdle();
    expect(rt.store.tallies.countByStatus()).toMatchObject({ PENDING: 0, DELIVERED: 300 });
    expect(sent).toBe(300);
  });

  test("the delivery worker does not let an endpoint's long backlog delay the single delivery of another endpoint", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    await subscribe(rt, business, "http://10.0.0.1/");
    emitEvents(rt, business, ...Array.from({ length: 50 }, () => "service.updated" as const));
    await subscribe(rt, business, "http://10.0.0.2/");
    const sent: string[] = [];
    const worker = createTestWorker(rt, async ({ url }) => {
      sent.push(url);
      return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
    });
    emitEvents(rt, business, "service.updated");
    worker.sweep();
    await worker.whenIdle();
    expect(sent).toHaveLength(52);
    expect(sent.indexOf("http://10.0.0.2/")).toBeLessThanOrEqual(4);
  });

  test("a sweep starts the deliveries of four endpoints at once, and lets other work run before it starts the rest", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    for (let n = 1; n <= 9; n++) await subscribe(rt, business, `http://10.0.0.${n}/`);
    emitEvents(rt, business, "service.updated");
    let sent = 0;
    const worker = createTestWorker(rt, async () => {
      sent += 1;
      return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
    });
    worker.sweep();
    expect(sent).toBe(4);
    await vi.waitFor(() => expect(sent).toBe(9), WAITS);
  });

  test("the delivery worker leaves no timer behind when it stops", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    await subscribe(rt, business, "http://10.0.0.1/");
    const worker = createTestWorker(rt, async () => ({ kind: "refused", error: "ECONNREFUSED" }));
    emitEvents(rt, business, "service.updated", "service_price.updated");
    worker.wake();
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), WAITS);
    vi.runOnlyPendingTimers();
    await worker.whenIdle();
    await worker.stop(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a delivery that was cancelled in flight stays cancelled, unless the receiver has accepted it", async () => {
    for (const [statusCode, expected] of [
      [500, "CANCELLED"],
      [200, "DELIVERED"],
    ] as const) {
      const rt = createTestRuntime();
      const business = addBusiness(rt);
      const partner = await createReceiver([{ hold: true, status: statusCode }]);
      await subscribe(rt, business, partner.url);
      const worker = createTestWorker(rt);
      emitEvents(rt, business, "service.updated");
      worker.wake();
      await partner.waitForRequests(1);
      const db = new Database(rt.config.databasePath);
      db.exec("UPDATE delivery SET status = 'CANCELLED', next_attempt_at = NULL");
      db.close();
      partner.release();
      await worker.whenIdle();
      expect(rt.store.deliveries.list({}, 1)).toMatchObject([
        { status: expected, attemptCount: 1 },
      ]);
    }
  });
});

test("a backoff of up to ten seconds has a timer for its probe, and a longer backoff has none", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const probed: string[] = [];
  const timers = createProbeTimers((endpointId) => void probed.push(endpointId));
  timers.set("whe_short", 10_000);
  timers.set("whe_long", 10_001);
  timers.set("whe_replaced", 10_000);
  timers.set("whe_replaced", 10_001);
  vi.advanceTimersByTime(10_000);
  expect(probed).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(probed).toEqual(["whe_short"]);
  timers.set("whe_short", 10_000);
  timers.stop();
  vi.advanceTimersByTime(20_000);
  expect(probed).toEqual(["whe_short"]);
});

describe("a failure of this machine", () => {
  test.each([
    ["EMFILE", "too many open files"],
    ["ENFILE", "file table overflow"],
    ["ENOBUFS", "no buffer space available"],
    ["ENOMEM", "not enough memory"],
  ])(
    "the error %s of this machine delays a delivery by a second and does not count as an attempt",
    async (error, inWords) => {
      const rt = createTestRuntime();
      await subscribe(rt, addBusiness(rt), "http://127.0.0.1:9/");
      const outcomes: Outcome[] = [
        { kind: "refused", error },
        { kind: "refused", error },
        { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" },
      ];
      const worker = createTestWorker(rt, async () => outcomes.shift()!);
      emitEvents(rt, addBusiness(rt), "service.updated");
      worker.wake();
      await worker.whenIdle();
      const [pending] = rt.store.deliveries.list({}, 1);
      expect(pending).toMatchObject({ status: "PENDING", attemptCount: 0 });
      for (let second = 0; second < 2; second++) {
        rt.advance(1000);
        worker.sweep();
        await worker.whenIdle();
      }
      const [delivery] = rt.store.deliveries.list({}, 1);
      expect(delivery).toMatchObject({ status: "DELIVERED", attemptCount: 1 });
      expect(rt.store.deliveries.listAttempts(delivery!.id)).toHaveLength(1);
      expect(rt.store.endpoints.list()[0]).toMatchObject({ failureCount: 0 });
      expect(rt.logged.filter(({ fields }) => fields["error"] === inWords)).toHaveLength(1);
    },
  );

  test("deliveries continue with the next sweep after the master key is put back", async () => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const partner = await createReceiver();
    await subscribe(rt, business, partner.url);
    // A second runtime stands for a daemon that has not read the key yet.
    const daemon = createTestRuntime({ dataDir: rt.config.dataDir });
    const worker = createTestWorker(daemon);
    const { masterKeyPath } = rt.config;
    renameSync(masterKeyPath, `${masterKeyPath}.away`);
    emitEvents(rt, business, "service.updated");
    worker.wake();
    for (let second = 0; second < 3; second++) {
      daemon.advance(1000);
      worker.sweep();
    }
    expect(daemon.logged).toHaveLength(1);
    renameSync(`${masterKeyPath}.away`, masterKeyPath);
    daemon.advance(1000);
    worker.sweep();
    await worker.whenIdle();
    expect(statuses(rt)).toEqual(["DELIVERED"]);
    expect(partner.requests).toHaveLength(1);
  });
});
