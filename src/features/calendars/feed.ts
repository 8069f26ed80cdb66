import type { CalendarRow } from "./store.ts";
import type { Runtime } from "../../app/runtime.ts";

const DAY_MS = 86_400_000;

/** Identifies the content that `writeFeed` would write now. */
export type Feed = {
  /**
   * A value that differs after every change of the feed. Phones poll often, so computing it reads
   * no visits.
   */
  revision: string;
  /** Midnight UTC in epoch milliseconds. */
  today: number;
};

/** Returns undefined if the business was deleted. */
export function findFeed(rt: Runtime, { id, businessId }: CalendarRow): Feed | undefined {
  const business = rt.store.businesses.findById(businessId);
  if (!business) return undefined;
  // The feed begins at midnight, so that it changes only once a day if no visit changes.
  const todayNumber = Math.floor(rt.now() / DAY_MS);
  // Each change of a visit adds an event. The erasure of a guest adds none, but sets the time of
  // the last change.
  const changes = [
    business.lastSequence,
    business.revision,
    rt.store.bookings.getLastChange(businessId),
    rt.store.reservations.getLastChange(businessId),
  ];
  return { revision: [id, todayNumber, ...changes].join("-"), today: todayNumber * DAY_MS };
}
