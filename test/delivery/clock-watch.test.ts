import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const DAY_MS = 86_400_000;

/** Sets up a delivery that waits for its second attempt, and a wall clock that can be set. */
async function setUp() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://10.0.0.1/");
  let attempts = 0;
  const response = { statusCode: 500 };
  const send = async () => {
    attempts += 1;
    return { kind: "responded", retryAfter: null, responseText: "", ...response } as const;
  };
  let offsetMs = 0;
  const { now } = rt;
  rt.now = () => now() + offsetMs;
  const worker = createTestWorker(rt, send);
  const emitEvent = () => emitEvents(rt, business, "service.updated");
  const run = async (method: "sweep" | "wake" = "sweep") => {
    worker[method]();
    await worker.whenIdle();
  };
  const getDelay = () =>
    rt.store.deliveries.list({ failed: true }, 2).at(-1)!.nextAttemptAt! - rt.now();
  emitEvent();
  await run("wake");
  return {
    rt,
    worker,
    send,
    response,
    emitEvent,
    run,
    getDelay,
    setClock: (ms: number) => void (offsetMs = ms),
    countAttempts: () => attempts,
  };
}

test.each([30, -30, 1, -1])(
  "a clock jump of %d days does not change when an attempt is due",
  async (days) => {
    const { rt, run, getDelay, setClock, countAttempts } = await setUp();
    const before = getDelay();
    setClock(days * DAY_MS);
    await run();
    expect(getDelay()).toBe(before);
    expect(countAttempts()).toBe(1);
    rt.advance(before);
    await run();
    expect(countAttempts()).toBe(2);
  },
);

test.each(["sweep", "wake"] as const)(
  "nothing is sent too early after a clock jump, even if the disk is too full to store the jump (%s)",
  async (method) => {
    const { rt, run, emitEvent, getDelay, setClock, countAttempts } = await setUp();
    const before = getDelay();
    emitEvent();
    const { tx } = rt;
    rt.tx = () => {
      throw new Database.SqliteError("disk is full", "SQLITE_FULL");
    };
    setClock(DAY_MS);
    await run(method);
    expect(countAttempts()).toBe(1);
    rt.tx = tx;
    // Once the disk has space, the new delivery is sent, and the other delivery waits as before.
    await run(method);
    expect(countAttempts()).toBe(2);
    expect(getDelay()).toBe(before);
  },
);

test.each([1, -1])(
  "an event is sent immediately after a clock jump of %d days, even if the jump could not be stored at first",
  async (days) => {
    const { rt, run, emitEvent, setClock, countAttempts } = await setUp();
    setClock(days * DAY_MS);
    emitEvent();
    const { tx } = rt;
    rt.tx = () => {
      throw new Database.SqliteError("database is locked", "SQLITE_BUSY");
    };
    await run("wake");
    expect(countAttempts()).toBe(1);
    rt.tx = tx;
    await run("sweep");
    expect(countAttempts()).toBe(2);
  },
);

test.each([1, -1])(
  "an attempt that fails while a clock jump of %d days cannot be stored is retried at the usual time",
  async (days) => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    await subscribe(rt, business, "http://10.0.0.1/");
    let offsetMs = 0;
    const { now, tx } = rt;
    rt.now = () => now() + offsetMs;
    const response = { kind: "responded", statusCode: 500, retryAfter: null } as const;
    const answer = Promise.withResolvers<{ responseText: "" } & typeof response>();
    const worker = createTestWorker(rt, () => answer.promise);
    emitEvents(rt, business, "service.updated");
    worker.wake();
    offsetMs = days * DAY_MS;
    for (const code of ["SQLITE_BUSY", "SQLITE_FULL", "SQLITE_FULL"]) {
      rt.tx = () => {
        throw new Database.SqliteError("the write fails", code);
      };
      worker.sweep();
    }
    answer.resolve({ ...response, responseText: "" });
    await vi.waitFor(() => expect(rt.logged.map(({ message }) => message)).toHaveLength(2));
    expect(rt.logged.map(({ message }) => message)).toEqual([
      "The clock was set, and the new due times cannot be stored, so deliveries are paused.",
      "The disk is full: outcomes cannot be written, so deliveries are paused.",
    ]);
    rt.tx = tx;
    await worker.whenIdle();
    const [retried] = rt.store.deliveries.list({ failed: true }, 1);
    expect(retried!.nextAttemptAt! - rt.now()).toBeGreaterThan(1000);
    expect(retried!.nextAttemptAt! - rt.now()).toBeLessThan(30_000);
  },
);

test.each([30, -30])(
  "a clock jump of %d days does not change when a retry is due, if a sweep sent the first attempt",
  async (days) => {
    const { emitEvent, run, getDelay, setClock, countAttempts } = await setUp();
    emitEvent();
    await run("sweep");
    expect(countAttempts()).toBe(2);
    const before = getDelay();
    setClock(days * DAY_MS);
    await run("wake");
    expect(getDelay()).toBe(before);
    expect(countAttempts()).toBe(2);
  },
);

test.each([30, 0.5, -0.5, -30])(
  "an event after a clock jump of %d days is sent immediately",
  async (days) => {
    const { response, run, emitEvent, setClock, rt } = await setUp();
    setClock(days * DAY_MS);
    response.statusCode = 200;
    emitEvent();
    await run("wake");
    expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 1, PENDING: 1 });
  },
);

test.each([1, -1])(
  "a probe after a clock jump of %d days, before any sweep, sends nothing early",
  async (days) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    await subscribe(rt, business, "http://10.0.0.1/");
    let attempts = 0;
    const worker = createTestWorker(rt, async () => {
      attempts += 1;
      return { kind: "responded", statusCode: 503, retryAfter: null, responseText: "" };
    });
    // The real timers are restored before the worker stops, because the stop waits for timers.
    onTestFinished(() => void vi.useRealTimers());
    const advance = async (ms: number) => {
      rt.advance(ms);
      await vi.advanceTimersByTimeAsync(ms);
    };
    emitEvents(rt, business, "service.updated", "service.updated", "service.updated");
    worker.wake();
    await advance(100);
    expect(attempts).toBe(3);
    rt.shiftClock(days * DAY_MS);
    await advance(2000);
    expect(attempts).toBe(3);
    await advance(88_000);
    worker.sweep();
    expect(attempts).toBe(4);
  },
);

test("due deliveries of an endpoint in backoff stay due when the clock is set back", async () => {
  const { rt, run, emitEvent, setClock, response } = await setUp();
  for (let i = 0; i < 20; i++) emitEvent();
  await run("wake");
  rt.advance(20_000);
  setClock(-30 * DAY_MS);
  response.statusCode = 200;
  rt.advance(20_000);
  for (let i = 0; i < 120; i++) {
    rt.advance(1000);
    await run();
  }
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 21, PENDING: 0 });
});

test("setting the clock back while no worker runs delays no delivery by more than a day", async () => {
  const { rt, worker, send, setClock, countAttempts } = await setUp();
  await worker.stop(0);
  setClock(-30 * DAY_MS);
  const next = createTestWorker(rt, send);
  next.sweep();
  await next.whenIdle();
  expect(countAttempts()).toBe(2);
});

test("a clock that is behind when the worker starts, and is then corrected, delays no delivery", async () => {
  const { rt, worker, send, emitEvent, setClock, countAttempts, getDelay } = await setUp();
  const before = getDelay();
  emitEvent();
  await worker.stop(0);
  setClock(-DAY_MS / 2);
  const next = createTestWorker(rt, send);
  setClock(0);
  next.sweep();
  await next.whenIdle();
  expect(countAttempts()).toBe(2);
  expect(getDelay()).toBeLessThanOrEqual(before);
});

test("a small clock adjustment shifts no due times", async () => {
  const { rt, run, setClock } = await setUp();
  const at = () => rt.store.deliveries.list({}, 1)[0]!.nextAttemptAt;
  const before = at();
  setClock(-4000);
  await run();
  expect(at()).toBe(before);
  expect(rt.logged).toEqual([]);
});
