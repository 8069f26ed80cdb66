import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { deliveryThread } from "../assets.ts";
import type { Config } from "../config.ts";
import type { AttemptNotice } from "./delivery-worker.ts";
import type { WorkerCommand, WorkerMessage, ThreadData } from "./messages.ts";

export type OnAttempt = (attempt: AttemptNotice) => void;

export type RunningDeliveryWorker = {
  /** After a commit in this process: what it added goes out without waiting for the next poll. */
  wake: () => void;
  /** Finishes what is on the wire, at most 10 s. */
  stop: () => Promise<void>;
  /** Resolves with the thread's exit code: 0 after `stop`, 1 after an error that it did not expect, which it has logged. */
  exited: Promise<number>;
};

/** Starts the courier in its thread; resolves when it has taken up what was due. */
export async function startDeliveryWorker(
  config: Config,
  { onAttempt }: { onAttempt?: OnAttempt | undefined } = {},
): Promise<RunningDeliveryWorker> {
  const workerData: ThreadData = {
    config: { ...config, mayCreate: false },
    isWatched: onAttempt !== undefined,
  };
  // Of what a drain makes nearly all is dead at once: more room for it takes memory and gains nothing.
  const resourceLimits = { maxYoungGenerationSizeMb: 16 };
  const code = deliveryThread();
  const worker = new Worker(code, { eval: typeof code === "string", workerData, resourceLimits });
  const order = (order: WorkerCommand): void => worker.postMessage(order);
  const exited = new Promise<number>((resolve) => worker.once("exit", resolve));
  worker.on("message", (report: WorkerMessage) => {
    if (report.type === "attempt") onAttempt?.(report.attempt);
  });
  const failed = exited.then(() =>
    Promise.reject(new Error("The courier ended before it had started.")),
  );
  await Promise.race([once(worker, "message"), failed]);
  return {
    wake: () => order({ type: "wake" }),
    stop: async () => {
      order({ type: "stop" });
      await exited;
    },
    exited,
  };
}
