import { hasEnded } from "../../domain/api-key.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import { AppError } from "../../domain/errors.ts";
import { KEPT_HOURS, type RecentVisits } from "../../store/bookings/booking-limits.ts";
import type { ListedKey } from "../../store/keys.ts";
import type { Runtime } from "../runtime.ts";
import type { VisitAccess } from "./access.ts";
import { countForVisitor, countVisitsOf } from "./visitors.ts";

// How many visits a key and its visitors can make. A pending visit counts as well, because it
// occupies its time. A cancelled one does not count: strangers would otherwise close a website for a
// day with visits that they cancel again.

const HOUR_MS = 3_600_000;
/** Visits of two hours are unusual from this share of the limit of a day on. */
const FAST_SHARE = 0.25;
/**
 * Visits are also unusual if they are more than this many times those of the busiest hour of the
 * week before.
 */
const FAST_FACTOR = 4;

/** The rest is for visitors who have made no visit in 24 hours, so that a few cannot use up the limit. */
const RETURNING_SHARE = 0.5;

const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

/**
 * Counts a visit towards the limits of the key and visitor who make it. Call it in the transaction
 * that writes it.
 * @throws AppError too_many_bookings
 */
export function countVisit(rt: Runtime, access: VisitAccess): void {
  const { keyId, visitor } = access;
  if (keyId === null) return;
  const hour = hourOf(rt.now());
  const limit = rt.store.keys.findById(keyId)?.maxBookingsDay ?? 0;
  const made = rt.store.keyVisits.countOfDay(keyId, hour);
  if (made >= limit)
    throw tooManyBookings(
      `This key has made ${limit} bookings and reservations in 24 hours, which is its limit.`,
    );
  if (visitor && made >= limit * RETURNING_SHARE && countVisitsOf(rt, visitor) > 0)
    throw tooManyBookings(
      `The visitors of this key have made ${made} of ${limit} bookings and reservations in 24 hours; the others are for visitors who have made none.`,
    );
  countForVisitor(rt, access, "visit");
  rt.store.keyVisits.increment(keyId, hour);
}

const tooManyBookings = (message: string): AppError =>
  new AppError("too_many_bookings", message, {
    fix: "cancel one that is not needed, or ask the business for a higher limit",
  });

/** Call it in the transaction that cancels a visit. */
export function uncountVisit(
  rt: Runtime,
  { createdByKey, createdAt }: Pick<Visit, "createdByKey" | "createdAt">,
): void {
  if (createdByKey !== null) rt.store.keyVisits.cancel(createdByKey, hourOf(createdAt));
}

/** The keys that make many more visits than in the week before. */
export const listFastKeys = (rt: Runtime): (RecentVisits & { key: ListedKey })[] =>
  rt.store.keyVisits.listRecent(hourOf(rt.now())).flatMap((visits) => {
    const key = rt.store.keys.findById(visits.keyId);
    if (key === undefined || hasEnded(key, rt.now())) return [];
    const isFast =
      visits.recent >= key.maxBookingsDay * FAST_SHARE &&
      visits.recent > visits.busiest * FAST_FACTOR;
    return isFast ? { ...visits, key } : [];
  });

export const pruneKeyVisits = (rt: Runtime): void =>
  rt.store.keyVisits.deleteUntil(hourOf(rt.now()) - KEPT_HOURS);
