import type { Runtime } from "../runtime.ts";

/** A second use of a hold is reported as such for this long after its end. */
const KEPT_MS = 86_400_000;

// A file of its own, because the delivery thread would otherwise load everything about booking.
export const pruneHolds = (rt: Runtime): void => rt.store.holds.deleteUntil(rt.now() - KEPT_MS);
