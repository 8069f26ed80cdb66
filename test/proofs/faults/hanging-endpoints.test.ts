import { expect, onTestFinished, test, vi } from "vitest";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { appendEventFor } from "../../../src/app/events.ts";
import type { AttemptReport } from "../../../src/delivery/delivery-worker.ts";
import { createSender } from "../../../src/delivery/sender.ts";
import type { Send } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { addBusiness, buildEventDraft, createTestWorker } from "../../support/delivery.ts";
import { createReceiver } from "../../support/receiver.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { OutOfPatience, patient } from "../../support/patience.ts";

const BUSINESSES = 10;
const ENDPOINTS_EACH = 50;
const HANGING = 0.3;
const ROUNDS = 4;
/** The maximum number of deliveries to one endpoint that are in flight. */
const IN_FLIGHT = 4;
/**
 * The number of endpoints that hang together. With four attempts in flight each, they use all fast
 * permits.
 */
const TOGETHER = 205;
const FAST_PERMITS = 820;
/** Longer than the longest test here: no attempt ends because its endpoint hangs. */
const ATTEMPT_TIMEOUT_MS = patient(120_000);
const TIMEOUT = { timeout: patient(chooseScale(20_000, 60_000, 60_000)) };
/** The permits of the control: fewer than the hanging endpoints can use. */
const SHARED_PERMITS = 500;

/**
 * Creates endpoints for one receiver, spread over businesses with 50 each. Returns a function per
 * endpoint that emits an event for it.
 */
async function subscribeTo(
  rt: Runtime,
  url: string,
  slug: string,
  count: number,
): Promise<(() => void)[]> {
  const emits: (() => void)[] = [];
  for (let b = 0; emits.length < count; b++) {
    const business = addBusiness(rt, `${slug}-${b}`);
    for (let e = 0; e < ENDPOINTS_EACH && emits.length < count; e++) {
      const request = {
        businessId: business.id,
        keyId: null,
        name: "partner",
        events: ["service.updated"],
      };
      const { endpoint } = await createEndpoint(rt, { ...request, url, allowPrivate: true });
      emits.push(() => void appendEventFor(rt, business, buildEventDraft(), endpoint));
    }
  }
  return emits;
}

const isDone = ({ status }: AttemptReport): boolean => status === "DELIVERED";
/**
 * Opening a connection may exceed its time limit on a busy machine. A delivery that times out is
 * therefore no failure.
 */
const isTimedOut = ({ outcome }: AttemptReport): boolean => outcome === "timed_out";

/** Returns a sender whose requests to hanging endpoints stay in flight until the test ends. */
function createPatientSend(rt: Runtime): Send {
  const sender = createSender(rt.config.urlAllowances, rt.monotonic);
  onTestFinished(sender.close);
  return (post) => sender.send({ ...post, timeoutMs: ATTEMPT_TIMEOUT_MS });
}

/** Waits until the count has reached `most`. Throws OutOfPatience if it does not in time. */
async function waitForCount(what: string, count: () => number, most: number) {
  await vi
    .waitUntil(() => count() >= most, patient(5000))
    .catch(() => Promise.reject(new OutOfPatience(`${count()} of ${most} ${what}.`)));
}

test("healthy endpoints that all begin to hang delay the deliveries of other endpoints by at most two seconds", async () => {
  const rt = createTestRuntime();
  const [healthy, hanging] = [await createReceiver(), await createReceiver([{ hold: true }])];
  const worker = createTestWorker(rt, createPatientSend(rt));
  const others = await subscribeTo(rt, hanging.url, "hanging", TOGETHER);
  const answering = await subscribeTo(rt, healthy.url, "healthy", ENDPOINTS_EACH);
  rt.tx(() => others.forEach((emit) => [1, 2, 3, 4].forEach(emit)));
  worker.wake();
  await waitForCount("requests hang", () => hanging.requests.length, FAST_PERMITS);

  rt.tx(() => answering.forEach((emit) => emit()));
  worker.wake();
  rt.advance(1000);
  worker.sweep();
  await new Promise((resolve) => setImmediate(resolve));
  expect(healthy.requests).toHaveLength(0);

  // A second later, the hanging deliveries have been in flight for two seconds.
  rt.advance(1000);
  worker.sweep();
  await waitForCount(
    "deliveries arrived",
    () => worker.attempts.filter(isDone).length,
    answering.length,
  );
  expect(hanging.requests).toHaveLength(FAST_PERMITS);
});

/**
 * Emits events for endpoints of which some hang, in rounds.
 * @param stallsAfterMs how long a delivery to a healthy endpoint may take
 */
async function deliverAmongHanging(createWorker: typeof createTestWorker, stallsAfterMs: number) {
  const rt = createTestRuntime();
  const [healthy, hanging] = [await createReceiver(), await createReceiver([{ hold: true }])];
  const worker = createWorker(rt, createPatientSend(rt));
  const count = (share: number) => BUSINESSES * ENDPOINTS_EACH * share;
  const others = await subscribeTo(rt, hanging.url, "hanging", count(HANGING));
  const answering = await subscribeTo(rt, healthy.url, "well", count(1 - HANGING));
  const isComplete = (round: number) =>
    worker.attempts.filter(isDone).length === round * answering.length;
  for (let round = 1; round <= ROUNDS; round++) {
    // Events for the hanging endpoints come first. After the second round, each has had more events
    // than it may have deliveries in flight.
    rt.tx(() => others.forEach((emit) => [1, 2, 3].forEach(emit)));
    rt.tx(() => answering.forEach((emit) => emit()));
    worker.wake();
    await vi.waitUntil(() => isComplete(round), stallsAfterMs).catch(() => {});
  }
  // The healthy endpoints may be done on a busy machine before all hanging ones have a connection.
  const mostHeld = others.length * IN_FLIGHT;
  await vi.waitUntil(() => hanging.requests.length >= mostHeld, stallsAfterMs).catch(() => {});
  return {
    expected: ROUNDS * answering.length,
    delivered: worker.attempts.filter(isDone).length,
    failed: worker.attempts.filter((attempt) => !isDone(attempt) && !isTimedOut(attempt)).length,
    held: hanging.requests.length,
    mostHeld,
    hanging: others.length,
  };
}

/** Returns `createTestWorker` with a bug: all endpoints share the permits, even if they hang. */
async function createUnfairWorker(): Promise<typeof createTestWorker> {
  vi.resetModules();
  vi.doMock(import("../../../src/delivery/endpoint-queue.ts"), async (original) => {
    const module = await original();
    return {
      ...module,
      createDeliveryQueue: () => {
        const queue = module.createDeliveryQueue(1);
        let used = 0;
        return Object.assign(queue, {
          hasPermit: () => used < SHARED_PERMITS,
          acquire: () => void (used += 1),
          release: () => void (used -= 1),
          downgradeToLate: () => {},
        });
      },
    };
  });
  onTestFinished(() => {
    vi.doUnmock("../../../src/delivery/endpoint-queue.ts");
    vi.resetModules();
  });
  return (await import("../../support/delivery.ts")).createTestWorker;
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const createWorker = await createUnfairWorker();
  const { delivered, expected } = await deliverAmongHanging(createWorker, 2000);
  return {
    done: `In another worker, all endpoints shared ${SHARED_PERMITS} permits.`,
    figure: `${expected - delivered} of ${expected} deliveries to healthy endpoints still waited.`,
    hasFailed: delivered < expected,
  };
}

test("deliveries to healthy endpoints never wait for the 30 % that hang", TIMEOUT, async () => {
  const outcome = await deliverAmongHanging(createTestWorker, patient(5000));
  const { expected, hanging, held, mostHeld } = outcome;
  expect(outcome.failed).toBe(0);
  expect(held).toBeLessThanOrEqual(mostHeld);
  if (held < mostHeld) throw new OutOfPatience(`${held} of ${mostHeld} requests hang.`);
  const waiting = expected - outcome.delivered;
  if (waiting > 0) throw new OutOfPatience(`${waiting} of ${expected} deliveries still wait.`);
  if (!isRecording()) return;
  recordClaim({
    group: "faults",
    claim: "Endpoints that hang do not delay the others",
    done: `${ROUNDS} rounds of events were sent to ${BUSINESSES * ENDPOINTS_EACH} endpoints, of which ${hanging} never respond.`,
    figure: `All ${expected} deliveries to the healthy endpoints arrived while ${outcome.held} to the others were in flight.`,
    control: await runControl(),
    seed: "none",
  });
});
