import { once } from "node:events";
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import {
  isBackupDue,
  isMaintenanceDue,
  isNewestOfHandover,
  isNewestOutdated,
  isNightMissed,
  type MaintenanceOptions,
} from "./maintenance.ts";
import { findNewestBackup } from "../backups.ts";
import { isRegularBackup } from "../store/files.ts";
import { saveBackupState } from "../state.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { featureThread } from "../../../platform/assets.ts";
import type { Config } from "../../../config.ts";

export type MaintenanceData = { config: Config; work: "maintenance" | "backup" | "last-copy" };

export type RunMaintenance = (options: MaintenanceOptions) => Promise<void>;

/**
 * A stopped run has this time to finish before its thread is terminated. The daemon may wait longer
 * than this for deliveries in flight.
 */
const GRACE_MS = 8000;
/**
 * The --backup-dir is checked at this interval, so that a missing mount is found before the next
 * backup.
 */
const CHECK_DIR_EVERY_MS = 3_600_000;
/** A missed backup waits this long after the daemon starts, because the machine is busy then. */
const CATCH_UP_DELAY_MS = 10 * 60_000;
/**
 * A missed backup is tried again at this interval, so that a folder without write access is not
 * tried each minute.
 */
const CATCH_UP_EVERY_MS = 24 * 3_600_000;

/**
 * Returns a function that runs maintenance in a thread of its own. The thread lowers its priority
 * once the data are copied.
 */
export const createMaintenanceRunner =
  (config: Config): RunMaintenance =>
  async ({ backUp, signal }) =>
    void (await runThread(config, backUp ? "backup" : "maintenance", signal));

/**
 * Makes a backup and copies it to --backup-dir, in a thread. Returns whether it was copied before
 * `signal` was aborted.
 */
export const makeLastCopyInThread = async (config: Config, signal: AbortSignal): Promise<boolean> =>
  (await runThread(config, "last-copy", signal)) === 0;

/** Runs the thread until it ends or `signal` stops it, and returns its exit code. */
async function runThread(
  config: Config,
  work: MaintenanceData["work"],
  signal: AbortSignal | undefined,
): Promise<number> {
  const workerData: MaintenanceData = { config: { ...config, mayCreate: false }, work };
  // `featureThread` returns the URL of the thread's script, or its code as a text in the
  // single-file executable.
  const code = featureThread("backups");
  const worker = new Worker(code, { eval: typeof code === "string", workerData });
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    worker.postMessage("stop");
    // `terminate` does no harm, because an unfinished backup is a draft, which a later run deletes.
    timer = setTimeout(() => void worker.terminate(), GRACE_MS);
  };
  signal?.addEventListener("abort", stop);
  try {
    const [exitCode] = (await once(worker, "exit")) as [number];
    return exitCode;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Runs maintenance when it is due, one run at a time. A failure is logged. */
export function createMaintenance(
  rt: Runtime,
  run: RunMaintenance,
  options: Pick<MaintenanceOptions, "signal">,
) {
  let isRunning = false;
  let isNightDue = false;
  // The variables `catchUpFrom`, `replaceFrom` and `checkDirFrom` are times of the monotonic clock.
  let catchUpFrom = rt.monotonic() + CATCH_UP_DELAY_MS;
  let replaceFrom = catchUpFrom;
  let checkDirFrom = rt.monotonic() + CHECK_DIR_EVERY_MS;
  let seenChange = readChangeTime(rt.config);
  let seenNewest = findNewest(rt);

  /**
   * Returns whether to make a missed backup now. After true, the function returns false for a day.
   */
  function mustCatchUp(): boolean {
    const now = rt.monotonic();
    if (now < catchUpFrom || !(isNightMissed(rt) || isNewestOutdated(rt))) return false;
    catchUpFrom = now + CATCH_UP_EVERY_MS;
    return true;
  }

  /**
   * Returns whether to make a new backup because the newest one was made for a handover that did
   * not take place, and is therefore not copied. The function checks this once in ten minutes, and
   * returns false in between.
   */
  function mustReplace(): boolean {
    const now = rt.monotonic();
    if (now < replaceFrom) return false;
    replaceFrom = now + CATCH_UP_DELAY_MS;
    return isNewestOfHandover(rt);
  }

  /**
   * Returns whether to check --backup-dir now. After true, the function returns false for an hour.
   */
  function mustCheckDir(): boolean {
    const now = rt.monotonic();
    if (rt.config.backups.dir === null || now < checkDirFrom) return false;
    checkDirFrom = now + CHECK_DIR_EVERY_MS;
    return true;
  }

  async function runIfDue(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    seenChange = readChangeTime(rt.config);
    seenNewest = findNewest(rt);
    let backUp = isNightDue;
    isNightDue = false;
    try {
      backUp ||= isBackupDue(rt) || mustCatchUp() || mustReplace();
      if (backUp || isMaintenanceDue(rt) || mustCheckDir()) await run({ backUp, ...options });
    } catch (error) {
      const { message: reason, stack } = error as Error;
      rt.log("error", "Backups could not be made or checked.", { error: stack });
      if (backUp) saveBackupState(rt.config, "failure", { at: rt.now(), reason });
    } finally {
      isRunning = false;
    }
  }

  return {
    runIfDue,
    /**
     * Starts a run if a command has made a backup, so that the backup is copied. The command waits
     * for the copy.
     */
    async runIfChanged(): Promise<void> {
      if (isRunning || readChangeTime(rt.config) === seenChange) return;
      seenChange = readChangeTime(rt.config);
      // The folder also changes when a failed copy is recorded in it, so only a newer backup is a
      // reason to run.
      if (findNewest(rt) !== seenNewest) await runIfDue();
    },
    /**
     * Makes the nightly backup, unless --backup-every is set. If maintenance is running, the next
     * call of `runIfDue` makes the backup.
     */
    runNightly(): Promise<void> {
      isNightDue = rt.config.backups.everyMs === null;
      return runIfDue();
    },
  };
}

/**
 * Returns the path of the newest backup. Backups from before migrations are ignored, because they
 * are not copied.
 */
const findNewest = (rt: Runtime): string | undefined => findNewestBackup(rt, isRegularBackup)?.path;

/** Returns when a file was last added to or removed from the backup folder. */
const readChangeTime = ({ backupFolder }: Config): number | undefined =>
  statSync(backupFolder, { throwIfNoEntry: false })?.mtimeMs;
