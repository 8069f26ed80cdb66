import { loadFromFeatures } from "../../features/index.ts";
import type { Runtime } from "../runtime.ts";
import { type Check, loadChecks, type StorageCheck } from "./conditions.ts";

/** Returns lines of `/metrics`. */
export type FormatMetrics = (rt: Runtime) => string[];

/**
 * Returns the times (epoch ms) of the newest backup and of the newest copy in another place, and
 * the bytes that such copies take each day.
 */
export type ReadCopyTimes = (rt: Runtime) => {
  backupAt: number | undefined;
  copyAt: number | undefined;
  copyBytesPerDay: number | undefined;
};

/** The checks and figures of the core and all features, for the routes of the operator. */
export type Monitoring = {
  checks: readonly Check[];
  /** The checks of features for damage of the database. */
  damage: readonly StorageCheck[];
  metrics: readonly FormatMetrics[];
  copyTimes: readonly ReadCopyTimes[];
};

export async function loadMonitoring(): Promise<Monitoring> {
  const [checks, damage, metrics, copyTimes] = await Promise.all([
    loadChecks(),
    loadFromFeatures("damage"),
    loadFromFeatures("metrics"),
    loadFromFeatures("copyTimes"),
  ]);
  return { checks, damage, metrics, copyTimes };
}
