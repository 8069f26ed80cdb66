import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { CronJob } from "cron";
import { logWarning, startScheduler } from "../../src/delivery/scheduler.ts";
import type { DeliveryWorker } from "../../src/delivery/delivery-worker.ts";
import { createKey } from "../../src/app/keys.ts";
import { disableEndpoint } from "../../src/app/webhooks/endpoint-lifecycle.ts";
import { LOCK_BREAK_MS } from "../../src/store/database/write-lock.ts";
import { parseJson } from "../../src/store/database/storage-error.ts";
import { addBusiness, emitEvents, subscribe } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const DAY_MS = 86_400_000;
const TIMERS = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;

afterEach(() => void vi.useRealTimers());

const idleWorker = { wake() {}, sweep() {}, reviewFailing() {} } as unknown as DeliveryWorker;

test("a periodic job that runs late is logged, and so are the warnings of packages", () => {
  const { log, logged } = createTestRuntime();
  const warn = vi.spyOn(console, "warn").mockImplementation((text) => logWarning(log, text));
  const job = new CronJob("* * * * * *", () => {});
  vi.spyOn(job.cronTime, "getTimeout").mockReturnValueOnce(-5);
  job.start();
  void job.stop();
  logWarning(log, "a package has something to say");
  warn.mockRestore();
  expect(logged).toEqual([
    { level: "info", message: "A periodic job ran late.", fields: { lateMs: 5 } },
    { level: "warn", message: "a package has something to say", fields: {} },
  ]);
});

test("a job that is between two transactions ends when the scheduler is stopped", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9000/");
  emitEvents(rt, business, ...Array<"service.updated">(2500).fill("service.updated"));
  disableEndpoint(rt, endpoint.id, "manual");
  const { backlogMoves } = rt.store;
  const moveSlice = backlogMoves.moveSlice.bind(backlogMoves);
  const slices = vi.spyOn(backlogMoves, "moveSlice").mockImplementation((...args) => {
    // The microtask runs between two transactions.
    queueMicrotask(() => {
      expect(rt.store.tallies.countByStatus()).toMatchObject({ PARKED: 1000, PENDING: 1500 });
      scheduler.stop();
      rt.close();
    });
    return moveSlice(...args);
  });
  vi.useFakeTimers({ now: 0, toFake: [...TIMERS] });
  const scheduler = startScheduler(rt, idleWorker, []);
  await vi.advanceTimersByTimeAsync(1000);
  // The job waits for a real timer of `LOCK_BREAK_MS` between two transactions. This real timer
  // fires later, so the job would have gone on by then. An error of the job would end the process,
  // which vitest reports.
  await delay(LOCK_BREAK_MS);
  expect(slices).toHaveBeenCalledOnce();
});

test("a daemon that starts with a clock that is a year ahead ends no key", async () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const expiresAt = rt.now() + 30 * DAY_MS;
  createKey(rt, { businessId, name: "site", kind: "SECRET", scopes: [], expiresAt });
  rt.tx(() => rt.store.history.saveRetentionClock(rt.now(), 0));
  rt.shiftClock(365 * DAY_MS);
  vi.useFakeTimers({ now: 1, toFake: [...TIMERS] });
  const scheduler = startScheduler(rt, idleWorker, []);
  onTestFinished(scheduler.stop);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(rt.store.keys.listExpired(rt.now())).toHaveLength(1);
  // The key expires by a clock that is right, too.
  rt.shiftClock(-365 * DAY_MS);
  rt.advance(31 * DAY_MS);
  await vi.advanceTimersByTimeAsync(1000);
  expect(rt.store.keys.listExpired(rt.now())).toEqual([]);
});

test("the scheduler calls a feature after each commit and once a minute, but not in between", async () => {
  const rt = createTestRuntime();
  const calls: string[] = [];
  const worker = {
    ...idleWorker,
    wake: () => calls.push("wake"),
    reviewFailing: () => calls.push("reviewFailing"),
  } as unknown as DeliveryWorker;
  const work = {
    afterCommit: () => void calls.push("afterCommit"),
    everyMinute: [() => void calls.push("everyMinute")],
  };
  vi.useFakeTimers({ now: 1, toFake: [...TIMERS] });
  const scheduler = startScheduler(rt, worker, [work]);
  onTestFinished(scheduler.stop);
  const callsWithin = async (ms: number) => {
    calls.length = 0;
    await vi.advanceTimersByTimeAsync(ms);
    return [...calls];
  };
  expect(await callsWithin(500)).toEqual([]);
  addBusiness(rt);
  expect(await callsWithin(100)).toEqual(["wake", "afterCommit"]);
  // The periodic jobs can commit as well, so the calls after a commit are left out.
  const ofMinute = (await callsWithin(60_000)).filter((call) => !/wake|afterCommit/.test(call));
  expect(ofMinute).toEqual(["reviewFailing", "everyMinute"]);
});

test("a damaged value that a periodic job meets is logged once an hour, and the job goes on", async () => {
  const rt = createTestRuntime();
  let runs = 0;
  const meetDamage = () => {
    runs += 1;
    parseJson("{", "booking.doc");
  };
  vi.useFakeTimers({ now: 1, toFake: [...TIMERS] });
  const scheduler = startScheduler(rt, idleWorker, [{ everySecond: [meetDamage] }]);
  onTestFinished(scheduler.stop);
  await vi.advanceTimersByTimeAsync(5000);
  expect(runs).toBeGreaterThan(3);
  const entry = {
    level: "error",
    message: "A periodic job could not do all of its work.",
    fields: {
      error: "the database is damaged or is not a database: booking.doc is not valid JSON.",
      fix: "stop the daemon and restore a backup: deskbell backup list",
    },
  };
  expect(rt.logged).toEqual([entry]);
  rt.advance(3_600_001);
  await vi.advanceTimersByTimeAsync(2000);
  expect(rt.logged).toEqual([entry, entry]);
});
