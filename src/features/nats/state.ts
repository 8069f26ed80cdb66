import type { Runtime } from "../../app/runtime.ts";
import { createDestinationStore, type DestinationRow } from "./store.ts";

/** Longer than a restart of the server takes. Events leave the history after days. */
const LATE_MS = 5 * 60_000;

/** Whether events have waited for a destination for longer than is normal. */
export const isLate = ({ behindSince }: DestinationRow, now: number): boolean =>
  behindSince !== null && now - behindSince >= LATE_MS;

type DestinationState = "current" | "untried" | "failing" | "late";

/** `untried`: nothing was published to it yet. `late`: events have waited for longer than is normal. */
export function destinationState(destination: DestinationRow, now: number): DestinationState {
  if (isLate(destination, now)) return "late";
  if (destination.lastError !== null) return "failing";
  return destination.streamSequence === null ? "untried" : "current";
}

/** Returns the numbers of destinations by their state. */
export function countDestinations(rt: Runtime): Record<DestinationState, number> {
  const counts = { current: 0, untried: 0, failing: 0, late: 0 };
  for (const destination of rt.openStore(createDestinationStore).list())
    counts[destinationState(destination, rt.now())] += 1;
  return counts;
}
