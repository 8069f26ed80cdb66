import { loadFromFeatures } from "../../features/index.ts";
import type { CheckResult, Finding, HealthCondition } from "../../domain/conditions/registry.ts";
import type { Runtime } from "../runtime.ts";
import type { Status } from "./status.ts";

/** What a feature examines for `doctor`. */
export type Inspection = {
  /** The subject of the examination, and of the health conditions that `doctor` lists with it. */
  about: HealthCondition["about"];
  /** @param conditions the open health conditions with the same subject, as findings */
  inspect: (rt: Runtime, status: Status, conditions: Finding[]) => CheckResult;
};

export const loadInspections = (): Promise<Inspection[]> => loadFromFeatures("doctor");
