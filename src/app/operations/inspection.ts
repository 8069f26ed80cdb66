import { loadFromFeatures } from "../../features/index.ts";
import type { CheckResult, Finding, HealthCondition } from "../../domain/conditions/registry.ts";
import type { Runtime } from "../runtime.ts";
import type { Status } from "./status.ts";

/**
 * A feature's examination, and the area of the health conditions that `doctor` lists with its
 * findings.
 */
export type Inspection = {
  about: HealthCondition["about"];
  inspect: (rt: Runtime, status: Status, conditions: Finding[]) => CheckResult;
};

export const loadInspections = (): Promise<Inspection[]> => loadFromFeatures("doctor");
