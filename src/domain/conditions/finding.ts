import type { ConditionCode, Severity } from "./registry.ts";

/** A problem that `doctor` found. */
export type Finding = {
  text: string;
  fix: string;
  /** Of a health condition. */
  code?: ConditionCode;
  /** Without one, it counts as a warning. */
  severity?: Severity;
  /** Nothing is broken; this is a recommendation. */
  isAdvice?: true;
};

/** `summary`: what was examined. */
export type Check = { about: string; summary: string; findings: Finding[] };
