import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Alert } from "../../../src/app/webhooks/alerts.ts";
import { readConfig } from "../../../src/config.ts";
import {
  type DeliveryWorker,
  createDeliveryWorker,
} from "../../../src/delivery/delivery-worker.ts";
import { createSeededRandom } from "../../../src/app/sample-catalog/seeded-random.ts";
import type { WebhookPost, Send } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Outcome } from "../../../src/domain/webhooks/outcome.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import { isStorageFull } from "../../../src/store/database.ts";
import type { Bug } from "./bugs.ts";
import { createCommands } from "./commands.ts";
import { openLedger } from "./ledger.ts";
import { react } from "./partners.ts";
import { startVirtualTime } from "./time.ts";

export type Simulated = {
  trace: string;
  days: number;
  sent: number;
  events: number;
  crashes: number;
};

/** A promise was broken; says by what, after what, and how to see it again. */
export class Broken extends Error {}

const DAY_MS = 86_400_000;
const STARTS_AT = Date.parse("2026-03-25T12:00:00Z");
/** How often the engine looks again at what is due and may not go yet. The real one does each second. */
const LOOK_AGAIN_MS = 60_000;
const REVIEW_MS = 3_600_000;
/** The longest wait, an hour's grace, and what a clock that was set while nobody looked may add to it. */
const CALM_MS = 25 * 3_600_000 + DAY_MS + 3_600_000;
const SHOWN_LINES = 25;

/**
 * Runs the engine for some days of a made-up world: real code on a real file, with time, chance and the wire in the hands of a
 * seed. The same seed gives the same days.
 * @throws Broken
 */
export async function simulate(seed: number, days: number, plant?: Bug): Promise<Simulated> {
  const random = createSeededRandom(seed);
  const time = startVirtualTime(STARTS_AT);
  // No disk is asked: what power cuts do to files is proven elsewhere.
  const dataDir = mkdtempSync(
    join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "deskbell-sim-"),
  );
  const config = readConfig({ dataDir }, {});
  const trace = createHash("sha256");
  const lines: string[] = [];
  const note = (what: string): void => {
    const line = `${(time.elapsed() / 1000).toFixed(3)} ${what}`;
    trace.update(line);
    lines.push(line);
    if (lines.length > SHOWN_LINES) lines.shift();
  };
  const open = (): Runtime =>
    openRuntime(config, 1000, {
      now: time.wall,
      monotonic: time.elapsed,
      random: (bytes) => Buffer.from(Array.from({ length: bytes }, () => random.integer(0, 255))),
      log: (level, message) => void (level === "error" && note(`error: ${message}`)),
    });
  const admin = open();
  const ledger = openLedger(config.databasePath, time);
  const ofBug = new Map<string, number>();
  let sent = 0;
  let crashes = 0;

  const wire: Send = (post: WebhookPost) => {
    sent += 1;
    const arrival = ledger.received(post);
    note(
      `POST ${post.headers["X-Service-Attempt"]} of ${post.headers["X-Service-Delivery"]} to ${post.url}`,
    );
    if (arrival === undefined)
      return Promise.resolve<Outcome>({ kind: "refused", error: "unknown" });
    const { one, owed, n } = arrival;
    const { attemptsBefore } = owed;
    const isOdd = Number(post.headers["X-Service-Sequence"]) % 8 === 1;
    const reaction = react(
      { mood: one.mood, isOdd, timeoutMs: post.timeoutMs, wallNow: time.wall() },
      random,
    );
    owed.isTaken ||= reaction.takes;
    return new Promise<Outcome>((resolve) =>
      setTimeout(() => {
        note(`${owed.id} ${JSON.stringify(reaction.outcome)}`);
        ledger.answered(one, owed, n, reaction.outcome);
        if (owed.attemptsBefore !== attemptsBefore) owed.waited = undefined;
        resolve(reaction.outcome);
      }, reaction.afterMs),
    );
  };

  /** What the engine does to an endpoint by itself, it tells. */
  function heed({ type, endpoint }: Alert): void {
    note(`${type} ${endpoint.id}`);
    const one = ledger.subscriptions.get(endpoint.id);
    if (type !== "endpoint.disabled" || one === undefined) return;
    one.status = "DISABLED";
    if (one.mood === "steady") ledger.broken.push("a healthy endpoint was disabled");
  }

  type Engine = {
    rt: Runtime;
    courier: DeliveryWorker;
    lookedAt: number;
    reviewedAt: number;
    isFull: boolean;
    hasSeenClock: boolean;
  };
  function startEngine(): Engine {
    const rt = open();
    const send = plant?.(rt, wire, ofBug) ?? wire;
    const courier = createDeliveryWorker(rt, send, { onAlert: heed });
    ledger.delayed();
    courier.sweep();
    return {
      rt,
      courier,
      lookedAt: time.elapsed(),
      reviewedAt: time.elapsed(),
      isFull: false,
      hasSeenClock: true,
    };
  }
  let engine: Engine | undefined = startEngine();

  function look(): void {
    if (engine === undefined) return;
    const { courier } = engine;
    engine.lookedAt = time.elapsed();
    engine.hasSeenClock ||= !engine.isFull;
    whenWritable(courier.sweep);
    if (time.elapsed() - engine.reviewedAt < REVIEW_MS) return;
    engine.reviewedAt = time.elapsed();
    whenWritable(courier.reviewFailing);
  }

  /** When a sweep would find something: the real one also looks in between, and finds nothing. */
  function nextLookAt(): number {
    if (engine === undefined) return Infinity;
    const due = ledger.nextDue();
    const dueAt = due === null ? Infinity : due - time.wall() + time.elapsed();
    const inTime =
      dueAt <= engine.lookedAt ? engine.lookedAt + LOOK_AGAIN_MS : Math.ceil(dueAt / 1000) * 1000;
    return Math.min(Math.max(inTime, engine.lookedAt + 1000), engine.reviewedAt + REVIEW_MS);
  }

  function check(): void {
    const [what] = ledger.broken;
    if (what === undefined) return;
    throw new Broken(
      `${what}\nseed ${seed}, after\n  ${lines.join("\n  ")}\nagain: SIM_SEED=${seed} npx vitest run --config .config/vitest.config.ts simulation`,
    );
  }

  async function passTo(end: number): Promise<void> {
    for (;;) {
      await time.settle();
      check();
      const at = Math.min(end, time.nextTimerAt(), nextLookAt());
      await time.passTo(at);
      if (nextLookAt() <= at) look();
      if (at >= end) break;
    }
    await time.settle();
    check();
  }

  const world = {
    admin,
    random,
    time,
    ledger,
    note,
    /** A commit is heard of within 50 ms, and seldom later. */
    wake: (): void =>
      void setTimeout(
        () => engine?.courier.wake(),
        random.integer(0, random.chance(0.9) ? 50 : 1000),
      ),
    /** Kill -9: what was on the wire may have arrived. */
    crash(): void {
      if (engine === undefined) return;
      crashes += 1;
      time.forget();
      if (!engine.hasSeenClock) ledger.forgetWaits();
      engine.rt.close();
      engine = undefined;
      ledger.crashed();
    },
    start(): void {
      engine ??= startEngine();
    },
    /** An engine that runs moves with it what waits; one that does not never hears of it. */
    setWall(byMs: number): void {
      // A clock that is set while nothing can be written: one misfortune at a time.
      if (engine?.isFull === true) return;
      time.setWall(byMs);
      if (engine === undefined) return ledger.forgetWaits();
      engine.hasSeenClock = false;
      setTimeout(look, random.integer(0, 1000));
    },
    /** No write of the engine gets through for a while. */
    fillDisk(ms: number): void {
      if (engine === undefined || engine.isFull) return;
      const full = engine;
      const { tx } = full.rt;
      full.isFull = true;
      full.rt.tx = () => {
        throw new Database.SqliteError("database or disk is full", "SQLITE_FULL");
      };
      setTimeout(() => {
        full.isFull = false;
        full.rt.tx = tx;
        ledger.delayed();
        // It tries again within a second.
        setTimeout(ledger.delayed, 1000);
      }, ms);
    },
    pass: (ms: number): Promise<void> => passTo(time.elapsed() + ms),
  };

  try {
    const commands = await createCommands(world);
    while (time.elapsed() < days * DAY_MS) {
      await world.pass(
        random.chance(0.2) ? random.integer(0, 2000) : random.integer(0, 4 * 3_600_000),
      );
      ledger.audit(engine?.hasSeenClock === true);
      check();
      await commands.runOne();
    }
    await commands.calmDown();
    await world.pass(CALM_MS);
    await world.pass(1000);
    ledger.audit(true);
    for (const { status, id, endpointId } of admin.store.deliveries.list({}, 1e6))
      if (status === "PENDING" || status === "PARKED")
        ledger.broken.push(`${id} to ${endpointId} is still ${status}`);
    check();
    return {
      trace: trace.digest("hex"),
      days: time.elapsed() / DAY_MS,
      sent,
      events: commands.events(),
      crashes,
    };
  } finally {
    engine?.rt.close();
    time.forget();
    time.end();
    ledger.close();
    admin.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** As the engine's beat has it: the next time will do. */
function whenWritable(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
  }
}
