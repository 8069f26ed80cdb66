import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { inject } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { DeliveryWorker } from "../../../src/delivery/delivery-worker.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import type { WebhookPost, Send } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Outcome } from "../../../src/domain/webhooks/settle.ts";
import { createIdSource } from "../../../src/domain/ids.ts";
import { openRuntime, type Runtime, systemRandom } from "../../../src/app/runtime.ts";
import { AppError } from "../../../src/domain/errors.ts";
import { isStorageUnavailable } from "../../../src/store/database/storage-error.ts";
import type { Bug } from "./bugs.ts";
import { createCommands } from "./commands.ts";
import { openLedger } from "./ledger.ts";
import { respondAs } from "./partners.ts";
import { startVirtualTime } from "./time.ts";

export type SimulationResult = {
  trace: string;
  days: number;
  sent: number;
  events: number;
  crashes: number;
  /** The number of writes at which the disk reported an error, so that the daemon ended. */
  brokenWrites: number;
};

export type SimulationOptions = {
  injectBug?: Bug | undefined;
  /** Makes single writes fail, too. Seeds that are older than this option run without it. */
  hasBrokenDisk?: boolean;
};

/**
 * The worker violated a guarantee. The message gives the violation, the last steps and the seed.
 */
export class GuaranteeViolation extends Error {}

const DAY_MS = 86_400_000;
const STARTS_AT = Date.parse("2026-03-25T12:00:00Z");
/**
 * How often the worker retries deliveries that are due but blocked. A real worker does so every
 * second.
 */
const RESWEEP_MS = 60_000;
/** How often the worker reviews endpoints that keep failing. A real worker does so every minute. */
const REVIEW_MS = 3_600_000;
/**
 * The longest wait between attempts (a day and its jitter, less than 25 hours), plus the largest
 * unnoticed clock change (a day), plus an hour to spare.
 */
const DRAIN_MS = 25 * 3_600_000 + DAY_MS + 3_600_000;
/** Number of last steps in the message of a violation. */
const SHOWN_LINES = 25;

/**
 * Runs the delivery worker for some simulated days: real code on a real database, with time, random
 * numbers and the network determined by a seed. A seed always gives the same run.
 * @throws GuaranteeViolation
 */
export async function simulate(
  seed: number,
  days: number,
  { injectBug, hasBrokenDisk = false }: SimulationOptions = {},
): Promise<SimulationResult> {
  const random = createSeededRandom(seed);
  const time = startVirtualTime(STARTS_AT);
  // The data are in memory if possible: this simulation has no power cuts.
  const dataDir = mkdtempSync(
    join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "deskbell-sim-"),
  );
  const config = readConfig({ dataDir }, {});
  copyFileSync(inject("emptyDatabase"), config.databasePath);
  const trace = createHash("sha256");
  const lines: string[] = [];
  const note = (text: string): void => {
    const line = `${(time.elapsed() / 1000).toFixed(3)} ${text}`;
    trace.update(line);
    lines.push(line);
    if (lines.length > SHOWN_LINES) lines.shift();
  };
  // Audit IDs do not use the seed, so that an audit entry does not change what happens next.
  const newAuditId = createIdSource(time.wall, systemRandom);
  const open = (isDaemon: boolean): Runtime => {
    const rt = openRuntime(config, 1000, {
      now: time.wall,
      monotonic: time.elapsed,
      // All runtimes are on one machine: a clock jump that one has noticed is not noticed again.
      machineClock: { offset: () => time.wall() - time.elapsed(), source: () => "simulation" },
      isDaemon,
      random: (bytes) => Buffer.from(Array.from({ length: bytes }, () => random.integer(0, 255))),
      log: (level, message) => void (level === "error" && note(`error: ${message}`)),
    });
    const { newId } = rt;
    rt.newId = (prefix) => (prefix === "aud" ? newAuditId(prefix) : newId(prefix));
    return rt;
  };
  const admin = open(false);
  const ledger = openLedger(config.databasePath, time);
  const bugMemory = new Map<string, number>();
  let sent = 0;
  let crashes = 0;
  let brokenWrites = 0;

  const network: Send = (post: WebhookPost) => {
    sent += 1;
    const arrival = ledger.checkPost(post);
    note(
      `POST ${post.headers["X-Service-Attempt"]} of ${post.headers["X-Service-Delivery"]} to ${post.url}`,
    );
    if (arrival === undefined)
      return Promise.resolve<Outcome>({ kind: "refused", error: "unknown" });
    const { endpoint, expected, n } = arrival;
    const { attemptsBefore } = expected;
    const isUnwanted = Number(post.headers["X-Service-Sequence"]) % 8 === 1;
    const response = respondAs(
      { behavior: endpoint.behavior, isUnwanted, timeoutMs: post.timeoutMs, wallNow: time.wall() },
      random,
    );
    expected.isAccepted ||= response.isAccepted;
    return new Promise<Outcome>((resolve) =>
      setTimeout(() => {
        note(`${expected.id} ${JSON.stringify(response.outcome)}`);
        ledger.recordOutcome(endpoint, expected, n, response.outcome);
        if (expected.attemptsBefore !== attemptsBefore) expected.wait = undefined;
        resolve(response.outcome);
      }, response.afterMs),
    );
  };

  /** Follows the worker when it disables an endpoint. */
  function followDisabling(id: string): void {
    note(`disabled ${id}`);
    const endpoint = ledger.subscriptions.get(id);
    if (endpoint === undefined) return;
    endpoint.status = "DISABLED";
    if (endpoint.behavior === "steady") ledger.violations.push("a healthy endpoint was disabled");
  }

  type RunningWorker = {
    rt: Runtime;
    deliveryWorker: DeliveryWorker;
    sweptAt: number;
    reviewedAt: number;
    isFull: boolean;
    /** The fate of the next write. If it fails, with or without effect, the daemon ends. */
    nextWrite: "works" | "fails" | "fails after commit";
    hasNoticedClock: boolean;
  };
  function startWorker(): RunningWorker {
    const rt = open(true);
    const { tx } = rt;
    rt.tx = (write) => failTx(tx, write);
    const send = injectBug?.(rt, network, bugMemory) ?? network;
    const deliveryWorker = new DeliveryWorker(rt, send, { onDisabled: followDisabling });
    ledger.markReady();
    deliveryWorker.sweep();
    return {
      rt,
      deliveryWorker,
      sweptAt: time.elapsed(),
      reviewedAt: time.elapsed(),
      isFull: false,
      nextWrite: "works",
      hasNoticedClock: true,
    };
  }
  let worker: RunningWorker | undefined;

  /** Runs a transaction of the worker on a disk that may be full or broken. */
  function failTx<T>(tx: Runtime["tx"], write: () => T): T {
    if (worker?.isFull) throw new Database.SqliteError("disk is full", "SQLITE_FULL");
    // No write fails while the clock is being set, because a failed write would also lose the
    // change of the waits.
    if (worker === undefined || worker.nextWrite === "works" || !worker.hasNoticedClock)
      return tx(write);
    const isCommitted = worker.nextWrite === "fails after commit";
    worker.nextWrite = "works";
    brokenWrites += 1;
    if (isCommitted) tx(write);
    note(isCommitted ? "fsync failed after the commit" : "fsync failed");
    // The process ends before anything else happens; its supervisor starts it again.
    queueMicrotask(() => {
      simulation.crash();
      const disabled = [...ledger.subscriptions.values()].filter(
        ({ id, status }) =>
          status === "ACTIVE" && admin.store.endpoints.findById(id)?.status === "DISABLED",
      );
      for (const { id } of disabled) followDisabling(id);
      setTimeout(simulation.start, random.integer(1000, 5000));
    });
    throw new AppError("storage_failed", "fsync failed");
  }
  worker = startWorker();

  function sweep(): void {
    if (worker === undefined) return;
    const { deliveryWorker } = worker;
    worker.sweptAt = time.elapsed();
    whenWritable(() => deliveryWorker.sweep());
    worker.hasNoticedClock ||= !worker.isFull;
    if (time.elapsed() - worker.reviewedAt < REVIEW_MS) return;
    worker.reviewedAt = time.elapsed();
    whenWritable(() => deliveryWorker.reviewFailing());
  }

  /** Returns when the next sweep would find something. The sweeps before it are skipped. */
  function nextSweepAt(): number {
    if (worker === undefined) return Infinity;
    const due = ledger.nextDue();
    const dueAt = due === null ? Infinity : due - time.wall() + time.elapsed();
    const sweepAt =
      dueAt <= worker.sweptAt ? worker.sweptAt + RESWEEP_MS : Math.ceil(dueAt / 1000) * 1000;
    return Math.min(Math.max(sweepAt, worker.sweptAt + 1000), worker.reviewedAt + REVIEW_MS);
  }

  function check(): void {
    const [violation] = ledger.violations;
    if (violation === undefined) return;
    throw new GuaranteeViolation(
      `${violation}\nseed ${seed}, after\n  ${lines.join("\n  ")}\nreproduce with: SIM_SEED=${seed} npx vitest run simulation`,
    );
  }

  async function advanceTo(end: number): Promise<void> {
    for (;;) {
      await time.settle();
      check();
      const at = Math.min(end, time.nextTimerAt(), nextSweepAt());
      await time.advanceTo(at);
      if (nextSweepAt() <= at) sweep();
      if (at >= end) break;
    }
    await time.settle();
    check();
  }

  const simulation = {
    admin,
    random,
    time,
    ledger,
    note,
    /** Wakes the worker after a commit, usually within 50 ms. */
    wake: (): void =>
      void setTimeout(
        () => worker?.deliveryWorker.wake(),
        random.integer(0, random.chance(0.9) ? 50 : 1000),
      ),
    /** Kills the worker. Deliveries in flight may have arrived. */
    crash(): void {
      if (worker === undefined) return;
      crashes += 1;
      time.forget();
      if (!worker.hasNoticedClock) ledger.forgetWaits();
      worker.rt.close();
      worker = undefined;
      ledger.recordCrash();
    },
    start(): void {
      worker ??= startWorker();
    },
    /** Shifts the wall clock. A running worker adjusts its waits; a stopped one never notices. */
    shiftWall(byMs: number): void {
      // The clock is not set while the disk is full: the worker could not store the adjusted waits.
      if (worker?.isFull === true) return;
      time.shiftWall(byMs);
      if (worker === undefined) return ledger.forgetWaits();
      worker.hasNoticedClock = false;
      setTimeout(sweep, random.integer(0, 1000));
    },
    /** Makes every write of the worker fail for a while. */
    fillDisk(ms: number): void {
      if (worker === undefined || worker.isFull) return;
      const full = worker;
      full.isFull = true;
      setTimeout(() => {
        full.isFull = false;
        ledger.markReady();
        // The worker retries within a second.
        setTimeout(ledger.markReady, 1000);
      }, ms);
    },
    /** Makes the next write of the worker fail, with or without effect, which ends the daemon. */
    breakDisk(): void {
      if (worker === undefined || worker.isFull) return;
      worker.nextWrite = random.pick(["fails", "fails after commit"] as const);
    },
    hasBrokenDisk,
    advance: (ms: number): Promise<void> => advanceTo(time.elapsed() + ms),
  };

  try {
    const commands = await createCommands(simulation);
    while (time.elapsed() < days * DAY_MS) {
      await simulation.advance(
        random.chance(0.2) ? random.integer(0, 2000) : random.integer(0, 4 * 3_600_000),
      );
      ledger.audit(worker?.hasNoticedClock === true);
      check();
      await commands.runOne();
    }
    await commands.healAll();
    await simulation.advance(DRAIN_MS);
    await simulation.advance(1000);
    ledger.audit(true);
    for (const { status, id, endpointId } of admin.store.deliveries.list({}, 1e6))
      if (status === "PENDING" || status === "PARKED")
        ledger.violations.push(`${id} to ${endpointId} is still ${status}`);
    check();
    return {
      trace: trace.digest("hex"),
      days: time.elapsed() / DAY_MS,
      sent,
      events: commands.events(),
      crashes,
      brokenWrites,
    };
  } finally {
    worker?.rt.close();
    time.forget();
    time.end();
    ledger.close();
    admin.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Runs `work`, but ignores a full disk, as the scheduler does: the next sweep tries again. */
function whenWritable(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isStorageUnavailable(error)) throw error;
  }
}
