import type { PublicEventDoc } from "./catalog.ts";

/**
 * A postponed public event ends two years after its old end, unless it gets new times before. If it
 * never ended, its guest data would be kept for ever.
 */
export const POSTPONED_MS = 730 * 86_400_000;

/**
 * Returns when a public event ends (epoch ms). A postponed event may still have its old times, so
 * it ends `POSTPONED_MS` after them. `END_OF_EVENT` is this rule in SQL.
 */
export const endOfEvent = ({ status, endsAt }: Pick<PublicEventDoc, "status" | "endsAt">): number =>
  status === "POSTPONED" ? endsAt + POSTPONED_MS : endsAt;
