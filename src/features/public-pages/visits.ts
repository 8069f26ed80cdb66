import type { Runtime } from "../../app/runtime.ts";

// Counts how often each page was sent, for the metrics: nothing about who asked for it.

const counts = new WeakMap<Runtime, Map<string, number>>();

export function countVisit(rt: Runtime, page: string): void {
  const visits = counts.get(rt) ?? new Map<string, number>();
  counts.set(rt, visits);
  visits.set(page, (visits.get(page) ?? 0) + 1);
}

/** Returns the number of visits since the start by page. */
export const listVisits = (rt: Runtime): readonly (readonly [page: string, visits: number])[] => [
  ...(counts.get(rt) ?? []),
];
