import type { PublicEventDoc } from "./catalog.ts";

/**
 * The time after its old end for which a postponed public event waits for its new date: two years.
 * Guest data would have no end if it waited for ever.
 */
export const POSTPONED_MS = 730 * 86_400_000;

/**
 * Returns when a public event ends (epoch ms). The times of a postponed one may be those of the old
 * date, so it ends `POSTPONED_MS` later. `END_OF_EVENT` is this rule in SQL.
 */
export const endOfEvent = ({ status, endsAt }: Pick<PublicEventDoc, "status" | "endsAt">): number =>
  status === "POSTPONED" ? endsAt + POSTPONED_MS : endsAt;
