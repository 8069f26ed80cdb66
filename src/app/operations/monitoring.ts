import { loadFromFeatures } from "../../features/index.ts";
import type { Runtime } from "../runtime.ts";
import { type Check, loadChecks } from "./conditions.ts";

/** Returns lines of `/metrics`. */
export type FormatMetrics = (rt: Runtime) => string[];

/** What the routes for operators read from the core and all features. */
export type Monitoring = { checks: readonly Check[]; metrics: readonly FormatMetrics[] };

export async function loadMonitoring(): Promise<Monitoring> {
  const [checks, metrics] = await Promise.all([loadChecks(), loadFromFeatures("metrics")]);
  return { checks, metrics };
}
