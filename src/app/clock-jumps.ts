import { readFileSync } from "node:fs";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import type { Connection } from "../store/database/database.ts";
import type { Log } from "../platform/log.ts";
import type { Store } from "../store/store.ts";

/** If the offset between the clocks changes by this much or more, the wall clock has jumped. */
export const MIN_JUMP_MS = 5000;

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

type Clocks = {
  /** Returns the wall clock minus the monotonic clock of the machine. */
  offset: () => number;
  now: () => number;
  /**
   * Returns the name of the monotonic clock, which is equal in all processes that share the clock.
   */
  source: () => string;
};

type Role = {
  /**
   * Whether this process is the daemon, which stores the offset before the first jump, so that
   * later processes detect a jump.
   */
  isDaemon: boolean;
  /**
   * Returns whether a daemon runs. A command then shifts nothing, because the command's own clock
   * may be wrong.
   */
  isDaemonRunning: () => boolean;
};

/**
 * Returns a function that detects a jump of the wall clock, and shifts every period by the length
 * of the jump, once for all threads and processes. Call it before each transaction: after a jump, a
 * hold would otherwise seem to have expired, or to last for hours. The time during which a machine
 * was suspended counts as a jump, too, because the monotonic clock stood still. Nobody could use
 * the server meanwhile, so periods keep their remaining time.
 */
export function createJumpDetector(
  { tx, isDryRun }: Pick<Connection, "tx" | "isDryRun">,
  store: Store,
  clocks: Clocks,
  { isDaemon, isDaemonRunning }: Role,
  log: Log,
): () => void {
  const firstOffset = clocks.offset();
  /** The offset at the last call; undefined before the first call. */
  let lastOffset: number | undefined;

  const shiftIfJumped = (): void => {
    const source = clocks.source();
    tx(() => {
      const stored = store.clock.find();
      const offset = clocks.offset();
      // An offset to another monotonic clock, such as before a reboot, cannot be compared.
      const isComparable = stored?.source === source;
      const earlierOffset = isComparable ? stored.offsetMs : (lastOffset ?? firstOffset);
      const byMs = Math.round(offset - earlierOffset);
      const hasJumped = Math.abs(byMs) >= MIN_JUMP_MS;
      if (hasJumped) {
        store.clock.shiftPeriods(byMs, clocks.now());
        log("warn", "The clock jumped; everything that expires was shifted by the same amount.", {
          seconds: Math.round(byMs / 1000),
        });
      }
      if (hasJumped || (isDaemon && !isComparable)) store.clock.replace(source, Math.round(offset));
    });
  };

  return () => {
    const offset = clocks.offset();
    if (lastOffset !== undefined && Math.abs(offset - lastOffset) < MIN_JUMP_MS) return;
    if (isDryRun()) return;
    if (lastOffset === undefined && isUnchanged(offset)) {
      lastOffset = offset;
      return;
    }
    if (isDaemon || !isDaemonRunning()) shiftIfJumped();
    lastOffset = offset;
  };

  /** Returns true if the clocks have not jumped. Unlike `shiftIfJumped`, it takes no write lock. */
  function isUnchanged(offset: number): boolean {
    if (Math.abs(offset - firstOffset) >= MIN_JUMP_MS) return false;
    const stored = store.clock.find();
    // A daemon still has to store its offset, so the result for a daemon is false.
    if (stored === undefined || stored.source !== clocks.source()) return !isDaemon;
    return Math.abs(offset - stored.offsetMs) < MIN_JUMP_MS;
  }
}

const PROCESS_NAME = "deskbell process";

/**
 * Returns the ID of the boot, at which the monotonic clock began. Where there is no /proc, returns
 * a name of the process. The name is random, because after a reboot another process may have the
 * number of this one. All threads get the same name if the main thread calls this function before
 * it starts them.
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
