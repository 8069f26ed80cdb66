import type { Runtime } from "../../app/runtime.ts";

// Counts what happens on public pages, for the metrics: nothing about who did it.

const ACTIONS = ["hold", "booking", "refused"] as const;

type Counts = {
  /** A page that was sent, by its name. */
  sent: string;
  /** What a guest did: held a time, made a visit or order, or was refused. */
  action: (typeof ACTIONS)[number];
};

const counters = new WeakMap<Runtime, Record<keyof Counts, Map<string, number>>>();

function countersOf(rt: Runtime): Record<keyof Counts, Map<string, number>> {
  // Counters that begin with 0 show their first increase.
  const known = counters.get(rt) ?? {
    sent: new Map(),
    action: new Map(ACTIONS.map((action) => [action, 0])),
  };
  counters.set(rt, known);
  return known;
}

export function countOnPages<Counter extends keyof Counts>(
  rt: Runtime,
  counter: Counter,
  label: Counts[Counter],
): void {
  const counts = countersOf(rt)[counter];
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

/** Returns how often each page was sent, or each action done, since the start. */
export const listPageCounts = (rt: Runtime, counter: keyof Counts): [string, number][] => [
  ...countersOf(rt)[counter],
];
