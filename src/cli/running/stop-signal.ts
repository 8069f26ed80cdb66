import { EXIT } from "../failure.ts";

const EXIT_OF = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
} as const;
export type StopSignal = keyof typeof EXIT_OF;

export const exitCodeOf = (signal: StopSignal): number => EXIT_OF[signal];

/**
 * The terminal, npm and bin/deskbell.js each pass the signal on, so that one Ctrl-C arrives up to
 * three times.
 */
const SAME_SIGNAL_MS = 500;

const ALL = Object.keys(EXIT_OF) as StopSignal[];

/**
 * Resolves at the first stop signal, or when bin/deskbell.js was killed without passing one on. A
 * second signal ends the process immediately.
 */
export const untilStopped = (signals: readonly StopSignal[] = ALL): Promise<StopSignal> =>
  new Promise((resolve) => {
    let mayExit = false;
    for (const signal of signals)
      process.on(signal, () => {
        if (mayExit) process.exit(EXIT_OF[signal]);
        resolve(signal);
        setTimeout(() => (mayExit = true), SAME_SIGNAL_MS).unref();
      });
    process.once("disconnect", () => resolve("SIGTERM"));
    // The channel to bin/deskbell.js exists only with an old Node. It must not keep the process.
    process.channel?.unref();
  });
