import type { Interval } from "./intervals.ts";

/** `units` are in use from the minute `at` until the next step. */
type UsageStep = { at: number; units: number };

/** Sorted by minute. Before the first step nothing is in use. */
export type Usage = readonly UsageStep[];

export function usageOf(uses: readonly { blocked: Interval; units: number }[]): Usage {
  const changes = new Map<number, number>();
  const change = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by);
  for (const { blocked, units } of uses) {
    change(blocked.start, units);
    change(blocked.end, -units);
  }
  let units = 0;
  return [...changes].sort(([a], [b]) => a - b).map(([at, by]) => ({ at, units: (units += by) }));
}

/** The intervals in which more than `units` are in use. */
export function timeAbove(usage: Usage, units: number): Interval[] {
  const above: Interval[] = [];
  let since: number | undefined;
  for (const step of usage) {
    if (step.units > units) since ??= step.at;
    else if (since !== undefined) {
      above.push({ start: since, end: step.at });
      since = undefined;
    }
  }
  return above;
}

/** The most units in use at any minute of the interval. */
export function peakOf(usage: Usage, { start, end }: Interval): number {
  let peak = 0;
  for (const { at, units } of usage) {
    if (at >= end) break;
    peak = at <= start ? units : Math.max(peak, units);
  }
  return peak;
}
