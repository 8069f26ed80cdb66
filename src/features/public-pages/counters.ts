import type { Runtime } from "../../app/runtime.ts";

// Counts what happens on public pages, for the metrics. Nothing is stored about who did it.

const ACTIONS = ["hold", "booking", "refused"] as const;

type Counts = {
  /** The name of a page that was sent. */
  sent: string;
  /** What a guest did: held a time, made a visit or order, or was refused. */
  action: (typeof ACTIONS)[number];
};

const counters = new WeakMap<Runtime, Record<keyof Counts, Map<string, number>>>();

function countersOf(rt: Runtime): Record<keyof Counts, Map<string, number>> {
  // Monitoring sees the first increase of a counter only if the counter began with 0.
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

/** Returns how often each page was sent, or each action done, since the daemon started. */
export const listPageCounts = (rt: Runtime, counter: keyof Counts): [string, number][] => [
  ...countersOf(rt)[counter],
];
