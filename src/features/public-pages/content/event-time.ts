import type { PublicEvent } from "../../../domain/public/public-event.ts";

/**
 * Returns whether pages show the time of an event. A postponed event may still have that of its old
 * date, at which no guest must come.
 */
export const hasTime = ({ status }: Pick<PublicEvent, "status">): boolean => status !== "POSTPONED";
