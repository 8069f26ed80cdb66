import type { Runtime } from "../../app/runtime.ts";
import type { StartWork, ThreadWork } from "../../delivery/scheduler.ts";
import { hasCopyPlace } from "./copies/copies.ts";
import {
  createMaintenance,
  createMaintenanceRunner,
  type RunMaintenance,
} from "./upkeep/maintenance-work.ts";

/** Makes, copies and checks backups when they are due. */
export function startMaintenance(
  rt: Runtime,
  run: RunMaintenance = createMaintenanceRunner(rt.config),
): ThreadWork {
  const stopping = new AbortController();
  const maintenance = createMaintenance(rt, run, { signal: stopping.signal });
  return {
    everySecond: hasCopyPlace(rt.config) ? [maintenance.runIfChanged] : [],
    everyMinute: [maintenance.runIfDue],
    everyNight: [maintenance.runNightly],
    stop: async () => stopping.abort(),
  };
}

export const schedule: readonly StartWork[] = [(rt) => startMaintenance(rt)];
