import { expect, test } from "vitest";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { createJumpDetector } from "../../../src/app/clock-jumps.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { readConfig } from "../../../src/config.ts";
import { DeliveryWorker } from "../../../src/delivery/delivery-worker.ts";
import type { Outcome } from "../../../src/domain/webhooks/settle.ts";
import { acquireDaemonLock } from "../../../src/store/database/database.ts";
import { createRateLimitPolicy, PER_MINUTE } from "../../../src/http/auth/rate-limiter.ts";
import { createRateLimits } from "../../../src/http/auth/rate-limits.ts";
import { HEADER, monday, openBookingShop, orderOf } from "../../http/support/bookings.ts";
import { shopId } from "../../support/shop.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { addBusiness, emitEvents, subscribe } from "../../support/delivery.ts";
import { createFolderInMemory } from "../../support/disk/library.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { expectedWait } from "../../support/sim/retry-schedule.ts";
import { startVirtualTime } from "../../support/sim/time.ts";
import { patient } from "../../support/patience.ts";

// The real delivery worker and rate limits run while the wall clock is set every few hours. The
// first request to the real API after a jump finds everything as it was.

const DAYS = chooseScale(1, 30, 3);
const SEED = chooseSeed(7);

const DAY_MS = 86_400_000;
const STARTS_AT = Date.parse("2026-03-25T12:00:00Z");
/**
 * The simulated worker looks for due deliveries every 10 seconds. A real server's worker looks
 * every second.
 */
const STEP_MS = 10_000;
/** The longest time between two jumps. */
const LONGEST_CALM_MS = 4 * 3_600_000;
const LATEST_MS = 60_000;
const ROUNDING_MS = 20;
const FAILING_ENDPOINTS = 8;
const QUOTA = 5;
const RESPONSE_MS = 3000;

/** The earliest and the latest time at which a delivery is due. */
type Due = { from: number; to: number };

async function runWithJumps(change: (rt: Runtime) => void) {
  const random = createSeededRandom(SEED);
  const time = startVirtualTime(STARTS_AT);
  const open = () => {
    const config = readConfig({ dataDir }, {});
    const rt = openRuntime(config, 1000, {
      now: time.wall,
      monotonic: time.elapsed,
      random: (bytes) => Buffer.from(Array.from({ length: bytes }, () => random.integer(0, 255))),
      log: () => {},
    });
    change(rt);
    return rt;
  };
  const dataDir = createFolderInMemory();
  const rt = open();
  const due = new Map<string, Due>();
  const violations: string[] = [];
  const counts = { jumps: 0, attempts: 0, requests: 0 };
  let inFlight = 0;

  const business = addBusiness(rt);
  const healthyUrl = "http://10.0.1.1/";
  await subscribe(rt, business, healthyUrl, ["service.updated"]);
  for (let n = 0; n < FAILING_ENDPOINTS; n++)
    await subscribe(rt, business, `http://10.0.2.${n}/`, ["staff.created"]);

  const worker = new DeliveryWorker(rt, ({ url, headers }) => {
    const id = headers["X-Service-Delivery"] ?? "";
    const now = time.elapsed();
    const { from, to } = due.get(id) ?? { from: 0, to: now };
    if (now < from - ROUNDING_MS) violations.push(`sent ${from - now} ms too soon`);
    if (now > to + LATEST_MS) violations.push(`sent ${now - to} ms too late`);
    counts.attempts += 1;
    const isHealthy = url === healthyUrl;
    inFlight += isHealthy ? 1 : 0;
    if (inFlight > 4) violations.push(`${inFlight} in flight`);
    const response = { retryAfter: null, responseText: "" };
    const statusCode = isHealthy ? 200 : 500;
    const outcome: Outcome = { kind: "responded", statusCode, ...response };
    const n = Number(headers["X-Service-Attempt"]);
    return new Promise((resolve) =>
      setTimeout(() => {
        inFlight -= isHealthy ? 1 : 0;
        const wait = isHealthy ? undefined : expectedWait(n, outcome, time.wall());
        const answeredAt = time.elapsed();
        if (wait === undefined) due.delete(id);
        else due.set(id, { from: answeredAt + wait.from, to: answeredAt + wait.to });
        resolve(outcome);
      }, RESPONSE_MS),
    );
  });

  const publish = (type: "service.updated" | "staff.created"): void => {
    const { events } = emitEvents(rt, business, type);
    const [event] = events;
    for (const { id, eventId } of rt.store.deliveries.list({ businessId: business.id }, 100))
      if (eventId === event?.id) due.set(id, { from: time.elapsed(), to: time.elapsed() });
  };

  let limits = createRateLimits(rt);
  const policy = createRateLimitPolicy({ window: PER_MINUTE, quota: QUOTA });
  let allowedAt: number[] = [];
  const request = (): void => {
    const now = time.elapsed();
    if (!limits.keys.take("key_1", policy, rt.monotonic()).allowed) return;
    counts.requests += 1;
    allowedAt = [...allowedAt.filter((at) => at > now - 60_000), now];
    if (allowedAt.length > QUOTA) violations.push(`${allowedAt.length} requests in a minute`);
  };

  let jumpAt = random.integer(0, LONGEST_CALM_MS);
  try {
    publish("staff.created");
    while (time.elapsed() < DAYS * DAY_MS) {
      if (random.chance(0.02)) publish("service.updated");
      for (let n = random.integer(0, 4); n > 0; n--) request();
      if (time.elapsed() >= jumpAt) {
        time.shiftWall(random.pick([-1, 1]) * Math.min(2 ** random.integer(13, 32), 30 * DAY_MS));
        counts.jumps += 1;
        jumpAt += random.integer(0, LONGEST_CALM_MS);
      }
      worker.sweep();
      worker.wake();
      if (random.chance(0.05)) {
        limits.flush();
        if (random.chance(0.2)) limits = createRateLimits(rt);
      }
      await time.settle();
      const end = time.elapsed() + STEP_MS;
      while (time.nextTimerAt() <= end) await time.advanceTo(time.nextTimerAt());
      await time.advanceTo(end);
    }
    for (const { to } of due.values())
      if (to + LATEST_MS < time.elapsed()) violations.push("a delivery was not sent");
  } finally {
    await worker.stop(0);
    time.end();
    rt.close();
  }
  return { violations, counts };
}

test(
  `deliveries keep their schedule and limits hold while the clock jumps for ${DAYS} days`,
  { timeout: patient(900_000) },
  async () => {
    const { violations, counts } = await runWithJumps(() => {});
    expect(violations.slice(0, 5)).toEqual([]);
    expect(counts.jumps).toBeGreaterThan(DAYS * 5);
    if (!isRecording()) return;
    const control = await runWithJumps((rt) => void (rt.monotonic = rt.now));
    recordClaim({
      group: "faults",
      claim: "When the clock is set, no delivery is sent early or late, and limits hold",
      done: `The clock jumped ${counts.jumps} times by up to 30 days back or forward in ${DAYS} simulated days with ${counts.attempts} attempts to deliver and ${counts.requests} requests.`,
      figure:
        "No delivery was early, none was more than 60 s later than its schedule, and no request was over a limit.",
      control: {
        done: "The same days were simulated with pauses and windows measured by the wall clock.",
        figure: `${control.violations.length} violations were found.`,
        hasFailed: control.violations.length > 0,
      },
      seed: SEED,
    });
  },
);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOLD_MS = 60_000;
const ORDER_MS = 15 * MINUTE_MS;
const DECISION_MS = 24 * HOUR_MS;
const REPLAY_MS = 24 * HOUR_MS;

const JUMPS = [
  { name: "20 minutes forward", byMs: 20 * MINUTE_MS },
  { name: "2 hours back", byMs: -2 * HOUR_MS },
  { name: "25 hours forward", byMs: 25 * HOUR_MS },
  { name: "30 days back", byMs: -30 * DAY_MS },
];

/** Opens a shop with a hold, an unpaid order, an undecided booking and a request to be repeated. */
async function openWaitingShop() {
  const shop = openBookingShop();
  const { rt, site } = shop;
  const approval = { ...HEADER_POLICY, requiresApproval: true };
  applyCatalog(rt, [
    {
      name: "approval.yaml",
      text: HEADER.replace(/bookingPolicy: .*/, `bookingPolicy: ${JSON.stringify(approval)}`),
    },
  ]);
  const staffId = shopId("stf", "ann");
  const segments = [{ serviceId: shopId("svc", "cut"), staffId }];
  const created = async (path: string, body: object, headers = {}) => {
    const sent = await site.send("POST", path, body, headers);
    expect(sent.status).toBe(201);
    return sent;
  };
  const hold = await created("/holds", { startsAt: monday("09:00"), segments, ttlSeconds: 60 });
  const order = await created("/ticket-orders", orderOf(rt, 1));
  const repeated = () =>
    site.send(
      "POST",
      "/bookings",
      { startsAt: monday("10:00"), segments: [{ serviceId: shopId("svc", "cut") }] },
      { "idempotency-key": "repeated" },
    );
  const booking = await repeated();
  expect(booking.body.data.status).toBe("PENDING");
  const idOf = ({ body }: typeof hold): string => body.data.id;
  const read = async (path: string) => (await site.send("GET", path)).body.data;
  const remaining = (at: string): number => Date.parse(at) - rt.now();
  return {
    ...shop,
    repeated,
    bookHold: () => site.send("POST", "/bookings", { holdId: idOf(hold) }),
    confirm: () => site.send("POST", `/ticket-orders/${idOf(order)}/confirm`, {}),
    approve: () => shop.owner.send("POST", `/bookings/${idOf(booking)}/approve`, {}),
    left: async () => ({
      hold: remaining((await read(`/holds/${idOf(hold)}`)).expiresAt),
      order: remaining((await read(`/ticket-orders/${idOf(order)}`)).expiresAt),
      decision: remaining((await read(`/bookings/${idOf(booking)}`)).decideBy),
    }),
  };
}

const HEADER_POLICY = { slotIntervalMin: 60, minNoticeMin: 60, maxAdvanceDays: 60, maxGapMin: 0 };

/** Returns what a jump has changed. Each action is the first request after its jump. */
async function findChanges(byMs: number): Promise<string[]> {
  const changed: string[] = [];
  const check = (what: string, isSame: boolean) => void (isSame || changed.push(what));
  const afterJump = async (elapsedMs: number) => {
    const shop = await openWaitingShop();
    shop.rt.shiftClock(byMs);
    shop.rt.advance(elapsedMs);
    return shop;
  };
  const held = await afterJump(HOLD_MS - 1);
  check("the hold ended early", (await held.bookHold()).status === 201);
  const lapsed = await afterJump(HOLD_MS);
  check("the hold lasts longer", (await lapsed.bookHold()).body.code === "hold_expired");
  const ordered = await afterJump(ORDER_MS - 1);
  check("the order ended early", (await ordered.confirm()).status === 200);
  const unpaid = await afterJump(ORDER_MS);
  check("the order lasts longer", (await unpaid.confirm()).body.code === "wrong_status");
  const undecided = await afterJump(DECISION_MS - 1);
  check("the decision ended early", (await undecided.approve()).status === 200);
  const late = await afterJump(DECISION_MS);
  check("the decision lasts longer", (await late.approve()).body.code === "wrong_status");
  const again = await afterJump(REPLAY_MS - 1);
  const replay = await again.repeated();
  check("a repeated request booked twice", replay.headers.get("idempotency-replayed") === "true");
  const dayAfter = await afterJump(REPLAY_MS);
  check(
    "a reply lasts longer",
    (await dayAfter.repeated()).headers.get("idempotency-replayed") === null,
  );
  const seen = await afterJump(1000);
  const version = async () =>
    (await seen.site.send("GET", "/bookings?limit=1")).body.data[0].version;
  const before = await version();
  seen.rt.tx(() => {});
  check("a version", (await version()) === before + 1);
  const expected = { hold: HOLD_MS, order: ORDER_MS, decision: DECISION_MS };
  for (const [what, ms] of Object.entries(await seen.left()))
    check(`${what}: ${ms} ms`, ms === expected[what as keyof typeof expected] - 1000);
  return changed;
}

test.each(JUMPS)(
  "a clock set $name changes no remaining time of holds and orders",
  async ({ byMs }) => {
    expect(await findChanges(byMs)).toEqual([]);
  },
);

test("the time in which a business can decide about a request does not pass while the machine is suspended", async () => {
  const shop = await openWaitingShop();
  shop.rt.advance(HOUR_MS);
  // Linux stops the monotonic clock during a suspension, and only the wall clock goes on.
  shop.rt.shiftClock(4 * DAY_MS);
  shop.rt.tx(() => {});
  expect((await shop.left()).decision).toBe(DECISION_MS - HOUR_MS);
  expect((await shop.approve()).status).toBe(200);
});

test("a clock jump that two threads notice shifts times once", async () => {
  const { rt, left } = await openWaitingShop();
  const before = await left();
  const source = () => "the same boot";
  let offset = rt.now();
  const clocks = { offset: () => offset, now: rt.now, source };
  const open = (isDaemon: boolean, isRunning: boolean) =>
    createJumpDetector(
      rt,
      rt.store,
      clocks,
      { isDaemon, isDaemonRunning: () => isRunning },
      rt.log,
    );
  const notices = [true, true, false].map((isDaemon) => open(isDaemon, isDaemon));
  for (const notice of notices) notice();
  offset += HOUR_MS;
  for (const notice of notices) notice();
  const after = await left();
  expect(after.order - before.order).toBe(HOUR_MS);
  // Another process that starts after the jump shifts nothing.
  open(false, false)();
  expect(await left()).toEqual(after);
});

test("a command whose clock is wrong shifts no times while a daemon runs", async () => {
  const { rt, left } = await openWaitingShop();
  const { offset, source } = rt.machineClock;
  rt.tx(() => rt.store.clock.replace(source(), offset()));
  const before = await left();
  const writeAhead = (byMs: number) => {
    const command = openRuntime(rt.config, 1000, {
      now: () => rt.now() + byMs,
      machineClock: { offset: () => offset() + byMs, source },
    });
    command.tx(() => {});
    command.close();
  };
  const daemon = acquireDaemonLock(rt.config.databasePath);
  writeAhead(25 * HOUR_MS);
  writeAhead(-2 * HOUR_MS);
  expect(await left()).toEqual(before);
  expect(rt.store.clock.find()?.offsetMs).toBe(offset());
  daemon.release();
  writeAhead(HOUR_MS);
  expect((await left()).order - before.order).toBe(HOUR_MS);
});
