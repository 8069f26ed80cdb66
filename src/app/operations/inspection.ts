import { loadFromFeatures } from "../../features/index.ts";
import type { Check, Finding, HealthCondition } from "../../domain/conditions/registry.ts";
import type { Runtime } from "../runtime.ts";
import type { Status } from "./status.ts";

/** What a feature examines, and the area of the conditions that are listed with its findings. */
export type Inspection = {
  about: HealthCondition["about"];
  inspect: (rt: Runtime, status: Status, conditions: Finding[]) => Check;
};

export const loadInspections = (): Promise<Inspection[]> => loadFromFeatures("doctor");
