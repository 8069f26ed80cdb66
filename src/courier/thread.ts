import { parentPort, workerData } from "node:worker_threads";
import { openRuntime } from "../runtime.ts";
import { createAlerter } from "./alerter.ts";
import { startBeat } from "./beat.ts";
import { createCourier } from "./courier.ts";
import type { Order, Report, ThreadData } from "./messages.ts";
import { createSender } from "./send.ts";

// The courier's thread, with a connection of its own: a drain or an fsync never holds up a GET.

/** It never waits for another writer, and tries again instead: meanwhile deliveries go on. */
const BUSY_TIMEOUT_MS = 0;
const GRACE_MS = 10_000;

const { config, isWatched } = workerData as ThreadData;
const rt = openRuntime(config, BUSY_TIMEOUT_MS);
rt.store.file.tuneForWriting();
const tell = (report: Report): void => parentPort?.postMessage(report);
const sender = createSender(config.lab, rt.monotonic);
const alerter = createAlerter(rt);
const courier = createCourier(rt, sender.send, {
  onAttempt: isWatched ? (attempt) => tell({ type: "attempt", attempt }) : undefined,
  onAlert: alerter.tell,
});
const beat = startBeat(rt, courier);

let stopped: Promise<void> | undefined;

// Half a courier is worse than none: whoever supervises the daemon starts it anew.
process.on("uncaughtException", (error) => {
  rt.log("error", "The courier failed.", { error: error.stack ?? String(error) });
  process.exit(1);
});
parentPort?.on("message", (order: Order) => (order.type === "wake" ? courier.wake() : void (stopped ??= stop())));
courier.sweep();
tell({ type: "started" });

async function stop(): Promise<void> {
  beat.stop();
  await courier.stop(GRACE_MS);
  await Promise.all([sender.close(), alerter.close()]);
  rt.close();
  parentPort?.close();
}
