import { once } from "node:events";
import { Worker } from "node:worker_threads";
import {
  isBackupDue,
  isMaintenanceDue,
  type MaintenanceOptions,
} from "../app/operations/maintenance.ts";
import type { Runtime } from "../app/runtime.ts";
import { maintenanceThread } from "../assets.ts";
import type { Config } from "../config.ts";

export type MaintenanceData = { config: Config; backUp: boolean };

export type RunMaintenance = (options: MaintenanceOptions) => Promise<void>;

/** Runs maintenance in a thread of low priority. */
export const createMaintenanceRunner =
  (config: Config): RunMaintenance =>
  async ({ backUp, signal }) => {
    const workerData: MaintenanceData = { config: { ...config, mayCreate: false }, backUp };
    const code = maintenanceThread();
    const worker = new Worker(code, { eval: typeof code === "string", workerData });
    const stop = () => worker.postMessage("stop");
    signal?.addEventListener("abort", stop);
    try {
      await once(worker, "exit");
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  };

/** Runs maintenance when it is due, one run at a time. A failure is logged. */
export function createMaintenance(
  rt: Runtime,
  run: RunMaintenance,
  options: Pick<MaintenanceOptions, "signal">,
) {
  let isRunning = false;
  let isNightDue = false;

  async function runIfDue(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      const backUp = isNightDue || isBackupDue(rt);
      isNightDue = false;
      if (backUp || isMaintenanceDue(rt)) await run({ backUp, ...options });
    } catch (error) {
      rt.log("error", "Backups could not be made or checked.", { error: (error as Error).stack });
    } finally {
      isRunning = false;
    }
  }

  return {
    runIfDue,
    /** If maintenance is running, the backup is made by the next call of `runIfDue`. */
    runNightly(): Promise<void> {
      isNightDue = rt.config.backups.everyMs === null;
      return runIfDue();
    },
  };
}
