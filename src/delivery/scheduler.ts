import { CronJob } from "cron";
import { backUpNightly } from "../app/operations/backups.ts";
import { expireTicketOrders } from "../app/bookings/end-ticket-orders.ts";
import { createPruner } from "../app/operations/retention.ts";
import { publishClockChanges } from "../app/catalog/publish.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../app/runtime.ts";
import { isBusy, isStorageFull } from "../store/database.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";

const POLL_MS = 50;
const EACH_SECOND = "* * * * * *";
const EACH_MINUTE = "0 * * * * *";
const EACH_FIVE_MINUTES = "30 */5 * * * *";
/** Of the box's own clock. */
const EACH_NIGHT = "0 17 3 * * *";

/** Keeps the courier going: it hears of other connections' commits within 50 ms and looks for what is due each second. */
export function startScheduler(rt: Runtime, courier: DeliveryWorker): { stop: () => void } {
  let seen = rt.revision();
  const poll = setInterval(() => {
    const revision = rt.revision();
    if (revision === seen) return;
    seen = revision;
    courier.wake();
  }, POLL_MS);
  const prune = createPruner(rt);
  const jobs = [
    startJob(EACH_SECOND, () => whenWritable(() => courier.sweep())),
    startJob(EACH_MINUTE, () => whenWritable(() => courier.reviewFailing())),
    startJob(EACH_FIVE_MINUTES, () => whenWritable(prune)),
    startJob(EACH_SECOND, () => whenWritable(() => publishClockChanges(rt))),
    startJob(EACH_SECOND, () => whenWritable(() => expireTicketOrders(rt))),
    startJob(EACH_NIGHT, () => backUpNightly(rt)),
  ];
  return {
    stop: () => {
      clearInterval(poll);
      for (const job of jobs) void job.stop();
    },
  };
}

/** A tick takes up whatever is due: one that is late or dropped loses nothing. */
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

/** Somebody else is writing for long, or the disk is full: the next tick tries again. */
async function whenWritable(work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isLowOnSpace = error instanceof AppError && error.code === "storage_full";
    if (!isBusy(error) && !isStorageFull(error) && !isLowOnSpace) throw error;
  }
}

/** Out of cron's hands, which would swallow it: the thread must end, and the daemon with it. */
const rethrow = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });
