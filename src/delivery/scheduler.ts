import { setTimeout as delay } from "node:timers/promises";
import { CronJob } from "cron";
import type { Runtime } from "../app/runtime.ts";
import { publishEventAvailability, publishClockChanges } from "../app/catalog/publish.ts";
import { expirePendingVisits } from "../app/bookings/change-visit.ts";
import { createCommitDetector } from "../app/commit-detector.ts";
import { emptyErasedLog } from "../app/guests/erased-bytes.ts";
import { endExpiredKeys, reopenKeys } from "../app/key-end.ts";
import type { Check } from "../app/operations/conditions.ts";
import { continueBacklogMoves } from "../app/webhooks/backlog-moves.ts";
import { createPruner } from "../app/operations/retention.ts";
import { createRetentionClock } from "../app/operations/retention-clock.ts";
import { DamagedDatabaseError, isStorageUnavailable } from "../store/database/storage-error.ts";
import { isBusy, LOCK_RETRY_MS } from "../store/database/write-lock.ts";
import type { Log } from "../platform/log.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";

const POLL_MS = 50;
/** A damaged value is logged again after this time. */
const DAMAGE_LOG_MS = 3_600_000;
const EVERY_SECOND = "* * * * * *";
const EVERY_MINUTE = "0 * * * * *";
const EVERY_FIVE_MINUTES = "30 */5 * * * *";
/** 03:17 in the server's time zone. */
const EVERY_NIGHT = "0 17 3 * * *";

/** What a feature does in the delivery thread. */
export type ThreadWork = {
  /** Called within 50 ms of a commit, and when the thread starts. */
  afterCommit?: () => void;
  /** Tasks that run each second, and are retried while another writer holds the lock. */
  everySecond?: readonly (() => void | Promise<void>)[];
  everyMinute?: readonly (() => void | Promise<void>)[];
  /** Called at 03:17 in the server's time zone. */
  everyNight?: readonly (() => void | Promise<void>)[];
  /** Called when a health condition has begun, and the operator should be told at once. */
  checkSoon?: () => void;
  /** Waits up to `graceMs` for what is in flight. The database is closed afterwards. */
  stop?: (graceMs: number) => Promise<void>;
};
export type StartWork = (rt: Runtime, context: { checks: readonly Check[] }) => ThreadWork;

/**
 * Wakes the worker and the features within 50 ms of a commit, and runs the periodic jobs.
 */
export function startScheduler(
  rt: Runtime,
  worker: DeliveryWorker,
  works: readonly ThreadWork[],
): { stop: () => void } {
  const hasNewCommit = createCommitDetector(rt);
  // The first call records which commits exist: the caller handles their deliveries by a sweep.
  hasNewCommit();
  const poll = setInterval(() => {
    if (!hasNewCommit()) return;
    worker.wake();
    for (const { afterCommit } of works) afterCommit?.();
  }, POLL_MS);
  const retentionClock = createRetentionClock(rt);
  const prune = createPruner(rt, retentionClock);
  const logDamage = createDamageLog(rt);
  const stopping = new AbortController();

  /**
   * Returns a task that retries while another writer holds the lock. If the storage cannot be used,
   * the next tick tries again.
   */
  const withRetries = (run: () => void | Promise<void>): Task => {
    return async () => {
      while (!stopping.signal.aborted)
        try {
          return await run();
        } catch (error) {
          // A stop closes the database while a task may still wait between two transactions, so an
          // error is expected then.
          if (stopping.signal.aborted) return;
          if (isStorageUnavailable(error)) return logDamage(error);
          if (!isBusy(error)) throw error;
          await delay(LOCK_RETRY_MS);
        }
    };
  };

  const jobs = [
    startJob(EVERY_SECOND, [
      withRetries(() => worker.sweep()),
      withRetries(() => publishClockChanges(rt)),
      withRetries(() => expirePendingVisits(rt)),
      withRetries(() => publishEventAvailability(rt)),
      withRetries(() => endExpiredKeys(rt, retentionClock.now())),
      withRetries(() => continueBacklogMoves(rt)),
      ...works.flatMap(({ everySecond = [] }) => everySecond).map(withRetries),
    ]),
    startJob(EVERY_MINUTE, [
      withRetries(() => worker.reviewFailing()),
      withRetries(() => void emptyErasedLog(rt)),
      withRetries(() => reopenKeys(rt)),
      ...works.flatMap(({ everyMinute = [] }) => everyMinute).map(withRetries),
    ]),
    startJob(EVERY_FIVE_MINUTES, [withRetries(prune)]),
    startJob(EVERY_NIGHT, works.flatMap(({ everyNight = [] }) => everyNight).map(withRetries)),
  ];
  return {
    stop: () => {
      stopping.abort();
      clearInterval(poll);
      for (const job of jobs) void job.stop();
    },
  };
}

/**
 * Returns a function that logs each error about a damaged value at most once an hour. Health
 * conditions report a full disk and a missing data folder, but no health condition reports a
 * periodic job that fails because of a damaged value.
 */
function createDamageLog(rt: Runtime): (error: unknown) => void {
  const loggedAt = new Map<string, number>();
  return (error) => {
    if (!(error instanceof DamagedDatabaseError)) return;
    const { message, fix } = error;
    const now = rt.monotonic();
    if ((loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) > now - DAMAGE_LOG_MS) return;
    loggedAt.set(message, now);
    rt.log("error", "A periodic job could not do all of its work.", { error: message, fix });
  };
}

type Task = () => Promise<void>;

/**
 * Runs the tasks on a schedule. A task is not started again before it has ended. Each tick handles
 * everything that is due, so a late or dropped tick loses no work. The tasks share one job, because
 * cron allocates 0.1 MB to compute the next tick of each job.
 */
function startJob(cronTime: string, tasks: Task[]): CronJob {
  const runs = tasks.map(skipWhileRunning);
  return CronJob.from({
    cronTime,
    onTick: () => runs.forEach((run) => run()),
    // A tick that is late by more than this (ms) is dropped.
    threshold: 60_000,
    unrefTimeout: true,
    errorHandler: rethrow,
    start: true,
  });
}

function skipWhileRunning(task: Task): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    task().then(() => (isRunning = false), rethrow);
  };
}

/**
 * Logs what a package would write to the console. cron warns of each late tick, which loses no work
 * and is therefore logged as information.
 */
export function logWarning(log: Log, text: string): void {
  const [, lateMs] = /^\[Cron\] Missed execution deadline by (\d+)ms/.exec(text) ?? [];
  if (lateMs === undefined) log("warn", text);
  else log("info", "A periodic job ran late.", { lateMs: Number(lateMs) });
}

/** Throws an error that its caller, such as cron, would swallow: the daemon must exit on a bug. */
export const rethrow = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });
