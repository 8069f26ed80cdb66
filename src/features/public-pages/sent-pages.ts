import type { Runtime } from "../../app/runtime.ts";

// Counts how often each page was sent, for the metrics: nothing about who asked for it.

const counts = new WeakMap<Runtime, Map<string, number>>();

export function countSentPage(rt: Runtime, page: string): void {
  const sent = counts.get(rt) ?? new Map<string, number>();
  counts.set(rt, sent);
  sent.set(page, (sent.get(page) ?? 0) + 1);
}

/** Returns how often each page was sent since the start. */
export const listSentPages = (rt: Runtime): readonly (readonly [page: string, count: number])[] => [
  ...(counts.get(rt) ?? []),
];
