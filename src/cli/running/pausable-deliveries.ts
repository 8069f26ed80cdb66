import type { Config } from "../../config.ts";
import { errorInWords } from "../../domain/errors.ts";
import {
  type OnAttempt,
  type RunningDeliveryWorker,
  startDeliveryWorker,
  type WorkerFailure,
} from "../../delivery/start.ts";

/** The delivery worker of a daemon, which a feature can pause. */
export type PausableDeliveries = {
  /** Waits for the deliveries in flight, and sends no more until `resume`. */
  pause: () => Promise<void>;
  resume: () => Promise<void>;
  /** Resolves with the reason if the worker ends by itself. */
  died: Promise<WorkerFailure>;
};

/** Starts the delivery worker. Resolves after its first search for due deliveries. */
export async function startPausableDeliveries(
  config: Config,
  options: { onAttempt?: OnAttempt | undefined },
): Promise<PausableDeliveries> {
  const { promise: died, resolve } = Promise.withResolvers<WorkerFailure>();
  let isPaused = false;
  let worker = await start();

  async function start(): Promise<RunningDeliveryWorker> {
    const started = await startDeliveryWorker(config, options);
    void resolveIfDied(started);
    return started;
  }

  async function resolveIfDied({ exited, failure }: RunningDeliveryWorker): Promise<void> {
    await exited;
    if (isPaused) return;
    resolve(failure() ?? { message: "The delivery worker died.", fix: undefined });
  }

  return {
    async pause() {
      isPaused = true;
      await worker.stop();
    },
    async resume() {
      isPaused = false;
      try {
        worker = await start();
      } catch (error) {
        resolve({ message: `Deliveries could not go on: ${errorInWords(error)}.`, fix: undefined });
        throw error;
      }
    },
    died,
  };
}
