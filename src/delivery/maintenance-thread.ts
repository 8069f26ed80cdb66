import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { runMaintenance } from "../app/operations/maintenance.ts";
import { openRuntime } from "../app/runtime.ts";
import { DAEMON } from "../domain/audit.ts";
import type { MaintenanceData } from "./maintenance.ts";

// Makes and checks backups, in a thread of its own: checking a large database takes seconds, in
// which no webhook would be sent. It runs only while there is something to do.

const BUSY_TIMEOUT_MS = 5000;

const { config, backUp } = workerData as MaintenanceData;
lowerPriority();
const stopping = new AbortController();
parentPort?.once("message", () => stopping.abort());

const rt = openRuntime(config, BUSY_TIMEOUT_MS, { actor: () => DAEMON });
await runMaintenance(rt, { backUp, signal: stopping.signal });
rt.close();
parentPort?.close();

function lowerPriority(): void {
  // Linux has a priority for each thread; elsewhere this would slow down the whole daemon.
  if (process.platform !== "linux") return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it.
  }
}
