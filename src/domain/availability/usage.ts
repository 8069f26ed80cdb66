import type { Interval } from "./intervals.ts";

/** So many units in use from the minute on, until the next step. Sorted; before the first none are. */
type Step = { at: number; units: number };
export type Usage = readonly Step[];

export function usageOf(uses: readonly { kept: Interval; units: number }[]): Usage {
  const changes = new Map<number, number>();
  const change = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by);
  for (const { kept, units } of uses) {
    change(kept.start, units);
    change(kept.end, -units);
  }
  let units = 0;
  return [...changes].sort(([a], [b]) => a - b).map(([at, by]) => ({ at, units: (units += by) }));
}

/** When more than so many are in use. */
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

/** The most that are in use at any minute of the interval. */
export function peakOf(usage: Usage, { start, end }: Interval): number {
  let peak = 0;
  for (const { at, units } of usage) {
    if (at >= end) break;
    peak = at <= start ? units : Math.max(peak, units);
  }
  return peak;
}
