import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { backUpAndCopy, runMaintenance } from "./upkeep/maintenance.ts";
import { openRuntime } from "../../app/runtime.ts";
import { DAEMON } from "../../domain/audit.ts";
import type { MaintenanceData } from "./upkeep/maintenance-work.ts";

// A thread of its own makes and checks backups, and ends when they are done. Checking a large
// database takes seconds, in which the delivery thread would send no webhook.

const BUSY_TIMEOUT_MS = 5000;

const { config, work } = workerData as MaintenanceData;
const stopping = new AbortController();
parentPort?.once("message", () => stopping.abort());

const rt = openRuntime(config, BUSY_TIMEOUT_MS, { actor: () => DAEMON, isDaemon: true });
const { signal } = stopping;
if (work === "last-copy") process.exitCode = (await backUpAndCopy(rt, signal)) ? 0 : 1;
// The thread keeps its normal priority until the data are copied, because the write-ahead log grows
// during the copy.
else await runMaintenance(rt, { backUp: work === "backup", signal, onCopied: lowerPriority });
rt.close();
parentPort?.close();

function lowerPriority(): void {
  // Linux has a priority for each thread. Other systems have one for the whole process, so a low
  // priority would slow down the daemon.
  if (process.platform !== "linux") return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid a change of priority.
  }
}
