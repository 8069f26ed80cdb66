import { EXIT } from "../exit-codes.ts";

const EXIT_OF = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
} as const;
export type StopSignal = keyof typeof EXIT_OF;

export const exitCodeOf = (signal: StopSignal): number => EXIT_OF[signal];

/** A terminal signals its whole group, and npm and bin/deskbell.js pass theirs on: one ctrl-c arrives up to three times. */
const SAME_SIGNAL_MS = 500;

const ALL = Object.keys(EXIT_OF) as StopSignal[];

/** Resolves when the process is told to stop. Told again, it ends at once. */
export const untilStopped = (by: readonly StopSignal[] = ALL): Promise<StopSignal> =>
  new Promise((resolve) => {
    let isImpatient = false;
    for (const signal of by)
      process.on(signal, () => {
        if (isImpatient) process.exit(EXIT_OF[signal]);
        resolve(signal);
        setTimeout(() => (isImpatient = true), SAME_SIGNAL_MS).unref();
      });
  });
