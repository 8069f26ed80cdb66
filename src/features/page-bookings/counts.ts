import type { Runtime } from "../../app/runtime.ts";

// Counts what guests do on booking pages, for the metrics: nothing about who did it.

/** A time that was held, a visit or order that was made, or one that was refused. */
export type PageAction = "hold" | "booking" | "refused";

const counts = new WeakMap<Runtime, Record<PageAction, number>>();

const countsOf = (rt: Runtime): Record<PageAction, number> => {
  const known = counts.get(rt) ?? { hold: 0, booking: 0, refused: 0 };
  counts.set(rt, known);
  return known;
};

export function countOnPage(rt: Runtime, action: PageAction): void {
  countsOf(rt)[action] += 1;
}

/** Returns how often guests did something since the start. */
export const listPageActions = (rt: Runtime): [PageAction, number][] =>
  Object.entries(countsOf(rt)) as [PageAction, number][];
