import { readFileSync, writeFileSync } from "node:fs";

/**
 * Makes calls `first` to `last` of the given `kinds` fail with `error`. `library.c` lists the
 * kinds, and reads the plan from the file that DISK_FAULTS names.
 */
export type FaultPlan = { kinds: string; first: number; last: number; error: number };

export const NO_FAULTS: FaultPlan = { kinds: "", first: 0, last: 0, error: 0 };
/** The value of `last` for a fault that stays. */
export const WITHOUT_END = 2 ** 31 - 1;

/**
 * A plan file contains five integers of four bytes: the four fields of the plan, and the number of
 * calls since it was written.
 */
const PLAN_BYTES = 20;
const COUNT_OFFSET = 16;

export const createPlanFile = (path: string): void => writeFileSync(path, Buffer.alloc(PLAN_BYTES));

export function writePlan(path: string, { kinds, first, last, error }: FaultPlan): void {
  const mask = [...kinds].reduce((bits, kind) => bits | (1 << (kind.charCodeAt(0) - 65)), 0);
  const plan = Buffer.from(Int32Array.of(mask, first, last, error, 0).buffer);
  // The file is written in place, because running programs have mapped it into memory.
  writeFileSync(path, plan, { flag: "r+" });
}

/**
 * Returns how many system calls of the kinds in the plan (such as writes) were made since the plan
 * was written.
 */
export const countCalls = (path: string): number => readFileSync(path).readInt32LE(COUNT_OFFSET);
