import { describe, expect, test } from "vitest";
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
} from "../../src/app/webhooks/endpoint-lifecycle.ts";
import { updateEndpoint } from "../../src/app/webhooks/endpoints.ts";
import type { Send } from "../../src/domain/webhooks/webhook-post.ts";
import type { Outcome } from "../../src/domain/webhooks/outcome.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../support/delivery.ts";
import { type TestRuntime, createTestRuntime } from "../support/test-runtime.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const answer = (statusCode: number, retryAfter: string | null = null): Outcome => ({
  kind: "responded",
  statusCode,
  retryAfter,
  responseText: "",
});
const failure = (kind: Exclude<Outcome["kind"], "responded">): Outcome => ({ kind, error: "why" });

/** A receiver that answers by this script, the last answer for ever, and notes the sequence numbers that it was sent. */
function scripted(...outcomes: Outcome[]) {
  const sent: number[] = [];
  const send: Send = async ({ headers }) => {
    const outcome = outcomes[Math.min(sent.length, outcomes.length - 1)]!;
    sent.push(Number(headers["X-Service-Sequence"]));
    return outcome;
  };
  return { sent, send };
}

async function stage(send: Send, url = "http://10.0.0.1/") {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, url);
  const courier = createTestWorker(rt, send);
  const happen = (count = 1) =>
    emitEvents(rt, business, ...Array.from({ length: count }, () => "service.updated" as const));
  /** Lets time pass second by second, as the beat does. */
  const pass = async (ms: number, stepMs = SECOND) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      rt.advance(Math.min(stepMs, ms - passed));
      courier.sweep();
      courier.reviewFailing();
      await courier.whenIdle();
    }
  };
  const settleNow = async () => {
    courier.wake();
    await courier.whenIdle();
  };
  const current = () => rt.store.endpoints.findById(endpoint.id)!;
  return { rt, business, id: endpoint.id, courier, happen, pass, settleNow, current };
}

const statuses = (rt: TestRuntime) => rt.store.tallies.countByStatus();

describe("what an outcome does to its endpoint", () => {
  test("410 disables it at once, as gone, and parks all that is owed to it", async () => {
    const { sent, send } = scripted(answer(410));
    const { rt, courier, happen, settleNow, current, pass } = await stage(send);
    happen(30);
    await settleNow();
    expect(current()).toMatchObject({ status: "DISABLED", disabledReason: "gone" });
    // Those that were on the wire with the first one.
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(statuses(rt)).toMatchObject({ PARKED: 30, PENDING: 0 });
    expect(courier.alerts).toMatchObject([{ type: "endpoint.disabled", business: "salon-aurora" }]);
    const before = sent.length;
    happen();
    await pass(HOUR, MINUTE);
    expect(sent).toHaveLength(before);
  });

  test.each([
    { name: "seconds", hint: "600" },
    { name: "a date", hint: "Fri, 20 Nov 2026 12:10:00 GMT" },
  ])(
    "Retry-After in $name pauses the whole endpoint, and what waits burns no attempt",
    async ({ hint }) => {
      const { sent, send } = scripted(answer(503, hint), answer(200));
      const { rt, happen, settleNow, pass } = await stage(send);
      happen();
      await settleNow();
      happen(5);
      await settleNow();
      await pass(10 * MINUTE - SECOND);
      expect(sent).toEqual([1]);
      expect(rt.store.deliveries.list({}, 10).map(({ attemptCount }) => attemptCount)).toEqual([
        0, 0, 0, 0, 0, 1,
      ]);
      await pass(2 * MINUTE);
      expect(statuses(rt)).toMatchObject({ DELIVERED: 6 });
    },
  );

  test.each([
    { name: "429", outcome: answer(429) },
    { name: "502", outcome: answer(502) },
    { name: "503", outcome: answer(503) },
    { name: "504", outcome: answer(504) },
    { name: "a timeout", outcome: failure("timed_out") },
  ])("$name waits a minute at least and brings it down to one at a time", async ({ outcome }) => {
    let inFlight = 0;
    let most = 0;
    let count = 0;
    const { rt, happen, settleNow, pass } = await stage(async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise(setImmediate);
      inFlight -= 1;
      return (count += 1) === 1 ? outcome : answer(200);
    });
    happen();
    await settleNow();
    expect(rt.store.deliveries.list({}, 1)[0]!.nextAttemptAt! - rt.now()).toBeGreaterThanOrEqual(
      MINUTE,
    );
    most = 0;
    happen();
    happen();
    await settleNow();
    expect(most).toBe(1);
    await pass(75 * SECOND);
    expect(statuses(rt)).toMatchObject({ DELIVERED: 3 });
  });

  test.each([
    { name: "a redirect", outcome: answer(302), error: "HTTP 302" },
    { name: "a client error", outcome: answer(404), error: "HTTP 404" },
    { name: "a server error", outcome: answer(500), error: "HTTP 500" },
    { name: "a refused connection", outcome: failure("refused"), error: "refused: why" },
    {
      name: "a name without address",
      outcome: failure("unresolvable"),
      error: "unresolvable: why",
    },
    { name: "a failed handshake", outcome: failure("tls_failed"), error: "TLS failed: why" },
    { name: "a blocked address", outcome: failure("blocked"), error: "blocked_address: why" },
  ])("$name goes by the schedule, and holds up nothing else", async ({ outcome, error }) => {
    const { sent, send } = scripted(outcome, answer(200));
    const { rt, happen, settleNow, pass, current } = await stage(send);
    happen();
    await settleNow();
    expect(rt.store.deliveries.list({}, 1)).toMatchObject([
      { status: "PENDING", attemptCount: 1, lastError: error },
    ]);
    expect(current()).toMatchObject({ failingSince: rt.now(), failureCount: 1, failedEvents: 1 });
    happen();
    await settleNow();
    expect(sent).toEqual([1, 2]);
    await pass(6 * SECOND);
    expect(sent).toEqual([1, 2, 1]);
    expect(current()).toMatchObject({ failingSince: null, failureCount: 0 });
  });

  test("ten failures in a row leave one probe for each pause; one success lets the rest go", async () => {
    let isUp = false;
    let count = 0;
    const { rt, happen, settleNow, pass } = await stage(
      async () => ((count += 1), answer(isUp ? 200 : 500)),
    );
    happen(40);
    await settleNow();
    expect(count).toBeGreaterThanOrEqual(10);
    expect(count).toBeLessThan(14);
    const atSuspicion = count;
    await pass(29 * SECOND);
    expect(count).toBe(atSuspicion);
    await pass(30 * SECOND);
    expect(count).toBe(atSuspicion + 1);
    isUp = true;
    await pass(10 * MINUTE);
    expect(statuses(rt)).toMatchObject({ DELIVERED: 40, PENDING: 0 });
  });

  test("in the file its failures last over a restart: the new courier only probes it", async () => {
    const { send } = scripted(answer(500));
    const { rt, courier, happen, settleNow } = await stage(send);
    happen(40);
    await settleNow();
    await courier.stop(0);
    let count = 0;
    const next = createTestWorker(rt, async () => ((count += 1), answer(500)));
    next.sweep();
    await next.whenIdle();
    expect(count).toBe(1);
  });
});

describe("the life of an endpoint that fails", () => {
  test("is a warning after a day, an announcement after four, and after five it is disabled", async () => {
    const { send } = scripted(answer(500));
    const { rt, courier, happen, settleNow, pass, current } = await stage(send);
    happen(3);
    await settleNow();
    const told = () => courier.alerts.map(({ type }) => type);
    await pass(DAY - MINUTE, MINUTE);
    expect(told()).toEqual([]);
    await pass(2 * MINUTE, MINUTE);
    expect(told()).toEqual(["endpoint.failing"]);
    await pass(3 * DAY, MINUTE);
    expect(told()).toEqual(["endpoint.failing", "endpoint.disable_scheduled"]);
    expect(courier.alerts[1]!.text).toContain("2026-11-25T12:0");
    await pass(DAY, MINUTE);
    expect(told()).toEqual(["endpoint.failing", "endpoint.disable_scheduled", "endpoint.disabled"]);
    expect(current()).toMatchObject({ status: "DISABLED", disabledReason: "failing" });
    expect(current().failureCount).toBeGreaterThanOrEqual(20);
    expect(statuses(rt)).toMatchObject({ PARKED: 3, PENDING: 0 });
  });

  test("is long while one event alone fails", async () => {
    const { send } = scripted(answer(500));
    const { happen, settleNow, pass, current } = await stage(send);
    happen();
    await settleNow();
    await pass(7 * DAY, 10 * MINUTE);
    expect(current()).toMatchObject({ status: "ACTIVE", failedEvents: 1 });
  });

  test("ends with the first success, which is told when its failing was", async () => {
    let isUp = false;
    const { courier, happen, settleNow, pass, current } = await stage(async () =>
      answer(isUp ? 200 : 500),
    );
    happen(3);
    await settleNow();
    await pass(DAY + HOUR, MINUTE);
    isUp = true;
    await pass(12 * HOUR, MINUTE);
    expect(courier.alerts.map(({ type }) => type)).toEqual([
      "endpoint.failing",
      "endpoint.recovered",
    ]);
    expect(current()).toMatchObject({
      failingSince: null,
      failureCount: 0,
      warnedAt: null,
      disableAt: null,
    });
  });
});

describe("a disabled endpoint", () => {
  test("that is enabled gets all 500 events that were parked, each once and one after the other in their sequence", async () => {
    const sent: number[] = [];
    let inFlight = 0;
    let most = 0;
    const { rt, id, happen, settleNow, pass } = await stage(async ({ headers }) => {
      sent.push(Number(headers["X-Service-Sequence"]));
      most = Math.max(most, (inFlight += 1));
      await new Promise(setImmediate);
      inFlight -= 1;
      return answer(200);
    });
    disableEndpoint(rt, id, "manual");
    happen(500);
    await settleNow();
    expect(sent).toEqual([]);
    expect(statuses(rt)).toEqual({ PARKED: 500 });
    expect(enableEndpoint(rt, id, "all")).toMatchObject({ recovered: 500, cancelled: 0 });
    await pass(SECOND);
    expect(sent).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
    expect(most).toBe(1);
    expect(statuses(rt)).toMatchObject({ DELIVERED: 500, PARKED: 0, PENDING: 0 });
  });

  test.each([
    { recover: "none" as const, expected: [], cancelled: 4 },
    { recover: "later" as const, expected: [3, 4], cancelled: 2 },
  ])(
    "that is enabled with --recover $recover is sent $expected",
    async ({ recover, expected, cancelled }) => {
      const { sent, send } = scripted(answer(200));
      const { rt, id, happen, pass, current } = await stage(send);
      disableEndpoint(rt, id, "manual");
      happen(2);
      rt.advance(HOUR);
      const later = rt.now();
      happen(2);
      rt.advance(HOUR);
      expect(enableEndpoint(rt, id, recover === "later" ? later : recover)).toMatchObject({
        cancelled,
      });
      await pass(SECOND);
      expect(sent).toEqual(expected);
      expect(current()).toMatchObject({ status: "ACTIVE", disabledReason: null });
      expect(statuses(rt)["CANCELLED"]).toBe(cancelled);
    },
  );

  test("gets fresh events before what was parked", async () => {
    const { sent, send } = scripted(answer(200));
    const { rt, id, happen, settleNow } = await stage(send);
    disableEndpoint(rt, id, "manual");
    happen(50);
    enableEndpoint(rt, id, "all");
    happen();
    await settleNow();
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
])("once $who has", ({ connect }) => {
  test.each([
    {
      deed: "disabled",
      act: (rt: Runtime, id: string) => disableEndpoint(rt, id, "manual"),
      left: { PARKED: 16 },
    },
    {
      deed: "deleted",
      act: (rt: Runtime, id: string) => deleteEndpoint(rt, id),
      left: { CANCELLED: 16 },
    },
  ])(
    "$deed an endpoint nothing more goes to it, not even what was read ahead",
    async ({ act, left }) => {
      const held: (() => void)[] = [];
      const { rt, id, courier, happen } = await stage(
        () => new Promise((resolve) => held.push(() => resolve(answer(200)))),
      );
      happen(20);
      courier.wake();
      expect(held).toHaveLength(4);
      // Other connections are looked at once a turn of the event loop.
      await new Promise(setImmediate);
      act(connect(rt), id);
      for (const release of held) release();
      await courier.whenIdle();
      expect(held).toHaveLength(4);
      expect(statuses(rt)).toMatchObject({ DELIVERED: 4, PENDING: 0, ...left });
    },
  );
});

test("an endpoint that moves begins with a clean record at its new place", async () => {
  const urls: string[] = [];
  const { rt, id, happen, settleNow, pass, current } = await stage(async ({ url }) => {
    urls.push(url);
    return answer(url.includes("10.0.0.1") ? 500 : 200);
  });
  happen(20);
  await settleNow();
  const before = urls.length;
  await updateEndpoint(rt, id, { url: "http://10.0.0.2/" });
  expect(current()).toMatchObject({ failingSince: null, failureCount: 0 });
  await pass(10 * SECOND);
  expect(new Set(urls.slice(before))).toEqual(new Set(["http://10.0.0.2/"]));
  expect(statuses(rt)).toMatchObject({ DELIVERED: 20 });
});

test("an endpoint may be given a longer time and more at once, within bounds", async () => {
  const timeouts: number[] = [];
  let inFlight = 0;
  let most = 0;
  const { rt, id, happen, settleNow } = await stage(async ({ timeoutMs }) => {
    timeouts.push(timeoutMs);
    most = Math.max(most, (inFlight += 1));
    await new Promise(setImmediate);
    inFlight -= 1;
    return answer(200);
  });
  await updateEndpoint(rt, id, { timeoutMs: 30_000, maxInFlight: 32 });
  happen(100);
  await settleNow();
  expect(new Set(timeouts)).toEqual(new Set([30_000]));
  expect(most).toBe(32);
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
