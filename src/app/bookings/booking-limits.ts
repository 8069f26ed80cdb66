import { AppError } from "../../domain/errors.ts";
import { createMasterKey } from "../../platform/secret-box.ts";
import {
  type VisitorActionKind,
  KEPT_HOURS,
  type RecentVisits,
} from "../../store/bookings/booking-limits.ts";
import { assertMasterKey } from "../master-key.ts";
import type { Runtime } from "../runtime.ts";
import type { VisitAccess } from "./access.ts";
import { hasEnded } from "../../domain/api-key.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import type { ListedKey } from "../../store/keys.ts";

// A key can name the visitor for whom it acts. Each visitor has limits, so that one visitor cannot
// use up the limits of the key.

const DAY_MS = 86_400_000;
/** The most visits, and the most orders, that a visitor can make in 24 hours. */
export const MAX_ACTIONS_OF_VISITOR = 10;
/** The stored bytes of a visitor's hash: enough that no two visitors share a hash. */
const HASH_BYTES = 16;

/**
 * Returns the hash of a visitor, which is stored in place of the visitor's name. Two keys that name
 * the same visitor get different hashes. The first visitor of a new server creates the master key.
 * @throws AppError signing_unavailable if the master key of the stored data is missing
 */
export function hashVisitor(rt: Runtime, keyId: string, visitor: string): Buffer {
  const computeHash = () => rt.secrets.mac("visitor", `${keyId} ${visitor}`);
  let hash = computeHash();
  // `mac` needs a master key, and returns undefined if there is none.
  if (hash === undefined) {
    assertMasterKey(rt);
    createMasterKey(rt.config.masterKeyPath, rt.random);
    hash = computeHash() as Buffer;
  }
  return hash.subarray(0, HASH_BYTES);
}

/**
 * Counts a visit or order towards the limit of the visitor who makes it. Call it in the transaction
 * that writes the visit or order.
 * @throws AppError too_many_bookings
 */
export function countForVisitor(
  rt: Runtime,
  { visitor }: VisitAccess,
  kind: VisitorActionKind,
): void {
  if (!visitor) return;
  if (countActions(rt, visitor, kind) >= MAX_ACTIONS_OF_VISITOR)
    throw new AppError(
      "too_many_bookings",
      `This visitor has made ${MAX_ACTIONS_OF_VISITOR} ${kind}s in 24 hours, which is the limit.`,
      { fix: "ask the visitor to call the business" },
    );
  rt.store.visitors.insertAction(visitor, kind, rt.now());
}

/** Counts what a visitor has done in 24 hours, including visits that were cancelled. */
const countActions = (rt: Runtime, visitor: Buffer, kind: VisitorActionKind): number =>
  rt.store.visitors.countActions(visitor, kind, rt.now() - DAY_MS);

// The delivery thread calls this function, so this file must not import the planning of visits.
export const pruneVisitors = (rt: Runtime): void =>
  rt.store.visitors.deleteUntil(rt.now() - DAY_MS);

// The number of visits that a key and its visitors can make is limited. A pending visit counts,
// because it occupies its time. A cancelled visit does not count: otherwise strangers could close a
// website for a day with visits that they cancel again.

const HOUR_MS = 3_600_000;
/**
 * A key is reported only if its visits of the last two hours are at least this share of its limit.
 */
const FAST_SHARE = 0.25;
/**
 * A key is reported only if its visits of the last two hours are more than this many times the
 * visits of the busiest hour of the week before.
 */
const FAST_FACTOR = 4;

/**
 * When this share of a key's limit is used, visitors who have already made a visit in the last 24
 * hours are refused. The rest of the limit is for other visitors, so that a few visitors cannot use
 * it up.
 */
const RETURNING_SHARE = 0.5;

const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

/**
 * Counts a visit towards the limits of the key and visitor who make it. Call it in the transaction
 * that writes the visit.
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
  if (visitor && made >= limit * RETURNING_SHARE && countActions(rt, visitor, "visit") > 0)
    throw tooManyBookings(
      `The visitors of this key have made ${made} of ${limit} bookings and reservations in 24 hours; the others are for visitors who have made none.`,
    );
  countForVisitor(rt, access, "visit");
  rt.store.keyVisits.increment(keyId, hour);
}

/**
 * Returns how many visits a key has made in the last 24 hours, and how many it may make in that
 * time.
 */
export const readBookingUse = (
  rt: Runtime,
  { id, maxBookingsDay }: Pick<ListedKey, "id" | "maxBookingsDay">,
): { limit: number; used: number } => ({
  limit: maxBookingsDay,
  used: rt.store.keyVisits.countOfDay(id, hourOf(rt.now())),
});

const tooManyBookings = (message: string): AppError =>
  new AppError("too_many_bookings", message, {
    fix: "cancel one that is not needed, or ask the business for a higher limit",
  });

/**
 * Subtracts a visit from the count of its key. Call it in the transaction that cancels the visit.
 */
export function uncountVisit(
  rt: Runtime,
  { createdByKey, createdAt }: Pick<Visit, "createdByKey" | "createdAt">,
): void {
  if (createdByKey !== null) rt.store.keyVisits.cancel(createdByKey, hourOf(createdAt));
}

/** Returns the keys that have lately made many more visits than in the week before. */
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

/** How long a hold is kept after its end. Until then, a second use is reported as `hold_used`. */
const KEPT_MS = 86_400_000;

// `pruneHolds` is in this file, so that the delivery thread does not load the planning of visits.
export const pruneHolds = (rt: Runtime): void => rt.store.holds.deleteUntil(rt.now() - KEPT_MS);
