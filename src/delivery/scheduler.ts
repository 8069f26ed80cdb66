import { setTimeout as delay } from "node:timers/promises";
import { CronJob } from "cron";
import type { Alerting } from "../app/alerts/alerting.ts";
import type { Runtime } from "../app/runtime.ts";
import { publishEventAvailability } from "../app/bookings/event-availability.ts";
import { expirePendingVisits } from "../app/bookings/change-visit.ts";
import { expireTicketOrders } from "../app/bookings/ticket-holds.ts";
import { createCommitDetector } from "../app/commit-detector.ts";
import { publishClockChanges } from "../app/catalog/publish.ts";
import { emptyErasedLog } from "../app/guests/erased-bytes.ts";
import { endExpiredKeys } from "../app/key-end.ts";
import { hasCopyPlace } from "../app/operations/backup-copies.ts";
import { runMaintenance } from "../app/operations/maintenance.ts";
import { continueBacklogMoves } from "../app/webhooks/backlog-moves.ts";
import { createPruner } from "../app/operations/retention.ts";
import { isStorageUnavailable } from "../store/storage-error.ts";
import { isBusy, LOCK_RETRY_MS } from "../store/write-lock.ts";
import type { Log } from "../log.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";
import type { Publishers } from "./destinations/publishers.ts";
import { createMaintenance, type RunMaintenance } from "./maintenance.ts";

const POLL_MS = 50;
const EVERY_SECOND = "* * * * * *";
const EVERY_MINUTE = "0 * * * * *";
const EVERY_FIVE_MINUTES = "30 */5 * * * *";
/** At 03:17 in the server's time zone. */
const EVERY_NIGHT = "0 17 3 * * *";

/**
 * Wakes the worker and the publishers within 50 ms of a commit, and runs the periodic jobs.
 * @param runMaintenanceNow the default runs it in the current thread
 */
export function startScheduler(
  rt: Runtime,
  worker: DeliveryWorker,
  alerting: Alerting,
  publishers: Publishers,
  runMaintenanceNow: RunMaintenance = (options) => runMaintenance(rt, options),
): { stop: () => void } {
  const hasNewCommit = createCommitDetector(rt);
  hasNewCommit();
  const poll = setInterval(() => {
    if (!hasNewCommit()) return;
    worker.wake();
    publishers.wake();
  }, POLL_MS);
  const prune = createPruner(rt);
  const stopping = new AbortController();
  const { signal } = stopping;
  const maintenance = createMaintenance(rt, runMaintenanceNow, { signal });

  /** Retries while another writer holds the lock. Without storage, the next tick tries again. */
  const startWritingJob = (cronTime: string, run: () => void | Promise<void>): CronJob =>
    startJob(cronTime, async () => {
      while (!stopping.signal.aborted)
        try {
          return await run();
        } catch (error) {
          // Stopping closes the database under a job that waits between two transactions.
          if (stopping.signal.aborted || isStorageUnavailable(error)) return;
          if (!isBusy(error)) throw error;
          await delay(LOCK_RETRY_MS);
        }
    });

  const jobs = [
    startWritingJob(EVERY_SECOND, () => worker.sweep()),
    startWritingJob(EVERY_SECOND, () => publishers.tick()),
    startWritingJob(EVERY_MINUTE, () => worker.reviewFailing()),
    startWritingJob(EVERY_MINUTE, () => void emptyErasedLog(rt)),
    startWritingJob(EVERY_FIVE_MINUTES, prune),
    startWritingJob(EVERY_SECOND, () => publishClockChanges(rt)),
    startWritingJob(EVERY_SECOND, () => expireTicketOrders(rt)),
    startWritingJob(EVERY_SECOND, () => expirePendingVisits(rt)),
    startWritingJob(EVERY_SECOND, () => publishEventAvailability(rt)),
    startWritingJob(EVERY_SECOND, () => endExpiredKeys(rt)),
    startWritingJob(EVERY_SECOND, () => continueBacklogMoves(rt)),
    startJob(EVERY_SECOND, async () => void alerting.tick()),
    startJob(EVERY_MINUTE, maintenance.runIfDue),
    ...(hasCopyPlace(rt.config) ? [startJob(EVERY_SECOND, maintenance.runIfChanged)] : []),
    startJob(EVERY_NIGHT, maintenance.runNightly),
  ];
  return {
    stop: () => {
      stopping.abort();
      clearInterval(poll);
      for (const job of jobs) void job.stop();
    },
  };
}

/** Jobs handle everything that is due, so a late or dropped tick loses nothing. */
const startJob = (cronTime: string, onTick: () => Promise<void>): CronJob =>
  CronJob.from({
    cronTime,
    onTick,
    waitForCompletion: true,
    threshold: 60_000,
    unrefTimeout: true,
    errorHandler: rethrow,
    start: true,
  });

/**
 * Logs what a package would write to the console. cron warns of each late tick, but jobs do
 * everything that is due, so that it loses nothing.
 */
export function logWarning(log: Log, text: string): void {
  const [, lateMs] = /^\[Cron\] Missed execution deadline by (\d+)ms/.exec(text) ?? [];
  if (lateMs === undefined) log("warn", text);
  else log("info", "A periodic job ran late.", { lateMs: Number(lateMs) });
}

/** Throws outside of cron, which would swallow the error: the daemon must exit. */
const rethrow = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });
