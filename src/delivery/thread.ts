import { parentPort, workerData } from "node:worker_threads";
import { DAEMON } from "../domain/audit.ts";
import { AppError, errorInWords } from "../domain/errors.ts";
import { loadOtherVisits } from "../app/bookings/other-visits.ts";
import { openRuntime } from "../app/runtime.ts";
import { type Check, loadChecks } from "../app/operations/conditions.ts";
import { loadFromFeatures } from "../features/index.ts";
import { DeliveryWorker } from "./delivery-worker.ts";
import type { ThreadData, WorkerCommand, WorkerMessage } from "./start.ts";
import { logWarning, type StartWork, startScheduler } from "./scheduler.ts";
import type { Sender } from "./sender.ts";
import { storageError } from "../store/database/storage-error.ts";

// The delivery thread has its own database connection, so that its writes never delay a GET.

/**
 * Time that SQLite waits for the lock: none. Writes are retried instead, so that deliveries
 * continue.
 */
const BUSY_TIMEOUT_MS = 0;
/** Time that deliveries in flight have to end when the thread stops. */
const GRACE_MS = 10_000;

const { config, isWatched } = workerData as ThreadData;
const rt = openRuntime(config, BUSY_TIMEOUT_MS, {
  actor: () => DAEMON,
  isDaemon: true,
  onSyncFailed: fail,
});
rt.store.file.tuneForWriting();
const postMessage = (message: WorkerMessage): void => parentPort?.postMessage(message);
let sender: Promise<Sender> | undefined;
/**
 * Returns the sender. Its module takes 10 MB and many servers have no webhooks, so it is loaded for
 * the first delivery.
 */
const loadSender = (): Promise<Sender> =>
  (sender ??= import("./sender.ts").then(
    ({ createSender }) => createSender(config.urlAllowances, rt.monotonic),
    fail,
  ));
// An unknown error ends the thread, and the daemon with it: the supervisor restarts the daemon.
process.on("uncaughtException", fail);
// The alerts ask for the state of ticket orders, which are visits of a feature.
void Promise.all([loadChecks(), loadFromFeatures("schedule"), loadOtherVisits()]).then(start, fail);

function start([checks, schedule]: [readonly Check[], readonly StartWork[], void]): void {
  const works = schedule.map((startWork) => startWork(rt, { checks }));
  const worker = new DeliveryWorker(rt, async (post) => (await loadSender()).send(post), {
    onAttempt: isWatched ? (attempt) => postMessage({ type: "attempt", attempt }) : undefined,
    onDisabled: () => works.forEach(({ checkSoon }) => checkSoon?.()),
  });
  // cron may warn of a late tick while it starts a job, so `console.warn` is replaced first.
  console.warn = (text) => logWarning(rt.log, String(text));
  const scheduler = startScheduler(rt, worker, works);

  let stopped: Promise<void> | undefined;

  parentPort?.on("message", (command: WorkerCommand) =>
    command.type === "wake" ? worker.wake() : void (stopped ??= stop()),
  );
  worker.sweep();
  for (const { afterCommit } of works) afterCommit?.();
  postMessage({ type: "started" });

  async function stop(): Promise<void> {
    scheduler.stop();
    await Promise.all([worker.stop(GRACE_MS), ...works.map((work) => work.stop?.(GRACE_MS))]);
    await sender?.then(({ close }) => close());
    rt.close();
    parentPort?.close();
  }
}

function fail(error: unknown): never {
  const known = error instanceof AppError ? error : storageError(error, config.databasePath);
  if (known) rt.log("error", known.message, { fix: known.fix });
  else
    rt.log("error", "The delivery worker failed.", {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  const message = known?.message ?? `The delivery worker failed: ${errorInWords(error)}.`;
  postMessage({ type: "failed", message, fix: known?.fix });
  process.exit(1);
}
