import type { CalendarRow } from "./store.ts";
import type { Runtime } from "../../app/runtime.ts";

const DAY_MS = 86_400_000;

/** A feed that `writeFeed` can write. */
export type Feed = {
  /**
   * Changes with every change of the feed. Computing it is cheap, because phones poll for years.
   */
  revision: string;
  /** Midnight UTC in epoch milliseconds. */
  today: number;
};

/** Returns undefined if the business was deleted. */
export function findFeed(rt: Runtime, { id, businessId }: CalendarRow): Feed | undefined {
  const business = rt.store.businesses.findById(businessId);
  if (!business) return undefined;
  // The feed begins at a whole day, so that the mere passing of time changes it once a day.
  const today = Math.floor(rt.now() / DAY_MS);
  // Each change of a visit adds an event. The erasure of a guest adds none, but sets the time of
  // the last change.
  const changes = [
    business.lastSequence,
    business.revision,
    rt.store.bookings.getLastChange(businessId),
    rt.store.reservations.getLastChange(businessId),
  ];
  return { revision: [id, today, ...changes].join("-"), today: today * DAY_MS };
}
