import type { PublicEventDoc } from "./catalog.ts";

/**
 * Returns when a public event ends (epoch ms). A postponed one has no end yet: the times in the
 * catalog may be those of the old date. `END_OF_EVENT` is this rule in SQL.
 */
export const endOfEvent = ({ status, endsAt }: Pick<PublicEventDoc, "status" | "endsAt">): number =>
  status === "POSTPONED" ? Infinity : endsAt;
