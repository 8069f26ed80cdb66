import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { findCustomer, saveCustomer } from "../../../src/app/bookings/guests.ts";
import { deleteBusiness } from "../../../src/app/delete-business.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { readHistory } from "../../../src/app/operations/history.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CHECKS } from "../../support/checks.ts";
import type { ConfigFlags } from "../../../src/config.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { deleteEndpoint, disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { rotateEndpointSecret } from "../../../src/app/webhooks/endpoint-secrets.ts";
import { createPruner } from "../../../src/app/operations/retention.ts";
import { edit } from "../../support/edit-database.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { readSampleCatalog } from "../../support/sample-catalog.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { confirmedVisit } from "../../support/visit-rows.ts";

const DAY = 86_400_000;

async function setUp(flags: ConfigFlags = {}) {
  const rt = createTestRuntime(flags);
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  const answer = { statusCode: 200 };
  const worker = createTestWorker(rt, async () => ({
    kind: "responded",
    retryAfter: null,
    responseText: "thanks",
    ...answer,
  }));
  const emitAndDeliver = async (count = 1) => {
    emitEvents(rt, business, ...Array.from({ length: count }, () => "service.updated" as const));
    worker.wake();
    await worker.whenIdle();
  };
  const countRows = () => ({
    events: rt.store.events.list({}, 10_000).length,
    deliveries: rt.store.deliveries.list({}, 10_000).length,
  });
  return { rt, business, endpoint, answer, emitAndDeliver, countRows };
}

test("delivered events, their deliveries and attempts are deleted after 30 days", async () => {
  const { rt, emitAndDeliver, countRows } = await setUp();
  await emitAndDeliver(3);
  const prune = createPruner(rt);
  rt.advance(30 * DAY);
  await prune();
  expect(countRows()).toEqual({ events: 3, deliveries: 3 });
  rt.advance(1);
  await prune();
  expect(countRows()).toEqual({ events: 0, deliveries: 0 });
  expect(rt.store.deliveries.listAttemptsAfter(0, 10)).toEqual([]);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 0 });
});

test("delivered events are kept for --keep-days", async () => {
  const { rt, emitAndDeliver, countRows } = await setUp({ keepDays: 9 });
  await emitAndDeliver();
  rt.advance(9 * DAY);
  await createPruner(rt)();
  expect(countRows().events).toBe(1);
  rt.advance(1);
  await createPruner(rt)();
  expect(countRows().events).toBe(0);
});

test("response texts are deleted after 7 days, attempts later", async () => {
  const { rt, emitAndDeliver } = await setUp();
  await emitAndDeliver();
  const { id } = rt.store.deliveries.list({}, 1)[0]!;
  const prune = createPruner(rt);
  rt.advance(7 * DAY);
  await prune();
  expect(rt.store.deliveries.listAttempts(id)).toMatchObject([{ responseText: "thanks" }]);
  rt.advance(1);
  await emitAndDeliver();
  await prune();
  expect(rt.store.deliveries.listAttempts(id)).toMatchObject([
    { statusCode: 200, responseText: null },
  ]);
  const { id: later } = rt.store.deliveries.list({}, 1)[0]!;
  expect(rt.store.deliveries.listAttempts(later)).toMatchObject([{ responseText: "thanks" }]);
});

test("parked deliveries are deleted after 90 days, pending ones never", async () => {
  const { rt, business, endpoint, answer, emitAndDeliver, countRows } = await setUp();
  const waiting = await subscribe(rt, business, "http://10.0.0.2/");
  disableEndpoint(rt, endpoint.id, "manual");
  answer.statusCode = 500;
  await emitAndDeliver();
  const prune = createPruner(rt);
  rt.advance(90 * DAY);
  await prune();
  expect(countRows()).toEqual({ events: 1, deliveries: 2 });
  rt.advance(1);
  await prune();
  expect(rt.store.deliveries.list({}, 10)).toMatchObject([
    { endpointId: waiting.endpoint.id, status: "PENDING" },
  ]);
  expect(countRows().events).toBe(1);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ PARKED: 0, PENDING: 1 });
});

test("the row of a deleted endpoint is removed 30 days later, once no delivery of the endpoint is left", async () => {
  const { rt, business, endpoint, answer, emitAndDeliver } = await setUp();
  const [unused, moving, inUse] = [
    await subscribe(rt, business, "http://10.0.0.2/", ["staff.updated"]),
    await subscribe(rt, business, "http://10.0.0.3/", ["staff.updated"]),
    await subscribe(rt, business, "http://10.0.0.4/", ["staff.updated"]),
  ].map((created) => created.endpoint.id) as [string, string, string];
  answer.statusCode = 410;
  await emitAndDeliver();
  for (const id of [endpoint.id, unused, moving]) deleteEndpoint(rt, id);
  edit(rt, "UPDATE delivery SET status = 'EXHAUSTED'");
  rt.tx(() => rt.store.backlogMoves.start(moving, { move: "CANCEL", recoverSince: null }));
  const listLeft = () =>
    [endpoint.id, unused, moving, inUse].filter((id) => rt.store.endpoints.findOwner(id));
  const prune = createPruner(rt);
  rt.advance(30 * DAY);
  await prune();
  expect(listLeft()).toEqual([endpoint.id, unused, moving, inUse]);
  rt.advance(1);
  await prune();
  expect(listLeft()).toEqual([endpoint.id, moving, inUse]);
  rt.tx(() => rt.store.backlogMoves.finish(moving));
  rt.advance(60 * DAY);
  await prune();
  expect(listLeft()).toEqual([inUse]);
});

const withBudget = (rt: TestRuntime, maxBytes: number): TestRuntime => ({
  ...rt,
  config: { ...rt.config, history: { keepDays: 30, maxBytes } },
});

test("if the history exceeds its maximum size, the oldest delivered events are deleted, but no pending ones", async () => {
  const { rt, answer, emitAndDeliver, countRows } = await setUp();
  await emitAndDeliver(1200);
  answer.statusCode = 500;
  await emitAndDeliver(5);
  const full = rt.store.history.get().bytes;
  await createPruner(withBudget(rt, full))();
  expect(countRows()).toEqual({ events: 1205, deliveries: 1205 });
  await createPruner(withBudget(rt, full / 2))();
  const left = rt.store.events.list({}, 10_000);
  expect(rt.store.history.get().bytes).toBeLessThanOrEqual(full / 2);
  expect(left.length).toBeGreaterThan(500);
  // The newest events remain.
  expect(left.map(({ sequence }) => sequence)).toEqual(left.map((_, i) => 1205 - i));
  await createPruner(withBudget(rt, 0))();
  expect(rt.store.deliveries.list({}, 100).map(({ status }) => status)).toEqual(
    Array(5).fill("PENDING"),
  );
});

/** Applies a catalog with many services like those of the sample salon. */
function applyLargeCatalog(rt: TestRuntime, count: number) {
  const file = readSampleCatalog();
  const samples = file.services ?? [];
  const services = Array.from({ length: count }, (_, i) => {
    const { staff: _staff, variants: _variants, ...service } = samples[i % samples.length]!;
    return { ...service, key: `service-${i}`, name: `${service.name} ${i}` };
  });
  const text = JSON.stringify({ ...file, services, staff: [], promotions: [] });
  return applyCatalog(rt, [{ name: "catalog.json", text }], { seedingAt: rt.now() });
}

test("a large catalog does not shorten the history", async () => {
  const { rt, emitAndDeliver, countRows } = await setUp();
  await emitAndDeliver(20);
  const { bytes } = rt.store.history.get();
  const { slug } = applyLargeCatalog(rt, 1000);
  const { events } = countRows();
  await createPruner(withBudget(rt, rt.store.history.get().bytes))();
  expect(countRows().events).toBe(events);
  deleteBusiness(rt, rt.store.businesses.findBySlug(slug)!);
  expect(rt.store.history.get().bytes).toBe(bytes);
});

test("a cut of the history is reported until the deleted part would have expired", async () => {
  const { rt, emitAndDeliver } = await setUp();
  await emitAndDeliver(3);
  const cutAt = rt.now();
  const small = withBudget(rt, 10);
  const prune = createPruner(small);
  const conditions = () =>
    readStatus(small, CHECKS).problems.filter(({ about }) => about === "history");
  expect([readHistory(small).cutUntil, conditions()]).toEqual([null, []]);
  await prune();
  expect(readHistory(small)).toMatchObject({ cutUntil: cutAt, bytes: 0, oldestAt: null });
  expect(conditions()).toMatchObject([
    {
      code: "history.cut",
      text: expect.stringMatching(/^history was cut: .* before their 30 days were up/),
    },
  ]);
  rt.advance(30 * DAY);
  expect([readHistory(small).cutUntil, conditions()]).toEqual([null, []]);
});

test("the size of the history is close to what SQLite uses for it", async () => {
  const { rt, emitAndDeliver } = await setUp();
  await emitAndDeliver(2000);
  applyLargeCatalog(rt, 2000);
  const db = new Database(rt.config.databasePath, { readonly: true });
  const used = db
    .prepare(`
      SELECT sum(pgsize) FROM dbstat
      WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN ('event', 'delivery', 'attempt'))`)
    .pluck()
    .get() as number;
  db.close();
  const { bytes } = rt.store.history.get();
  expect(bytes / used).toBeGreaterThan(0.8);
  expect(bytes / used).toBeLessThan(1.25);
});

/** Appends to `starts` the number of the row after which each batch of events starts. */
function watchBatches(rt: TestRuntime, starts: number[]): TestRuntime {
  const { retention } = rt.store;
  const pruneEvents: typeof retention.pruneEvents = (after, ...rest) => {
    starts.push(after);
    return retention.pruneEvents(after, ...rest);
  };
  return { ...rt, store: { ...rt.store, retention: { ...retention, pruneEvents } } };
}

test.each([
  ["older than --keep-days", 31 * DAY, Infinity],
  ["above --keep-size", 0, 0],
])("the pruner reads parked events %s once, not in each run", async (_, age, maxBytes) => {
  const { rt, endpoint, emitAndDeliver, countRows } = await setUp();
  disableEndpoint(rt, endpoint.id, "manual");
  await emitAndDeliver(250);
  rt.advance(age);
  const starts: number[] = [];
  const prune = createPruner(watchBatches(withBudget(rt, maxBytes), starts));
  await prune();
  expect(starts).toEqual(expect.arrayContaining([100, 200, 250]));
  starts.length = 0;
  await prune();
  expect(starts).not.toContain(100);
  expect(starts).toContain(250);
  expect(countRows()).toEqual({ events: 250, deliveries: 250 });
});

test("events whose parked deliveries are cancelled are deleted within an hour, even if the pruner has already passed them", async () => {
  const { rt, endpoint, emitAndDeliver, countRows } = await setUp();
  disableEndpoint(rt, endpoint.id, "manual");
  await emitAndDeliver(150);
  const prune = createPruner(withBudget(rt, 0));
  await prune();
  expect(countRows().events).toBe(150);
  deleteEndpoint(rt, endpoint.id);
  rt.advance(3_600_000);
  await prune();
  expect(countRows().events).toBe(0);
});

test("old rows are deleted in transactions that end after 20 ms, with a break after each", async () => {
  const { rt, emitAndDeliver, countRows } = await setUp();
  await emitAndDeliver(1000);
  rt.advance(31 * DAY);
  let elapsed = 0;
  let transactions = 0;
  const slow: TestRuntime = {
    ...rt,
    // Each look at the clock finds that 10 ms have passed.
    monotonic: () => (elapsed += 10),
    tx: (work) => {
      transactions += 1;
      return rt.tx(work);
    },
  };
  await createPruner(slow)();
  expect(countRows()).toEqual({ events: 0, deliveries: 0 });
  expect(transactions).toBeGreaterThan(5);
});

test("expired secrets and old statistics are deleted", async () => {
  const { rt, endpoint, emitAndDeliver } = await setUp();
  await emitAndDeliver();
  const [secret] = rt.store.endpointSecrets.listValid(endpoint.id, rt.now());
  rt.store.endpointSecrets.keepOnly(secret!, rt.now() + 1);
  rt.advance(31 * DAY);
  await createPruner(rt)();
  expect(rt.store.endpointSecrets.list()).toEqual([]);
  expect(rt.store.tallies.listMinutes(0)).toEqual([]);
});

test("if the clock is set back while old rows are deleted, no old secret is deleted before its overlap ends", async () => {
  const { rt, endpoint } = await setUp();
  rotateEndpointSecret(rt, endpoint.id, { overlapMs: DAY });
  const prune = createPruner(rt);
  const finished = prune();
  rt.shiftClock(-2 * DAY);
  await finished;
  expect(rt.store.endpointSecrets.listValid(endpoint.id, rt.now())).toHaveLength(2);
  rt.advance(DAY);
  await prune();
  expect(rt.store.endpointSecrets.list()).toHaveLength(1);
});

describe("after a forward jump of the clock", () => {
  const HOUR = 3_600_000;

  /** Creates events and a guest with a future visit, and a function that prunes as the daemon does. */
  async function setUpJump() {
    const server = await setUp();
    const { rt, business, emitAndDeliver } = server;
    await emitAndDeliver();
    const startsAt = rt.now() + DAY;
    rt.tx(() => {
      rt.store.reservations.insert(business.id, {
        ...confirmedVisit(startsAt, rt.now()),
        id: "rsv_1",
        endsAt: startsAt + HOUR,
        partySize: 2,
        areaId: null,
        tableId: "tbl_1",
      });
      saveCustomer(rt, business.id, "rsv_1", {
        name: "Ana",
        email: null,
        phone: null,
        notes: null,
      });
    });
    let prune = createPruner(rt);
    await prune();
    return {
      ...server,
      restart: () => void (prune = createPruner(rt)),
      async run(ms: number) {
        for (let ranMs = 0; ranMs < ms; ranMs += HOUR) {
          rt.advance(HOUR);
          await prune();
        }
      },
      hasGuest: () => findCustomer(rt, "rsv_1") !== null,
    };
  }

  test("nothing is deleted too early if the clock is corrected within a day, even after a restart", async () => {
    const { rt, run, restart, countRows, hasGuest } = await setUpJump();
    rt.shiftClock(200 * DAY);
    await run(HOUR);
    restart();
    await run(DAY / 2);
    rt.shiftClock(-200 * DAY);
    await run(DAY);
    expect([countRows().events, hasGuest()]).toEqual([1, true]);
    rt.advance(30 * DAY);
    await run(HOUR);
    expect(countRows().events).toBe(0);
  });

  test("an automatic erasure is stored with the time of the wall clock, not of the retention clock", async () => {
    const { rt, business, run, hasGuest } = await setUpJump();
    rt.store.file.emptyLog = () => false;
    rt.advance(91 * DAY - HOUR);
    await run(HOUR);
    rt.shiftClock(5 * DAY);
    await run(HOUR);
    expect(hasGuest()).toBe(true);
    for (let hours = 0; hasGuest() && hours < 10; hours++) await run(HOUR);
    expect(hasGuest()).toBe(false);
    expect(rt.store.file.findLogKeptSince()).toBe(rt.now());
    expect(rt.store.reservations.findById(business.id, "rsv_1")?.updatedAt).toBe(rt.now());
  });

  test("data that a jump of the clock makes old are deleted only once the daemon has run for a day", async () => {
    const { rt, run, restart, countRows, hasGuest } = await setUpJump();
    rt.shiftClock(200 * DAY);
    for (let i = 0; i < 2; i++) {
      // A machine that is off each night counts only the hours in which it runs.
      await run(DAY / 2 - HOUR);
      expect([countRows().events, hasGuest()]).toEqual([1, true]);
      rt.shiftClock(DAY / 2);
      restart();
    }
    await run(2 * HOUR);
    expect([countRows().events, hasGuest()]).toEqual([0, false]);
    expect(rt.logged.filter(({ message }) => message.includes("in a day"))).toHaveLength(1);
  });
});

test("with less than 64 MB free, new data is rejected while deliveries continue", async () => {
  const { rt, business, emitAndDeliver } = await setUp();
  emitEvents(rt, business, "service.updated");
  rt.freeBytes = () => 64 * 1024 * 1024 - 1;
  expect(() => emitEvents(rt, business, "staff.updated")).toThrow(
    expect.objectContaining({ code: "storage_full" }),
  );
  const request = {
    businessId: business.id,
    keyId: null,
    name: "a",
    url: "https://8.8.8.8/",
    events: ["staff.updated"],
    allowPrivate: false,
  };
  await expect(createEndpoint(rt, request)).rejects.toMatchObject({ code: "storage_full" });
  await expect(emitAndDeliver(0)).resolves.toBeUndefined();
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 1 });
  rt.freeBytes = () => 64 * 1024 * 1024;
  expect(emitEvents(rt, business, "staff.updated")).toMatchObject({
    lastSequence: 2,
    deliveries: 1,
  });
});
