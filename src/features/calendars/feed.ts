import type { CalendarRow } from "./store.ts";
import type { Runtime } from "../../app/runtime.ts";

const DAY_MS = 86_400_000;

/** A feed that `writeFeed` can write. */
export type Feed = {
  /** Changes with every change of the feed, and is cheap: phones poll for years. */
  revision: string;
  /** Epoch milliseconds of midnight UTC. */
  today: number;
};

/** Returns undefined if the business was deleted. */
export function findFeed(rt: Runtime, { id, businessId }: CalendarRow): Feed | undefined {
  const business = rt.store.businesses.findById(businessId);
  if (!business) return undefined;
  // In whole days, so that the time alone changes the feed once a day only.
  const today = Math.floor(rt.now() / DAY_MS);
  // Each change of a visit adds an event, except for the erasure of a guest, which only sets the
  // time of the last change.
  const changes = [
    business.lastSequence,
    business.revision,
    rt.store.bookings.getLastChange(businessId),
    rt.store.reservations.getLastChange(businessId),
  ];
  return { revision: [id, today, ...changes].join("-"), today: today * DAY_MS };
}
