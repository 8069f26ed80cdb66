import { CronJob } from "cron";
import type { Runtime } from "../runtime.ts";
import type { Courier } from "./courier.ts";

const POLL_MS = 50;

/** Keeps the courier going: it hears of other connections' commits within 50 ms and sweeps what is due each second. */
export function startBeat(rt: Runtime, courier: Courier): { stop: () => void } {
  let seen = rt.revision();
  const poll = setInterval(() => {
    const revision = rt.revision();
    if (revision === seen) return;
    seen = revision;
    courier.wake();
  }, POLL_MS);
  const sweeps = CronJob.from({
    cronTime: "* * * * * *",
    onTick: () => courier.sweep(),
    waitForCompletion: true,
    // A late tick sweeps as well as one in time.
    threshold: 60_000,
    unrefTimeout: true,
    errorHandler: rethrow,
    start: true,
  });
  return {
    stop: () => {
      clearInterval(poll);
      void sweeps.stop();
    },
  };
}

/** Out of cron's hands, which would swallow it: the thread must end, and the daemon with it. */
const rethrow = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });
