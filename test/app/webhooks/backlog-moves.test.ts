import { expect, test, vi } from "vitest";
import {
  continueBacklogMoves,
  finishBacklogMove,
} from "../../../src/app/webhooks/backlog-moves.ts";
import {
  deleteEndpoint,
  disableEndpoint,
  disableInTransaction,
  enableEndpoint,
  prepareEnable,
} from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import type { Outcome } from "../../../src/domain/webhooks/settle.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestApi } from "../../http/support/api.ts";
import {
  createTestEndpoint,
  jsonRequest,
  renameService,
  WEBHOOKS,
} from "../../http/support/webhooks.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { captureError } from "../../support/use-case.ts";

const OLD = 1200;
const NEW = 1100;
const SLICE = 1000;
const HOUR_MS = 3_600_000;

const OK: Outcome = { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };

/** Creates an endpoint with more pending deliveries than one transaction moves. */
async function setUp() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9000/");
  const emit = (count: number) =>
    emitEvents(rt, business, ...Array<"service.updated">(count).fill("service.updated"));
  emit(OLD);
  rt.advance(HOUR_MS);
  const since = rt.now();
  emit(NEW);
  return { rt, id: endpoint.id, since };
}

/** Returns the sequence numbers that a delivery worker sends now. */
async function deliver(rt: TestRuntime): Promise<number[]> {
  const sent: number[] = [];
  const worker = createTestWorker(rt, ({ headers }) => {
    sent.push(Number(headers["X-Service-Sequence"]));
    return Promise.resolve(OK);
  });
  worker.sweep();
  await worker.whenIdle();
  return sent;
}

const countByStatus = (rt: Runtime) =>
  Object.fromEntries(
    Object.entries(rt.store.tallies.countByStatus()).filter(([, count]) => count > 0),
  );

/** Counts the deliveries by status. The stored counts must agree. */
function countRows(rt: Runtime): Record<string, number> {
  const rows = rt.store.deliveries.list({}, 10_000);
  const counts = Object.fromEntries(
    Map.groupBy(rows, ({ status }) => status)
      .entries()
      .map(([status, { length }]) => [status, length]),
  );
  expect(countByStatus(rt)).toEqual(counts);
  return counts;
}

/** Moves one slice, crashes, and returns the runtime of the next start. */
async function crashAfterFirstSlice(rt: TestRuntime): Promise<TestRuntime> {
  let slices = 0;
  const crashing: Runtime = {
    ...rt,
    tx: (work) => {
      if (slices++ > 0) throw new Error("crash");
      return rt.tx(work);
    },
  };
  await expect(continueBacklogMoves(crashing)).rejects.toThrow("crash");
  return createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
}

test("the backlog of a disabled endpoint is parked in slices, also after a crash, and never sent", async () => {
  const { rt, id } = await setUp();
  expect(disableEndpoint(rt, id, "manual")).toMatchObject({ parked: OLD + NEW });
  expect(countRows(rt)).toEqual({ PENDING: OLD + NEW });
  expect(await deliver(rt)).toEqual([]);
  const restarted = await crashAfterFirstSlice(rt);
  expect(countRows(restarted)).toEqual({ PENDING: OLD + NEW - SLICE, PARKED: SLICE });
  expect(await deliver(restarted)).toEqual([]);
  await continueBacklogMoves(restarted);
  expect(countRows(restarted)).toEqual({ PARKED: OLD + NEW });
  expect(restarted.store.backlogMoves.listUnfinished()).toEqual([]);
});

test("the backlog of an enabled endpoint is recovered in slices, also after a crash, and sent once", async () => {
  const { rt, id, since } = await setUp();
  disableEndpoint(rt, id, "manual");
  finishBacklogMove(rt, id);
  expect(enableEndpoint(rt, id, since)).toMatchObject({ recovered: NEW, cancelled: OLD });
  expect(countRows(rt)).toEqual({ PARKED: OLD + NEW });
  const restarted = await crashAfterFirstSlice(rt);
  expect(countRows(restarted)).toEqual({ PARKED: OLD + NEW - SLICE, CANCELLED: SLICE });
  await continueBacklogMoves(restarted);
  expect(countRows(restarted)).toEqual({ PENDING: NEW, CANCELLED: OLD });
  const sent = await deliver(restarted);
  expect(sent).toEqual(Array.from({ length: NEW }, (_, i) => OLD + i + 1));
  expect(countRows(restarted)).toEqual({ DELIVERED: NEW, CANCELLED: OLD });
});

test("the backlog of a deleted endpoint is cancelled in slices, also after a crash, and never sent", async () => {
  const { rt, id } = await setUp();
  expect(deleteEndpoint(rt, id)).toEqual({ cancelled: OLD + NEW });
  const restarted = await crashAfterFirstSlice(rt);
  expect(countRows(restarted)).toEqual({ PENDING: OLD + NEW - SLICE, CANCELLED: SLICE });
  expect(await deliver(restarted)).toEqual([]);
  await continueBacklogMoves(restarted);
  expect(countRows(restarted)).toEqual({ CANCELLED: OLD + NEW });
});

test("an endpoint cannot be enabled while its backlog is still being parked", async () => {
  const { rt, id } = await setUp();
  disableEndpoint(rt, id, "failing");
  expect(captureError(() => enableEndpoint(rt, id, "none"))).toBe(
    "busy: Its deliveries are still being parked; retry in a moment.",
  );
  finishBacklogMove(rt, id);
  expect(enableEndpoint(rt, id, "none")).toMatchObject({ recovered: 0, cancelled: OLD + NEW });
  // The endpoint is disabled before its deliveries are cancelled, so they stay parked.
  expect(disableEndpoint(rt, id, "manual")).toMatchObject({ parked: 0 });
  await continueBacklogMoves(rt);
  expect(countRows(rt)).toEqual({ PARKED: OLD + NEW });
});

/** Returns the limit of each count that is made in a transaction from now on. */
function watchCountsInTransactions(rt: TestRuntime): unknown[] {
  const limits: unknown[] = [];
  const { tx } = rt;
  const { count } = rt.store.backlogMoves;
  let depth = 0;
  rt.tx = (work) => {
    depth++;
    try {
      return tx(work);
    } finally {
      depth--;
    }
  };
  vi.spyOn(rt.store.backlogMoves, "count").mockImplementation((id, move, limit) => {
    if (depth > 0) limits.push(limit);
    return count(id, move, limit);
  });
  return limits;
}

test("a write transaction never counts a whole backlog", async () => {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, null);
  const limits = watchCountsInTransactions(api);
  const path = `${WEBHOOKS}/${endpoint.id}`;
  const change = async (init: RequestInit, action = "") => {
    limits.length = 0;
    expect((await api.request(`${path}${action}`, init)).ok).toBe(true);
    expect(limits).toEqual([SLICE]);
  };
  await change(jsonRequest("PATCH", { status: "DISABLED" }));
  await change(jsonRequest("PATCH", { status: "ACTIVE" }));
  renameService(api, "Cut");
  limits.length = 0;
  const worker = createTestWorker(api, () => Promise.resolve({ ...OK, statusCode: 410 }));
  worker.sweep();
  await worker.whenIdle();
  expect(api.store.endpoints.findById(endpoint.id)).toMatchObject({ disabledReason: "gone" });
  expect(limits).toEqual([SLICE]);
  await change({ method: "POST" }, "/enable");
  await change({ method: "DELETE" });
});

test("a large backlog is counted only up to a limit in a transaction, and enabling the endpoint counts all of it", async () => {
  const { rt, id } = await setUp();
  const park = { move: "PARK", recoverSince: null } as const;
  expect(rt.store.backlogMoves.count(id, park, SLICE).parked).toBe(SLICE);
  expect(disableInTransaction(rt, id, "failing").parked).toBe(SLICE);
  finishBacklogMove(rt, id);
  const enable = prepareEnable(rt, id, "all", { byPartner: true });
  expect(rt.tx(enable)).toMatchObject({ recovered: OLD + NEW, cancelled: 0 });
});
