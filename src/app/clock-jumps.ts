import { readFileSync } from "node:fs";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import type { Connection } from "../store/database/database.ts";
import type { Log } from "../platform/log.ts";
import type { Store } from "../store/store.ts";

/** A larger difference between the clocks means that the wall clock was set. */
export const MIN_JUMP_MS = 5000;

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

type Clocks = {
  /** The wall clock minus the monotonic clock of the machine. */
  offset: () => number;
  now: () => number;
  /** Names the monotonic clock: the same for all processes that share it. */
  source: () => string;
};

type Role = {
  /** The daemon stores the offset before the first jump, so that later processes notice one. */
  isDaemon: boolean;
  /** While a daemon runs, a command shifts nothing: its own clock may be the one that is wrong. */
  isDaemonRunning: () => boolean;
};

/**
 * Returns a function that notices when the wall clock was set, and shifts every period by the same
 * time, once for all threads and processes. Call it before each transaction: until then, a hold
 * would seem to have expired, or to last for hours. A machine that was suspended counts as well,
 * because its monotonic clock stood still: nobody could answer meanwhile, so what had not expired
 * keeps its remaining time.
 */
export function createJumpNotice(
  { tx, isDryRun }: Pick<Connection, "tx" | "isDryRun">,
  store: Store,
  clocks: Clocks,
  { isDaemon, isDaemonRunning }: Role,
  log: Log,
): () => void {
  const openedAt = clocks.offset();
  let known: number | undefined;

  const compare = (): void => {
    const source = clocks.source();
    tx(() => {
      const stored = store.clock.find();
      const offset = clocks.offset();
      const isShared = stored?.source === source;
      const byMs = Math.round(offset - (isShared ? stored.offsetMs : (known ?? openedAt)));
      const hasJumped = Math.abs(byMs) >= MIN_JUMP_MS;
      if (hasJumped) {
        store.clock.shiftPeriods(byMs, clocks.now());
        log("warn", "The clock was set; everything that expires was shifted by the same amount.", {
          seconds: Math.round(byMs / 1000),
        });
      }
      if (hasJumped || (isDaemon && !isShared)) store.clock.replace(source, Math.round(offset));
    });
  };

  return () => {
    const offset = clocks.offset();
    if (known !== undefined && Math.abs(offset - known) < MIN_JUMP_MS) return;
    if (isDryRun()) return;
    if (known === undefined && isUnchanged(offset)) {
      known = offset;
      return;
    }
    if (isDaemon || !isDaemonRunning()) compare();
    known = offset;
  };

  /** Spares a process the write lock, which it would take only to see that there was no jump. */
  function isUnchanged(offset: number): boolean {
    if (Math.abs(offset - openedAt) >= MIN_JUMP_MS) return false;
    const stored = store.clock.find();
    if (stored === undefined || stored.source !== clocks.source()) return !isDaemon;
    return Math.abs(offset - stored.offsetMs) < MIN_JUMP_MS;
  }
}

const PROCESS_NAME = "deskbell process";

/**
 * Names the boot, since which the monotonic clock counts; elsewhere than on Linux, the process. The
 * name of a process is random, because its number may be that of another one after a reboot. All
 * threads have the same name if the main thread calls it before it starts the others.
 */
export function readClockSource(random: (bytes: number) => Buffer, path = BOOT_ID): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    const name = getEnvironmentData(PROCESS_NAME);
    if (typeof name === "string") return name;
    const created = `process ${random(16).toString("hex")}`;
    setEnvironmentData(PROCESS_NAME, created);
    return created;
  }
}
