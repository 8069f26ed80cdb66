import type { Runtime } from "../../app/runtime.ts";
import { createDestinationStore, type DestinationRow } from "./store.ts";

/** A destination is late if an event has waited this long. A restart of a server takes less. */
const LATE_MS = 5 * 60_000;

/** Returns whether an event has waited longer than normal for a destination. */
export const isLate = ({ behindSince }: DestinationRow, now: number): boolean =>
  behindSince !== null && now - behindSince >= LATE_MS;

type DestinationState = "current" | "untried" | "failing" | "late";

/** Returns the state. `untried`: nothing was published yet. `late`: events wait too long. */
export function destinationState(destination: DestinationRow, now: number): DestinationState {
  if (isLate(destination, now)) return "late";
  if (destination.lastError !== null) return "failing";
  return destination.streamSequence === null ? "untried" : "current";
}

export function countDestinations(rt: Runtime): Record<DestinationState, number> {
  const counts = { current: 0, untried: 0, failing: 0, late: 0 };
  for (const destination of rt.openStore(createDestinationStore).list())
    counts[destinationState(destination, rt.now())] += 1;
  return counts;
}
