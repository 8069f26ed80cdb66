import { expect, test } from "vitest";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { appendEventFor } from "../../../src/app/events.ts";
import type { AttemptNotice } from "../../../src/delivery/delivery-worker.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { addBusiness, buildEventDraft, createTestWorker } from "../../support/delivery.ts";
import { createReceiver } from "../../support/receiver.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const BUSINESSES = 10;
const ENDPOINTS_EACH = 50;
const HANGING = 0.3;
const ROUNDS = 4;
/** Enough endpoints, with four attempts in flight each, to use all fast permits. */
const TOGETHER = 205;
const FAST_PERMITS = 820;

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

const isDone = ({ status }: AttemptNotice): boolean => status === "DELIVERED";

test("healthy endpoints that all begin to hang delay the others by two seconds at most", async () => {
  const rt = createTestRuntime();
  const [healthy, hanging] = [await createReceiver(), await createReceiver([{ hold: true }])];
  const worker = createTestWorker(rt);
  const others = await subscribeTo(rt, hanging.url, "hanging", TOGETHER);
  const answering = await subscribeTo(rt, healthy.url, "healthy", ENDPOINTS_EACH);
  rt.tx(() => others.forEach((emit) => [1, 2, 3, 4].forEach(emit)));
  worker.wake();
  await expect.poll(() => hanging.requests.length, { timeout: 5000 }).toBe(FAST_PERMITS);

  rt.tx(() => answering.forEach((emit) => emit()));
  worker.wake();
  rt.advance(1000);
  worker.sweep();
  await new Promise((resolve) => setImmediate(resolve));
  expect(healthy.requests).toHaveLength(0);

  // One second later, the hanging deliveries have been in flight for two seconds.
  rt.advance(1000);
  worker.sweep();
  await expect
    .poll(() => worker.attempts.filter(isDone).length, { timeout: 5000 })
    .toBe(answering.length);
  expect(hanging.requests).toHaveLength(FAST_PERMITS);
});

test("deliveries to healthy endpoints never wait for the 30 % that hang", async () => {
  const rt = createTestRuntime();
  const [healthy, hanging] = [await createReceiver(), await createReceiver([{ hold: true }])];
  const worker = createTestWorker(rt);
  const others = await subscribeTo(
    rt,
    hanging.url,
    "hanging",
    BUSINESSES * ENDPOINTS_EACH * HANGING,
  );
  const answering = await subscribeTo(
    rt,
    healthy.url,
    "well",
    BUSINESSES * ENDPOINTS_EACH * (1 - HANGING),
  );
  for (let round = 1; round <= ROUNDS; round++) {
    // Queue for the hanging endpoints first, soon more than their limit of deliveries in flight.
    rt.tx(() => others.forEach((emit) => [1, 2, 3].forEach(emit)));
    rt.tx(() => answering.forEach((emit) => emit()));
    worker.wake();
    await expect
      .poll(() => worker.attempts.filter(isDone).length, { timeout: 5000 })
      .toBe(round * answering.length);
  }
  expect(hanging.requests).toHaveLength(others.length * 4);
  expect(worker.attempts.every(isDone)).toBe(true);
});
