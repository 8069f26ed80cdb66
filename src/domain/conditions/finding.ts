import type { ConditionCode, Severity } from "./registry.ts";

/** A problem that `doctor` found. */
export type Finding = {
  text: string;
  fix: string;
  /** The code of a health condition; other findings have none. */
  code?: ConditionCode;
  /** A finding without a severity counts as a warning. */
  severity?: Severity;
  /** Nothing is broken; this is a recommendation. */
  isAdvice?: true;
};

/** `summary`: what was examined. */
export type Check = { about: string; summary: string; findings: Finding[] };
