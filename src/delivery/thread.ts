import { parentPort, workerData } from "node:worker_threads";
import { openRuntime } from "../app/runtime.ts";
import { createAlerter } from "./alerter.ts";
import { startScheduler } from "./scheduler.ts";
import { createDeliveryWorker } from "./delivery-worker.ts";
import type { WorkerCommand, WorkerMessage, ThreadData } from "./messages.ts";
import type { Sender } from "./sender.ts";

// The courier's thread, with a connection of its own: a drain or an fsync never holds up a GET.

/** It never waits for another writer, and tries again instead: meanwhile deliveries go on. */
const BUSY_TIMEOUT_MS = 0;
const GRACE_MS = 10_000;

const { config, isWatched } = workerData as ThreadData;
const rt = openRuntime(config, BUSY_TIMEOUT_MS);
rt.store.file.tuneForWriting();
const tell = (report: WorkerMessage): void => parentPort?.postMessage(report);
let sender: Promise<Sender> | undefined;
/** What sends is loaded for the first delivery: it takes 10 MB, for which a box without webhooks has no use. */
const loadSender = (): Promise<Sender> =>
  (sender ??= import("./sender.ts").then(
    ({ createSender }) => createSender(config.urlAllowances, rt.monotonic),
    fail,
  ));
const alerter = createAlerter(rt);
const courier = createDeliveryWorker(rt, async (post) => (await loadSender()).send(post), {
  onAttempt: isWatched ? (attempt) => tell({ type: "attempt", attempt }) : undefined,
  onAlert: alerter.send,
});
const beat = startScheduler(rt, courier);

let stopped: Promise<void> | undefined;

// Half a courier is worse than none: whoever supervises the daemon starts it anew.
process.on("uncaughtException", fail);
parentPort?.on("message", (order: WorkerCommand) =>
  order.type === "wake" ? courier.wake() : void (stopped ??= stop()),
);
courier.sweep();
tell({ type: "started" });

function fail(error: Error): never {
  rt.log("error", "The courier failed.", { error: error.stack ?? String(error) });
  process.exit(1);
}

async function stop(): Promise<void> {
  beat.stop();
  await courier.stop(GRACE_MS);
  await Promise.all([sender?.then(({ close }) => close()), alerter.close()]);
  rt.close();
  parentPort?.close();
}
