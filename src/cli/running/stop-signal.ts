import { EXIT } from "../failure.ts";
import { onParentEnded } from "./parent.ts";

const EXIT_OF = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
} as const;
export type StopSignal = keyof typeof EXIT_OF;

/** npm or bin/deskbell.js was killed without passing a signal on. */
export const PARENT_ENDED = "the parent process has ended";
export type StopReason = StopSignal | typeof PARENT_ENDED;

export const exitCodeOf = (reason: StopReason): number =>
  EXIT_OF[reason === PARENT_ENDED ? "SIGTERM" : reason];

/**
 * The terminal, npm and bin/deskbell.js each pass the signal on, so that one Ctrl-C arrives up to
 * three times.
 */
const SAME_SIGNAL_MS = 500;

const ALL = Object.keys(EXIT_OF) as StopSignal[];

/**
 * Resolves at the first stop signal, or when the parent has ended. A second signal ends the process
 * immediately.
 */
export const untilStopped = (signals: readonly StopSignal[] = ALL): Promise<StopReason> =>
  new Promise((resolve) => {
    let mayExit = false;
    for (const signal of signals)
      process.on(signal, () => {
        if (mayExit) process.exit(EXIT_OF[signal]);
        resolve(signal);
        setTimeout(() => (mayExit = true), SAME_SIGNAL_MS).unref();
      });
    onParentEnded(() => resolve(PARENT_ENDED));
    process.once("disconnect", () => resolve(PARENT_ENDED));
    // The channel to bin/deskbell.js exists only with an old Node. It must not keep the process. A
    // process that receives messages, such as one of several that run tests, needs its channel.
    if (process.listenerCount("message") === 0) process.channel?.unref();
  });
