import { checkEndpoint } from "../../src/app/operations/delivery-conditions.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
} from "../../src/app/webhooks/endpoint-lifecycle.ts";
import { updateEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { recordAcceptedTest } from "../../src/app/webhooks/test-endpoint.ts";
import { nextAttemptOf } from "../../src/domain/webhooks/failing-endpoint.ts";
import type { Send } from "../../src/domain/webhooks/webhook-post.ts";
import type { Outcome } from "../../src/domain/webhooks/settle.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { EndpointQueue } from "../../src/delivery/endpoint-queue.ts";
import type { DueRow } from "../../src/store/webhooks/due.ts";
import type { TargetRow } from "../../src/store/webhooks/endpoints.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../support/delivery.ts";
import { type TestRuntime, createTestRuntime } from "../support/test-runtime.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const responded = (statusCode: number, retryAfter: string | null = null): Outcome => ({
  kind: "responded",
  statusCode,
  retryAfter,
  responseText: "",
});
const failed = (kind: Exclude<Outcome["kind"], "responded">): Outcome => ({ kind, error: "why" });

/**
 * Returns a receiver that responds with these outcomes in turn and repeats the last. It records
 * sequence numbers.
 */
function createReceiver(...outcomes: Outcome[]) {
  const sent: number[] = [];
  const send: Send = async ({ headers }) => {
    const outcome = outcomes[Math.min(sent.length, outcomes.length - 1)]!;
    sent.push(Number(headers["X-Service-Sequence"]));
    return outcome;
  };
  return { sent, send };
}

async function setUp(send: Send, url = "http://10.0.0.1/") {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, url);
  const worker = createTestWorker(rt, send);
  const emit = (count = 1) =>
    emitEvents(rt, business, ...Array.from({ length: count }, () => "service.updated" as const));
  /** Advances the time in steps, and runs the scheduled jobs after each. */
  const advanceTime = async (ms: number, stepMs = SECOND_MS) => {
    for (let elapsed = 0; elapsed < ms; elapsed += stepMs) {
      rt.advance(Math.min(stepMs, ms - elapsed));
      worker.sweep();
      worker.reviewFailing();
      await worker.whenIdle();
    }
  };
  const deliver = async () => {
    worker.wake();
    await worker.whenIdle();
  };
  const getEndpoint = () => rt.store.endpoints.findById(endpoint.id)!;
  const conditions = () => checkEndpoint(rt, getEndpoint());
  return {
    rt,
    business,
    id: endpoint.id,
    worker,
    emit,
    advanceTime,
    deliver,
    getEndpoint,
    conditions,
  };
}

const countByStatus = (rt: TestRuntime) => rt.store.tallies.countByStatus();

describe("the outcome of a delivery", () => {
  test("a response of 410 disables the endpoint as gone and parks its deliveries", async () => {
    const { sent, send } = createReceiver(responded(410));
    const { rt, id, worker, emit, deliver, getEndpoint, advanceTime, conditions } =
      await setUp(send);
    emit(30);
    await deliver();
    expect(getEndpoint()).toMatchObject({ status: "DISABLED", disabledReason: "gone" });
    // Up to four attempts were in flight together.
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(countByStatus(rt)).toMatchObject({ PARKED: 30, PENDING: 0 });
    expect(worker.disabled).toEqual([id]);
    expect(conditions()).toMatchObject([{ code: "endpoint.disabled", business: "salon-aurora" }]);
    const before = sent.length;
    emit();
    await advanceTime(HOUR_MS, MINUTE_MS);
    expect(sent).toHaveLength(before);
  });

  test("a response of 410 after successful ones also disables the endpoint before another delivery starts", async () => {
    const { sent, send } = createReceiver(responded(200), responded(410));
    const { rt, emit, deliver } = await setUp(send);
    emit();
    await deliver();
    emit(30);
    await deliver();
    // Up to four attempts were in flight together.
    expect(sent.length).toBeLessThanOrEqual(1 + 4);
    expect(countByStatus(rt)).toMatchObject({ DELIVERED: 1, PARKED: 30, PENDING: 0 });
  });

  test.each([
    { name: "seconds", hint: "600" },
    { name: "a date", hint: "Fri, 20 Nov 2026 12:10:00 GMT" },
  ])(
    "Retry-After in $name delays the deliveries of the endpoint, and waiting uses up no attempt",
    async ({ hint }) => {
      const { sent, send } = createReceiver(responded(503, hint), responded(200));
      const { rt, emit, deliver, advanceTime } = await setUp(send);
      emit();
      await deliver();
      emit(5);
      await deliver();
      await advanceTime(10 * MINUTE_MS - SECOND_MS);
      expect(sent).toEqual([1]);
      expect(rt.store.deliveries.list({}, 10).map(({ attemptCount }) => attemptCount)).toEqual([
        0, 0, 0, 0, 0, 1,
      ]);
      await advanceTime(2 * MINUTE_MS);
      expect(countByStatus(rt)).toMatchObject({ DELIVERED: 6 });
    },
  );

  test.each([
    { name: "429", outcome: responded(429) },
    { name: "502", outcome: responded(502) },
    { name: "503", outcome: responded(503) },
    { name: "504", outcome: responded(504) },
    { name: "a timeout", outcome: failed("timed_out") },
  ])(
    "the outcome $name delays the retry by at least a minute and limits the endpoint to one delivery at a time",
    async ({ outcome }) => {
      let inFlight = 0;
      let maxInFlight = 0;
      let count = 0;
      const { rt, emit, deliver, advanceTime } = await setUp(async () => {
        inFlight += 1;
        maxInFlight = Math.max(maxInFlight, inFlight);
        await new Promise(setImmediate);
        inFlight -= 1;
        return (count += 1) === 1 ? outcome : responded(200);
      });
      emit();
      await deliver();
      expect(rt.store.deliveries.list({}, 1)[0]!.nextAttemptAt! - rt.now()).toBeGreaterThanOrEqual(
        MINUTE_MS,
      );
      maxInFlight = 0;
      emit();
      emit();
      await deliver();
      expect(maxInFlight).toBe(1);
      await advanceTime(75 * SECOND_MS);
      expect(countByStatus(rt)).toMatchObject({ DELIVERED: 3 });
    },
  );

  test.each([
    { name: "a redirect", outcome: responded(302), error: "HTTP 302" },
    { name: "a client error", outcome: responded(404), error: "HTTP 404" },
    { name: "a server error", outcome: responded(500), error: "HTTP 500" },
    { name: "a refused connection", outcome: failed("refused"), error: "refused: why" },
    {
      name: "a name without address",
      outcome: failed("unresolvable"),
      error: "unresolvable: why",
    },
    { name: "a failed handshake", outcome: failed("tls_failed"), error: "TLS failed: why" },
    { name: "a blocked address", outcome: failed("blocked"), error: "blocked_address: why" },
  ])(
    "the outcome $name is retried on schedule and delays no other delivery",
    async ({ outcome, error }) => {
      const { sent, send } = createReceiver(outcome, responded(200));
      const { rt, emit, deliver, advanceTime, getEndpoint } = await setUp(send);
      emit();
      await deliver();
      expect(rt.store.deliveries.list({}, 1)).toMatchObject([
        { status: "PENDING", attemptCount: 1, lastError: error },
      ]);
      expect(getEndpoint()).toMatchObject({
        failingSince: rt.now(),
        failureCount: 1,
        failedEvents: 1,
      });
      emit();
      await deliver();
      expect(sent).toEqual([1, 2]);
      await advanceTime(6 * SECOND_MS);
      expect(sent).toEqual([1, 2, 1]);
      expect(getEndpoint()).toMatchObject({ failingSince: null, failureCount: 0 });
    },
  );

  test("ten failures in a row reduce deliveries to probes, until a probe succeeds", async () => {
    let isUp = false;
    let count = 0;
    const { rt, emit, deliver, advanceTime } = await setUp(
      async () => ((count += 1), responded(isUp ? 200 : 500)),
    );
    emit(40);
    await deliver();
    expect(count).toBeGreaterThanOrEqual(10);
    expect(count).toBeLessThan(14);
    const whenProbingStarts = count;
    // Probes are sent after 1, 3, 7, 15 and 31 s.
    await advanceTime(32 * SECOND_MS);
    expect(count).toBe(whenProbingStarts + 5);
    isUp = true;
    await advanceTime(10 * MINUTE_MS);
    expect(countByStatus(rt)).toMatchObject({ DELIVERED: 40, PENDING: 0 });
  });

  test("a restarted worker sends only one probe to an endpoint that failed before the restart", async () => {
    const { send } = createReceiver(responded(500));
    const { rt, worker, emit, deliver } = await setUp(send);
    emit(40);
    await deliver();
    await worker.stop(0);
    let count = 0;
    const next = createTestWorker(rt, async () => ((count += 1), responded(500)));
    next.sweep();
    await next.whenIdle();
    expect(count).toBe(1);
  });
});

describe("while its receiver is down, an endpoint", () => {
  /**
   * Returns an endpoint whose receiver refuses connections until `isUp`, and records the time of
   * each attempt.
   */
  async function setUpDown() {
    const receiver = { isUp: false, askedAt: [] as number[], attempts: new Map<string, number>() };
    const setup = await setUp(async ({ headers }) => {
      receiver.askedAt.push(setup.rt.monotonic());
      const id = headers["X-Service-Delivery"]!;
      receiver.attempts.set(id, (receiver.attempts.get(id) ?? 0) + 1);
      return receiver.isUp ? responded(200) : failed("refused");
    });
    return { ...setup, receiver, start: setup.rt.monotonic() };
  }

  test("while a receiver is down, only the deliveries in flight and one delivery per probe use up attempts", async () => {
    const { emit, deliver, advanceTime, receiver, rt } = await setUpDown();
    emit(240);
    await deliver();
    expect(receiver.attempts.size).toBeLessThanOrEqual(5);
    const before = receiver.askedAt.length;
    await advanceTime(64 * SECOND_MS);
    expect(receiver.askedAt.length - before).toBe(6);
    expect(Math.max(...receiver.attempts.values())).toBeLessThanOrEqual(3);
    receiver.isUp = true;
    await advanceTime(64 * SECOND_MS);
    expect(countByStatus(rt)).toMatchObject({ DELIVERED: 240, PENDING: 0 });
  });

  // The limits allow ten failures, then probes after backoffs of 30 s that double up to 15 min.
  test.each([
    { backlog: 1, limit: 11 },
    { backlog: 240, limit: 112 },
  ])(
    "a receiver that is down gets at most $limit requests a day from a backlog of $backlog deliveries",
    async (each) => {
      const { emit, deliver, advanceTime, receiver } = await setUpDown();
      emit(each.backlog);
      await deliver();
      await advanceTime(DAY_MS, 5 * SECOND_MS);
      expect(receiver.askedAt.length).toBeLessThanOrEqual(each.limit);
    },
  );

  test("an endpoint whose receiver is down has heldUntil and heldReason, and its deliveries wait until then", async () => {
    const { emit, deliver, advanceTime, receiver, rt, getEndpoint } = await setUpDown();
    emit(40);
    await deliver();
    await advanceTime(8 * SECOND_MS);
    const { heldUntil, heldReason } = getEndpoint();
    expect(heldReason).toBe("failing");
    expect(heldUntil! - rt.now()).toBeGreaterThan(0);
    const [untried] = rt.store.deliveries.list({}, 1);
    expect(untried!.nextAttemptAt).toBeLessThan(rt.now());
    expect(nextAttemptOf(untried!, rt.now())).toEqual({ nextAttemptAt: heldUntil, heldUntil });
    expect(rt.store.due.getNextAttemptAt(rt.now())).toBe(heldUntil);
    receiver.isUp = true;
    await advanceTime(20 * SECOND_MS);
    expect(getEndpoint()).toMatchObject({ heldUntil: null, heldReason: null });
  });

  test.each([0, 300, 700])(
    "after an outage of 2 seconds, an endpoint gets a delivery within 3 seconds (sweeps %i ms past each second)",
    async (phaseMs) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const { rt, worker, emit, receiver, start } = await setUpDown();
      const now = () => rt.monotonic() - start;
      emit(240);
      worker.wake();
      const delivered = () => countByStatus(rt)["DELIVERED"] ?? 0;
      while (delivered() === 0 && now() < MINUTE_MS) {
        rt.advance(20);
        await vi.advanceTimersByTimeAsync(20);
        receiver.isUp = now() > 2060;
        if (now() % SECOND_MS === phaseMs) worker.sweep();
      }
      expect(now()).toBeLessThan(5060);
    },
  );

  test.each([
    {
      action: "a successful test",
      act: (rt: Runtime, id: string) => recordAcceptedTest(rt, rt.store.endpoints.findById(id)!),
    },
    {
      action: "enabling it",
      act: (rt: Runtime, id: string) => void enableEndpoint(rt, id, "all"),
    },
    {
      action: "a partner who sets its status",
      act: async (rt: Runtime, id: string) =>
        void (await updateEndpoint(rt, id, { status: "ACTIVE", byPartner: true })),
    },
  ])(
    "the backoff of an endpoint whose receiver was down ends at once with $action",
    async ({ act }) => {
      const { rt, id, emit, deliver, advanceTime, receiver, getEndpoint } = await setUpDown();
      emit(40);
      await deliver();
      await advanceTime(HOUR_MS);
      expect(getEndpoint().heldUntil! - rt.now()).toBeGreaterThan(2 * SECOND_MS);
      receiver.isUp = true;
      await act(rt, id);
      expect(getEndpoint().heldUntil).toBeNull();
      const { failureCount, version } = getEndpoint();
      expect(failureCount).toBeGreaterThan(0);
      await advanceTime(SECOND_MS);
      expect(countByStatus(rt)["DELIVERED"]).toBeGreaterThan(30);
      expect(getEndpoint().version).toBe(version);
    },
  );

  test("a restarted worker at once probes an endpoint whose receiver was down", async () => {
    const { rt, worker, emit, deliver, advanceTime, getEndpoint } = await setUpDown();
    emit(40);
    await deliver();
    await advanceTime(HOUR_MS);
    await worker.stop(0);
    expect(getEndpoint().heldUntil).not.toBeNull();
    createTestWorker(rt, async () => responded(200));
    expect(getEndpoint()).toMatchObject({ heldUntil: null, heldReason: null });
  });
});

test("the backoff that Retry-After requests is stored with its reason", async () => {
  const { send } = createReceiver(responded(503, "600"));
  const { rt, emit, deliver, getEndpoint } = await setUp(send);
  emit();
  await deliver();
  const hold = { heldUntil: rt.now() + 10 * MINUTE_MS, heldReason: "retry_after" };
  expect(getEndpoint()).toMatchObject(hold);
});

test("a restarted worker sends nothing before the time that Retry-After asked for", async () => {
  const { sent, send } = createReceiver(responded(503, "600"), responded(200));
  const { rt, worker, emit, deliver, getEndpoint } = await setUp(send);
  emit();
  await deliver();
  emit(5);
  await worker.stop(0);
  const restarted = createTestWorker(rt, send);
  const sweepAfter = async (ms: number) => {
    rt.advance(ms);
    restarted.sweep();
    await restarted.whenIdle();
  };
  await sweepAfter(10 * MINUTE_MS - SECOND_MS);
  expect(sent).toEqual([1]);
  expect(getEndpoint()).toMatchObject({ heldReason: "retry_after" });
  await sweepAfter(SECOND_MS);
  expect(countByStatus(rt)).toMatchObject({ DELIVERED: 6 });
});

describe("an endpoint that keeps failing", () => {
  test("an endpoint that keeps failing is reported after ten minutes, warned after four days and disabled after five", async () => {
    const { send } = createReceiver(responded(500));
    const { rt, id, worker, emit, deliver, advanceTime, getEndpoint, conditions } =
      await setUp(send);
    emit(3);
    await deliver();
    await advanceTime(10 * MINUTE_MS - SECOND_MS);
    expect(getEndpoint().failureCount).toBeGreaterThanOrEqual(5);
    expect(conditions()).toEqual([]);
    await advanceTime(SECOND_MS);
    expect(conditions()).toMatchObject([
      {
        code: "endpoint.failing",
        text: expect.stringMatching(/has failed \d+ times since \S+ \(HTTP 500\)$/),
      },
    ]);
    await advanceTime(4 * DAY_MS - 8 * MINUTE_MS, MINUTE_MS);
    expect(conditions()).toMatchObject([
      {
        code: "endpoint.disabling",
        text: expect.stringMatching(/the first failure after 2026-11-25T12:0/),
      },
    ]);
    expect(worker.disabled).toEqual([]);
    await advanceTime(2 * DAY_MS, MINUTE_MS);
    expect(worker.disabled).toEqual([id]);
    expect(conditions()).toMatchObject([{ code: "endpoint.disabled" }]);
    expect(getEndpoint()).toMatchObject({ status: "DISABLED", disabledReason: "failing" });
    expect(getEndpoint().failureCount).toBeGreaterThanOrEqual(20);
    expect(countByStatus(rt)).toMatchObject({ PARKED: 3, PENDING: 0 });
  });

  test("an endpoint that keeps failing is not disabled if its receiver works again before the next attempt", async () => {
    let isUp = false;
    const { rt, emit, deliver, advanceTime, getEndpoint } = await setUp(async () =>
      responded(isUp ? 200 : 500),
    );
    emit(3);
    await deliver();
    while (getEndpoint().disableAt === null || rt.now() < getEndpoint().disableAt! - HOUR_MS)
      await advanceTime(HOUR_MS, MINUTE_MS);
    isUp = true;
    await advanceTime(2 * DAY_MS, MINUTE_MS);
    expect(getEndpoint()).toMatchObject({ status: "ACTIVE", disableAt: null });
    expect(countByStatus(rt)).toMatchObject({ DELIVERED: 3, PENDING: 0 });
  });

  test("an endpoint that keeps failing stays active while only one event fails", async () => {
    const { send } = createReceiver(responded(500));
    const { emit, deliver, advanceTime, getEndpoint } = await setUp(send);
    emit();
    await deliver();
    await advanceTime(7 * DAY_MS, 10 * MINUTE_MS);
    expect(getEndpoint()).toMatchObject({ status: "ACTIVE", failedEvents: 1 });
  });

  test("an endpoint that keeps failing recovers with the first success", async () => {
    let isUp = false;
    const { emit, deliver, advanceTime, getEndpoint, conditions } = await setUp(async () =>
      responded(isUp ? 200 : 500),
    );
    emit(3);
    await deliver();
    await advanceTime(HOUR_MS, MINUTE_MS);
    expect(conditions()).toHaveLength(1);
    isUp = true;
    await advanceTime(12 * HOUR_MS, MINUTE_MS);
    expect(conditions()).toEqual([]);
    expect(getEndpoint()).toMatchObject({
      failingSince: null,
      failureCount: 0,
      warnedAt: null,
      disableAt: null,
    });
  });
});

describe("a disabled endpoint", () => {
  test("a disabled endpoint gets its 500 parked events when enabled, once each and in sequence", async () => {
    const sent: number[] = [];
    let inFlight = 0;
    let maxInFlight = 0;
    const { rt, id, emit, deliver, advanceTime } = await setUp(async ({ headers }) => {
      sent.push(Number(headers["X-Service-Sequence"]));
      maxInFlight = Math.max(maxInFlight, (inFlight += 1));
      await new Promise(setImmediate);
      inFlight -= 1;
      return responded(200);
    });
    disableEndpoint(rt, id, "manual");
    emit(500);
    await deliver();
    expect(sent).toEqual([]);
    expect(countByStatus(rt)).toEqual({ PARKED: 500 });
    expect(enableEndpoint(rt, id, "all")).toMatchObject({ recovered: 500, cancelled: 0 });
    await advanceTime(SECOND_MS);
    expect(sent).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
    expect(maxInFlight).toBe(1);
    expect(countByStatus(rt)).toMatchObject({ DELIVERED: 500, PARKED: 0, PENDING: 0 });
  });

  test.each([
    { recover: "none" as const, expected: [], cancelled: 4 },
    { recover: "later" as const, expected: [3, 4], cancelled: 2 },
  ])(
    "a disabled endpoint that is enabled with recover=$recover is sent $expected",
    async ({ recover, expected, cancelled }) => {
      const { sent, send } = createReceiver(responded(200));
      const { rt, id, emit, advanceTime, getEndpoint } = await setUp(send);
      disableEndpoint(rt, id, "manual");
      emit(2);
      rt.advance(HOUR_MS);
      const later = rt.now();
      emit(2);
      rt.advance(HOUR_MS);
      expect(enableEndpoint(rt, id, recover === "later" ? later : recover)).toMatchObject({
        cancelled,
      });
      await advanceTime(SECOND_MS);
      expect(sent).toEqual(expected);
      expect(getEndpoint()).toMatchObject({ status: "ACTIVE", disabledReason: null });
      expect(countByStatus(rt)["CANCELLED"]).toBe(cancelled);
    },
  );

  test("an endpoint that is enabled again gets new events before its parked events", async () => {
    const { sent, send } = createReceiver(responded(200));
    const { rt, id, emit, deliver } = await setUp(send);
    disableEndpoint(rt, id, "manual");
    emit(50);
    enableEndpoint(rt, id, "all");
    emit();
    await deliver();
    expect(sent[0]).toBe(51);
    expect(sent.slice(1)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });
});

describe.each([
  { who: "this process", connect: (rt: TestRuntime): Runtime => rt },
  {
    who: "another process",
    connect: (rt: TestRuntime): Runtime => createTestRuntime({ dataDir: rt.config.dataDir }),
  },
])("when $who changes an endpoint", ({ connect }) => {
  test.each([
    {
      action: "disabled",
      act: (rt: Runtime, id: string) => disableEndpoint(rt, id, "manual"),
      left: { PARKED: 16 },
    },
    {
      action: "deleted",
      act: (rt: Runtime, id: string) => deleteEndpoint(rt, id),
      left: { CANCELLED: 16 },
    },
  ])(
    "nothing more is sent to an endpoint that is $action, not even deliveries that were read before",
    async ({ act, left }) => {
      const held: (() => void)[] = [];
      const { rt, id, worker, emit } = await setUp(
        () => new Promise((resolve) => held.push(() => resolve(responded(200)))),
      );
      emit(20);
      worker.wake();
      expect(held).toHaveLength(4);
      // Commits of other connections are noticed once per event-loop iteration.
      await new Promise(setImmediate);
      act(connect(rt), id);
      for (const release of held) release();
      await worker.whenIdle();
      expect(held).toHaveLength(4);
      expect(countByStatus(rt)).toMatchObject({ DELIVERED: 4, PENDING: 0, ...left });
    },
  );
});

test("the health of an endpoint begins anew when its URL changes", async () => {
  const urls: string[] = [];
  const { rt, id, emit, deliver, advanceTime, getEndpoint } = await setUp(async ({ url }) => {
    urls.push(url);
    return responded(url.includes("10.0.0.1") ? 500 : 200);
  });
  emit(20);
  await deliver();
  const before = urls.length;
  await updateEndpoint(rt, id, { url: "http://10.0.0.2/" });
  expect(getEndpoint()).toMatchObject({ failingSince: null, failureCount: 0 });
  await advanceTime(10 * SECOND_MS);
  expect(new Set(urls.slice(before))).toEqual(new Set(["http://10.0.0.2/"]));
  expect(countByStatus(rt)).toMatchObject({ DELIVERED: 20 });
});

test("timeout and concurrency of an endpoint can be changed within limits", async () => {
  const timeouts: number[] = [];
  let inFlight = 0;
  let maxInFlight = 0;
  const { rt, id, emit, deliver } = await setUp(async ({ timeoutMs }) => {
    timeouts.push(timeoutMs);
    maxInFlight = Math.max(maxInFlight, (inFlight += 1));
    await new Promise(setImmediate);
    inFlight -= 1;
    return responded(200);
  });
  await updateEndpoint(rt, id, { timeoutMs: 30_000, maxInFlight: 32 });
  emit(100);
  await deliver();
  expect(new Set(timeouts)).toEqual(new Set([30_000]));
  expect(maxInFlight).toBe(32);
  for (const changes of [
    { timeoutMs: 999 },
    { timeoutMs: 30_001 },
    { maxInFlight: 0 },
    { maxInFlight: 33 },
  ])
    await expect(updateEndpoint(rt, id, changes)).rejects.toMatchObject({
      code: "validation_failed",
    });
});

test("the first two attempts at a healthy endpoint get prompt permits; redeliveries and later attempts get late ones", () => {
  const row = { isRedelivery: 0, attemptCount: 0, attemptsBefore: 0 };
  const permitFor = (failureCount: number, changes: Partial<DueRow> = {}) => {
    const target = { id: "whe_1", maxInFlight: 4, failureCount, allowPrivate: true } as TargetRow;
    return new EndpointQueue(target, 0).permitFor({ ...row, ...changes } as DueRow);
  };
  expect(permitFor(0)).toBe("PROMPT");
  expect(permitFor(0, { attemptCount: 1 })).toBe("PROMPT");
  expect(permitFor(0, { attemptCount: 2 })).toBe("LATE");
  expect(permitFor(0, { attemptCount: 3, attemptsBefore: 2 })).toBe("PROMPT");
  expect(permitFor(0, { isRedelivery: 1 })).toBe("LATE");
  expect(permitFor(1)).toBe("LATE");
  expect(permitFor(10)).toBe("PROBE");
});
