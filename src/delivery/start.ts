import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { deliveryThread } from "../platform/assets.ts";
import type { Config } from "../config.ts";
import type { AttemptReport } from "./delivery-worker.ts";

/** Data that the thread starts with. The thread reports attempts if `isWatched`. */
export type ThreadData = { config: Config; isWatched: boolean };
export type WorkerCommand = { type: "wake" } | { type: "stop" };
export type WorkerMessage =
  | { type: "started" }
  | { type: "attempt"; attempt: AttemptReport }
  | ({ type: "failed" } & WorkerFailure);

/** The error that ends the thread. */
export type WorkerFailure = { message: string; fix: string | undefined };

export type OnAttempt = (attempt: AttemptReport) => void;

export type RunningDeliveryWorker = {
  /** Sends new deliveries before the next poll. Call it after a commit. */
  wake: () => void;
  /** Stops the thread, which waits up to 10 s for the deliveries in flight. */
  stop: () => Promise<void>;
  /**
   * Resolves to the thread's exit code: 0 after `stop`, 1 after an internal error, which is logged.
   */
  exited: Promise<number>;
  /** Returns why the thread has ended; undefined without an error. */
  failure: () => WorkerFailure | undefined;
};

/** Starts the delivery worker in a thread. Resolves after its first sweep. */
export async function startDeliveryWorker(
  config: Config,
  { onAttempt }: { onAttempt?: OnAttempt | undefined } = {},
): Promise<RunningDeliveryWorker> {
  const workerData: ThreadData = {
    config: { ...config, mayCreate: false },
    isWatched: onAttempt !== undefined,
  };
  // A backlog allocates short-lived objects, for which a larger young generation saves nothing.
  const resourceLimits = { maxYoungGenerationSizeMb: 16 };
  // A script is the URL of a file or, in the executable, the text of the program.
  const script = deliveryThread();
  const isText = typeof script === "string";
  const worker = new Worker(script, { eval: isText, workerData, resourceLimits });
  const send = (command: WorkerCommand): void => worker.postMessage(command);
  let failure: WorkerFailure | undefined;
  const exited = new Promise<number>((resolve) => worker.once("exit", resolve));
  worker.on("message", (message: WorkerMessage) => {
    if (message.type === "attempt") onAttempt?.(message.attempt);
    if (message.type === "failed") failure = message;
  });
  const failed = exited.then(() =>
    Promise.reject(new Error("The delivery thread ended before it had started.")),
  );
  await Promise.race([once(worker, "message"), failed]);
  return {
    wake: () => send({ type: "wake" }),
    stop: async () => {
      send({ type: "stop" });
      await exited;
    },
    exited,
    failure: () => failure,
  };
}
