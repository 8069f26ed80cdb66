import { expect, test } from "vitest";
import {
  createDeliveryQueue,
  EndpointQueue,
  type PermitKind,
} from "../../src/delivery/endpoint-queue.ts";
import { createInFlight, type InFlightDelivery } from "../../src/delivery/dispatcher.ts";
import { PERMITS } from "../../src/domain/webhooks/endpoint-health.ts";
import type { DueRow } from "../../src/store/webhooks/due.ts";
import type { TargetRow } from "../../src/store/webhooks/endpoints.ts";

const STEP_MS = 20;
const TIMEOUT_MS = 30_000;

/**
 * Simulates the delivery worker: `hanging` endpoints never respond, and one healthy endpoint
 * responds within a step. New events arrive for one hanging endpoint after another. Returns how
 * long each event of the healthy endpoint waited to be sent, in milliseconds.
 */
function simulate({ hanging = 0, maxInFlight = 0, burst = 0, seconds = 0 }): number[] {
  let now = 0;
  const deliveryQueue = createDeliveryQueue(PERMITS);
  const inFlight = createInFlight(deliveryQueue, () => now);
  const backlog = new Map<string, number[]>();
  const queues = new Map<string, EndpointQueue>();
  const running: { delivery: InFlightDelivery; endsAt: number; isSuccess: boolean }[] = [];
  const waits: number[] = [];
  const add = (id: string) => {
    const target = { id, maxInFlight, failureCount: 0, allowPrivate: true } as TargetRow;
    queues.set(id, new EndpointQueue(target, 0));
    backlog.set(id, []);
  };
  add("healthy");
  for (let i = 0; i < hanging; i++) add(`hanging-${i}`);

  const enqueue = (id: string) =>
    deliveryQueue.enqueue(id, queues.get(id)?.endpointClass ?? "HEALTHY");
  const dispatch = () =>
    deliveryQueue.dispatch((id) => {
      const queue = queues.get(id);
      const due = backlog.get(id) ?? [];
      const [createdAt] = due;
      if (!queue?.hasCapacity(now) || createdAt === undefined) return "NOTHING";
      const row = { isRedelivery: 0, attemptCount: 0, attemptsBefore: 0 } as DueRow;
      const permit = queue.permitFor(row);
      if (!deliveryQueue.hasPermit(permit, queue.isIdle)) return "NO_PERMIT";
      due.shift();
      const isSuccess = id === "healthy";
      const delivery = inFlight.add(queue, row, permit);
      running.push({ delivery, endsAt: now + (isSuccess ? STEP_MS : TIMEOUT_MS), isSuccess });
      if (isSuccess) waits.push(now - createdAt);
      return "SENT";
    });

  for (let next = 0; now < seconds * 1000; now += STEP_MS) {
    for (const one of running.filter(({ endsAt }) => endsAt <= now)) {
      running.splice(running.indexOf(one), 1);
      inFlight.remove(one.delivery);
      const outcome = one.isSuccess
        ? ({ kind: "success" } as const)
        : ({ kind: "failure", retryAfterMs: null, isOverloaded: true, isDown: true } as const);
      one.delivery.queue.recordOutcome(outcome, now);
      enqueue(one.delivery.queue.endpointId);
      dispatch();
    }
    if (hanging > 0 && next < hanging) {
      const id = `hanging-${next++}`;
      backlog.get(id)?.push(...Array<number>(burst).fill(now));
      enqueue(id);
    }
    if (now % 500 === 0) {
      backlog.get("healthy")?.push(now);
      enqueue("healthy");
    }
    if (now % 1000 === 0) {
      inFlight.markOverdue();
      for (const [id, due] of backlog) if (due.length > 0) enqueue(id);
    }
    dispatch();
  }
  return [...waits, ...(backlog.get("healthy") ?? []).map((createdAt) => now - createdAt)];
}

test("hundreds of endpoints that hang with many deliveries in flight delay no healthy endpoint", () => {
  const waits = simulate({ hanging: 300, maxInFlight: 32, burst: 100, seconds: 90 });
  expect(waits).toHaveLength(180);
  expect(Math.max(...waits)).toBe(0);
});

test("an overdue attempt degrades its endpoint until the attempt ends, even if it is marked as overdue twice", () => {
  let now = 0;
  const inFlight = createInFlight(createDeliveryQueue(PERMITS), () => now);
  const target = { id: "whe_1", maxInFlight: 4, failureCount: 0, allowPrivate: true } as TargetRow;
  const queue = new EndpointQueue(target, 0);
  const row = { isRedelivery: 0, attemptCount: 0, attemptsBefore: 0 } as DueRow;
  const delivery = inFlight.add(queue, row, "PROMPT");
  inFlight.markOverdue();
  expect(queue.endpointClass).toBe("HEALTHY");
  now += TIMEOUT_MS;
  inFlight.markOverdue();
  inFlight.markOverdue();
  expect(queue.endpointClass).toBe("DEGRADED");
  inFlight.remove(delivery);
  expect(queue.endpointClass).toBe("HEALTHY");
});

test.each<PermitKind>(["PROMPT", "LATE", "PROBE"])(
  "the end of an overdue attempt with a %s permit leaves as many permits of each kind as before",
  (permit) => {
    let now = 0;
    const deliveryQueue = createDeliveryQueue(PERMITS);
    const inFlight = createInFlight(deliveryQueue, () => now);
    const target = {
      id: "whe_1",
      maxInFlight: 4,
      failureCount: 0,
      allowPrivate: true,
    } as TargetRow;
    const queue = new EndpointQueue(target, 0);
    const row = { isRedelivery: 0, attemptCount: 0, attemptsBefore: 0 } as DueRow;
    const countFree = (kind: PermitKind): number => {
      let count = 0;
      for (; deliveryQueue.hasPermit(kind); count++) deliveryQueue.acquire(kind);
      for (let n = 0; n < count; n++) deliveryQueue.release(kind);
      return count;
    };
    const listFree = () => (["PROMPT", "LATE", "PROBE"] as const).map(countFree);
    const before = listFree();
    const delivery = inFlight.add(queue, row, permit);
    now += TIMEOUT_MS;
    inFlight.markOverdue();
    inFlight.remove(delivery);
    expect(listFree()).toEqual(before);
  },
);

test("an attempt that becomes overdue exchanges its prompt permit for a late permit", () => {
  let now = 0;
  // The queue has 8 fast permits, of which late attempts can use 4.
  const deliveryQueue = createDeliveryQueue(10);
  const inFlight = createInFlight(deliveryQueue, () => now);
  const target = { id: "whe_1", maxInFlight: 32, failureCount: 0, allowPrivate: true } as TargetRow;
  const queue = new EndpointQueue(target, 0);
  const row = { isRedelivery: 0, attemptCount: 0, attemptsBefore: 0 } as DueRow;
  const deliveries = Array.from({ length: 8 }, () => inFlight.add(queue, row, "PROMPT"));
  const permits = () => [deliveryQueue.hasPermit("PROMPT"), deliveryQueue.hasPermit("LATE")];
  expect(permits()).toEqual([false, false]);
  now += TIMEOUT_MS;
  inFlight.markOverdue();
  expect(permits()).toEqual([true, false]);
  for (const delivery of deliveries) inFlight.remove(delivery);
  expect(permits()).toEqual([true, true]);
});
