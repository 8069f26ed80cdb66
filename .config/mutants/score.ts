import type { Verdict } from "./cache.ts";

export type Score = Record<
  "killed" | "timedOut" | "survived" | "notReached" | "equivalent" | "invalid",
  number
>;

/**
 * Returns the share of mutants that tests notice, of those that can be compiled and are not
 * equivalent, with its 95 % interval (Wilson).
 */
export function rate({ killed, timedOut, survived, notReached }: Score): {
  share: number;
  low: number;
  high: number;
} {
  const Z = 1.96;
  const noticed = killed + timedOut;
  const count = noticed + survived + notReached;
  if (count === 0) return { share: 0, low: 0, high: 1 };
  const share = noticed / count;
  const middle = (share + Z ** 2 / (2 * count)) / (1 + Z ** 2 / count);
  const spread =
    (Z / (1 + Z ** 2 / count)) *
    Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  return { share, low: Math.max(0, middle - spread), high: Math.min(1, middle + spread) };
}

export type Outcome = keyof Score;

/** Classifies a mutant by its verdict, whether a test reaches it, and whether it is equivalent. */
export function classifyMutant(
  verdict: Verdict,
  { isReached, isEquivalent }: { isReached: boolean; isEquivalent: boolean },
): Outcome {
  if (verdict.status === "killed") return "killed";
  if (verdict.status === "timed out") return "timedOut";
  if (verdict.status === "invalid") return "invalid";
  if (isEquivalent) return "equivalent";
  return isReached ? "survived" : "notReached";
}
