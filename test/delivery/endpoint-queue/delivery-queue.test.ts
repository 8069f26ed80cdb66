import { describe, expect, test } from "vitest";
import { createDeliveryQueue, type PermitKind } from "../../../src/delivery/endpoint-queue.ts";
import type { EndpointClass } from "../../../src/domain/webhooks/endpoint-health.ts";

/**
 * Number of permits: 20 for probes, and 80 fast permits for all other attempts. Late attempts can
 * use at most 40 of these.
 */
const PERMITS = 100;

function createTestQueue() {
  const queue = createDeliveryQueue(PERMITS);
  const sent: string[] = [];
  /**
   * Sends the waiting deliveries.
   * @param pending number of deliveries by endpoint
   * @param kind the kind of permit that each delivery takes
   */
  const dispatch = (pending: Record<string, number>, kind: PermitKind) =>
    queue.dispatch((id) => {
      if (!pending[id]) return "NOTHING";
      if (!queue.hasPermit(kind)) return "NO_PERMIT";
      pending[id] -= 1;
      queue.acquire(kind);
      sent.push(id);
      return "SENT";
    });
  return { ...queue, dispatch, sent };
}

const acquire = (queue: ReturnType<typeof createTestQueue>, kind: PermitKind, count: number) => {
  for (let i = 0; i < count; i++) queue.acquire(kind);
};

test("endpoints send one delivery each in turn, however long their backlogs are", () => {
  const queue = createTestQueue();
  for (const id of ["a", "b", "a", "c"]) queue.enqueue(id, "HEALTHY");
  queue.dispatch({ a: 4, b: 1, c: 2 }, "PROMPT");
  expect(queue.sent).toEqual(["a", "b", "c", "a", "c", "a", "a"]);
});

test("an endpoint with nothing to send is skipped until it is enqueued again", () => {
  const queue = createTestQueue();
  queue.enqueue("a", "HEALTHY");
  queue.dispatch({}, "PROMPT");
  queue.dispatch({ a: 1 }, "PROMPT");
  expect(queue.sent).toEqual([]);
  queue.enqueue("a", "HEALTHY");
  queue.dispatch({ a: 1 }, "PROMPT");
  expect(queue.sent).toEqual(["a"]);
});

test("an endpoint without a permit keeps its turn until a permit is released", () => {
  const queue = createTestQueue();
  acquire(queue, "PROMPT", 79);
  for (const id of ["a", "b", "c"]) queue.enqueue(id, "HEALTHY");
  queue.dispatch({ a: 1, b: 1, c: 1 }, "PROMPT");
  expect(queue.sent).toEqual(["a"]);
  queue.release("PROMPT");
  queue.dispatch({ a: 1, b: 1, c: 1 }, "PROMPT");
  expect(queue.sent).toEqual(["a", "b"]);
});

test.each<{ endpointClass: EndpointClass; kind: PermitKind; max: number }>([
  { endpointClass: "HEALTHY", kind: "PROMPT", max: 80 },
  { endpointClass: "DEGRADED", kind: "LATE", max: 40 },
  { endpointClass: "PROBING", kind: "PROBE", max: 20 },
])("at most $max of 100 permits are used for $kind attempts", ({ endpointClass, kind, max }) => {
  const queue = createTestQueue();
  queue.enqueue("a", endpointClass);
  queue.dispatch({ a: 1000 }, kind);
  expect(queue.sent).toHaveLength(max);
});

test("while all late permits and probes are in use, half of the fast permits are left for prompt attempts", () => {
  const queue = createTestQueue();
  acquire(queue, "LATE", 40);
  acquire(queue, "PROBE", 20);
  queue.enqueue("degraded", "DEGRADED");
  queue.enqueue("probing", "PROBING");
  queue.enqueue("healthy", "HEALTHY");
  queue.dispatch({ degraded: 5, probing: 5, healthy: 1000 }, "PROMPT");
  expect(queue.sent).toHaveLength(40);
  expect(new Set(queue.sent)).toEqual(new Set(["healthy"]));
});

describe("when attempts that became overdue in flight use all fast permits", () => {
  const createHungQueue = () => {
    const queue = createTestQueue();
    acquire(queue, "PROMPT", 80);
    expect(queue.hasPermit("PROMPT")).toBe(false);
    for (let i = 0; i < 80; i++) queue.downgradeToLate();
    return queue;
  };

  test("80 overdue attempts, as many as there are fast permits, leave 40 permits for prompt attempts and none for late ones", () => {
    const queue = createHungQueue();
    queue.enqueue("healthy", "HEALTHY");
    queue.dispatch({ healthy: 1000 }, "PROMPT");
    expect(queue.sent).toHaveLength(40);
    expect(queue.hasPermit("LATE")).toBe(false);
  });

  test("overdue attempts can at most double the attempts in flight, and probes are still sent", () => {
    const queue = createHungQueue();
    acquire(queue, "PROMPT", 40);
    for (let i = 0; i < 40; i++) queue.downgradeToLate();
    acquire(queue, "PROMPT", 39);
    expect(queue.hasPermit("PROMPT")).toBe(true);
    acquire(queue, "PROMPT", 1);
    for (let i = 0; i < 40; i++) queue.downgradeToLate();
    expect(queue.hasPermit("PROMPT")).toBe(false);
    expect(queue.hasPermit("PROBE")).toBe(true);
  });

  test("all permits are available again when the overdue attempts have ended", () => {
    const queue = createHungQueue();
    for (let i = 0; i < 80; i++) queue.release("LATE");
    queue.enqueue("healthy", "HEALTHY");
    queue.dispatch({ healthy: 1000 }, "PROMPT");
    expect(queue.sent).toHaveLength(80);
  });
});

test("enqueueing an endpoint in another class removes it from its earlier class", () => {
  const queue = createTestQueue();
  queue.enqueue("a", "HEALTHY");
  queue.enqueue("a", "PROBING");
  acquire(queue, "PROBE", 20);
  queue.dispatch({ a: 1 }, "PROMPT");
  expect(queue.sent).toEqual([]);
});
