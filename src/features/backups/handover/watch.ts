import type { Runtime } from "../../../app/runtime.ts";
import type { DaemonControl } from "../../../app/feature-hooks.ts";
import { AppError } from "../../../domain/errors.ts";
import { cancelHandover } from "./cancel.ts";
import { forgetHandover, readHandover } from "./state.ts";

const POLL_MS = 1000;

/**
 * Checks each second whether a command asks for a handover, and then hands the data over.
 * @returns a function that ends the watch, and a handover that is in progress
 */
export function watchForHandover(
  rt: Runtime,
  { end, ...writers }: DaemonControl,
): () => Promise<void> {
  const stopping = new AbortController();
  let handingOver: Promise<void> | undefined;

  async function handOverIfAsked(): Promise<void> {
    const handover = readHandover(rt.config);
    if (handingOver !== undefined || handover?.state !== "asked") return;
    handingOver = handOverTo(handover.to);
    try {
      await handingOver;
    } finally {
      handingOver = undefined;
    }
  }

  async function handOverTo(dir: string): Promise<void> {
    const { handOver } = await import("./hand-over.ts");
    const failure = await handOver(rt, dir, writers, stopping.signal);
    if (failure === undefined) end("handed over");
  }

  const logFailure = ({ message: reason, stack }: Error): void =>
    rt.log("error", "A handover failed.", { reason, error: stack });
  const timer = setInterval(() => void handOverIfAsked().catch(logFailure), POLL_MS).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort(new AppError("shutting_down", "The daemon was told to stop."));
    // A failure is ignored here, because it was logged.
    await handingOver?.catch(() => {});
  };
}

/**
 * Ends a handover that was interrupted before the last copy was complete. Called when a daemon
 * starts, which is not possible after a completed handover. If the handover has not begun yet or
 * has failed, its file is deleted.
 * @throws AppError state_refuses if another server has taken over, or if the folder of the copies
 * cannot be read
 */
export function endInterrupted({ config, log, now }: Runtime): void {
  const handover = readHandover(config);
  if (handover === undefined) return;
  if (handover.state === "begun") {
    cancelHandover(config, handover, now());
    log("warn", "A handover was interrupted: this server goes on.", { to: handover.to });
  } else forgetHandover(config);
}
