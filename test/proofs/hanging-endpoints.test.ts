import { expect, test } from "vitest";
import { createEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { appendEventFor } from "../../src/app/events.ts";
import type { AttemptNotice } from "../../src/delivery/delivery-worker.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { addBusiness, buildEventDraft, createTestWorker } from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const BUSINESSES = 10;
const ENDPOINTS_EACH = 50;
const HANGING = 0.3;
const ROUNDS = 4;
/** At four attempts each they hold every fast slot that there is. */
const TOGETHER = 205;
const FAST_SLOTS = 820;

/** Endpoints of one receiver, with the events owed to each alone; businesses have 50 of them at most. */
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

test("endpoints that never failed and begin to hang together hold up nobody for more than seconds", async () => {
  const rt = createTestRuntime();
  const [well, hanging] = [await createReceiver(), await createReceiver([{ hold: true }])];
  const courier = createTestWorker(rt);
  const others = await subscribeTo(rt, hanging.url, "hanging", TOGETHER);
  const answering = await subscribeTo(rt, well.url, "well", ENDPOINTS_EACH);
  rt.tx(() => others.forEach((emit) => [1, 2, 3, 4].forEach(emit)));
  courier.wake();
  await expect.poll(() => hanging.requests.length, { timeout: 5000 }).toBe(FAST_SLOTS);

  rt.tx(() => answering.forEach((emit) => emit()));
  courier.wake();
  rt.advance(1000);
  courier.sweep();
  await new Promise((resolve) => setImmediate(resolve));
  expect(well.requests).toHaveLength(0);

  // The beat's next second: the hanging ones have been on the wire for two.
  rt.advance(1000);
  courier.sweep();
  await expect
    .poll(() => courier.attempts.filter(isDone).length, { timeout: 5000 })
    .toBe(answering.length);
  expect(hanging.requests).toHaveLength(FAST_SLOTS);
});

test("no delivery to an endpoint that answers waits for one of the third that hang", async () => {
  const rt = createTestRuntime();
  const [well, hanging] = [await createReceiver(), await createReceiver([{ hold: true }])];
  const courier = createTestWorker(rt);
  const others = await subscribeTo(
    rt,
    hanging.url,
    "hanging",
    BUSINESSES * ENDPOINTS_EACH * HANGING,
  );
  const answering = await subscribeTo(
    rt,
    well.url,
    "well",
    BUSINESSES * ENDPOINTS_EACH * (1 - HANGING),
  );
  for (let round = 1; round <= ROUNDS; round++) {
    // Those that hang come first, and are soon owed more than may be on the wire to them.
    rt.tx(() => others.forEach((emit) => [1, 2, 3].forEach(emit)));
    rt.tx(() => answering.forEach((emit) => emit()));
    courier.wake();
    await expect
      .poll(() => courier.attempts.filter(isDone).length, { timeout: 5000 })
      .toBe(round * answering.length);
  }
  expect(hanging.requests).toHaveLength(others.length * 4);
  expect(courier.attempts.every(isDone)).toBe(true);
});
