import type { BookedSegment } from "../../domain/bookings/booking.ts";
import { DEFAULT_LIMITS } from "../../domain/api-key.ts";
import type { Hold } from "../../domain/bookings/hold.ts";
import { AppError } from "../../domain/errors.ts";
import { localDateOf } from "../../domain/local-time.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { type Held, leavesTimeFree } from "./hold-share.ts";
import { otherVisits } from "./other-visits.ts";

// One API key can hold only a limited part of the times and tables: other clients cannot book what
// is held.

const DAY_MS = 86_400_000;
/** The most open holds of a key for one staff member or table on the same day. */
const MAX_PER_DAY = 3;
/**
 * A key that has made at least `MIN_HOLDS` holds in 24 hours must have used the share
 * `MIN_USED_SHARE` of them for visits.
 */
const MIN_HOLDS = 100;
const MIN_USED_SHARE = 0.05;
/**
 * The most open holds of a key that has used a smaller share of its holds than `MIN_USED_SHARE`.
 */
const MAX_UNUSED = 3;

/** The most open holds and new ticket orders of one visitor. */
export const MAX_HOLDS_OF_VISITOR = 3;
/** How long a ticket order is new and counts towards the visitor's limit. */
const ORDER_MS = 15 * 60_000;

type RequestedHold = {
  startsAt: number;
  endsAt: number;
  segments: readonly BookedSegment[];
  tableId: string | null;
};

/** The client that creates a hold: a key, and the visitor if the key names one. */
export type HoldClient = {
  keyId: string;
  visitor: Buffer | null;
  /** Visits that fill the shared part of the free time in addition to the open holds. */
  counted?: readonly Held[];
  /** The fraction of the shared free time that the hold may fill, by default all of it. */
  part?: number;
};

/**
 * Asserts that a client may create a hold. If a key names its visitors, each visitor has a limit,
 * and all visitors of the key together may hold only a part of the free time. The key itself then
 * has a limit only if the operator has set one. Strangers can use up the shared part, above all in
 * a nearly full week, where one hold can take all of it. Visitors can then still book, but without
 * a hold.
 * @throws AppError too_many_holds
 */
export function assertMayHold(
  rt: Runtime,
  business: BusinessRow,
  { keyId, visitor, counted = [], part = 1 }: HoldClient,
  hold: RequestedHold,
): void {
  if (visitor === null) return assertKeyMayHold(rt, business, keyId, hold);
  const open = assertVisitorMayHold(rt, business.id, keyId, visitor);
  if (leavesTimeFree(rt, business, [...open, ...counted], hold, part)) return;
  throw new ShareUsedError(
    "The visitors of this key hold as much of the free time as they can together.",
    "book without a hold, or try again in a minute",
  );
}

/** The error for a hold or visit that would exceed the share of the free time of a key. */
export class ShareUsedError extends AppError {
  constructor(message: string, fix: string) {
    super("too_many_holds", message, { fix });
  }
}

/**
 * Asserts that a visitor may have one more hold or order, and returns the open holds of the key.
 * @throws AppError too_many_holds
 */
export function assertVisitorMayHold(
  rt: Runtime,
  businessId: string,
  keyId: string,
  visitor: Buffer,
): Hold[] {
  const open = rt.store.holds.listOpenOfKey(businessId, keyId, rt.now());
  const limit = findSetLimit(rt, keyId);
  if (limit !== undefined) assertFewerThan(rt, keyId, open, limit);
  const held = open.filter((hold) => hold.visitor?.equals(visitor)).length;
  const ordered = rt.store.visitors.countActions(visitor, "order", rt.now() - ORDER_MS);
  if (held + ordered >= MAX_HOLDS_OF_VISITOR)
    throw tooManyHolds(
      `This visitor has ${MAX_HOLDS_OF_VISITOR} open holds and new ticket orders, which is the limit.`,
    );
  return open;
}

function assertKeyMayHold(
  rt: Runtime,
  business: BusinessRow,
  keyId: string,
  hold: RequestedHold,
): void {
  const open = assertHoldsLeft(rt, business.id, keyId);
  const day = localDateOf(hold.startsAt, business.doc.timezone);
  const full = findFull(open, business, day);
  if (![...takenBy(hold)].some((id) => full.has(id))) return;
  const who = hold.tableId === null ? "staff member who" : "table that";
  throw tooManyHolds(
    `This key already has ${MAX_PER_DAY} open holds on ${day} for each ${who} could take this visit.`,
  );
}

/**
 * Returns the IDs of the staff members and tables that already have the maximum number of the
 * client's holds on the day of a start. The set is empty for a key that names its visitors, because
 * this limit does not apply to it.
 */
export function listFull(
  rt: Runtime,
  business: BusinessRow,
  { keyId, visitor }: HoldClient,
  startsAt: number,
): ReadonlySet<string> {
  if (visitor !== null) return new Set();
  const open = rt.store.holds.listOpenOfKey(business.id, keyId, rt.now()).filter(isOfNoVisitor);
  return findFull(open, business, localDateOf(startsAt, business.doc.timezone));
}

function findFull(
  open: readonly Hold[],
  { doc: { timezone } }: BusinessRow,
  day: string,
): Set<string> {
  const takenOnDay = open
    .filter(({ startsAt }) => localDateOf(startsAt, timezone) === day)
    .flatMap((hold) => [...takenBy(hold)]);
  const counts = new Map<string, number>();
  for (const id of takenOnDay) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Set([...counts].flatMap(([id, count]) => (count >= MAX_PER_DAY ? id : [])));
}

/** Returns the IDs of the staff members, or of the table, that a hold takes. */
const takenBy = ({ segments, tableId }: Pick<RequestedHold, "segments" | "tableId">): Set<string> =>
  new Set(tableId === null ? segments.flatMap(({ staffId }) => staffId ?? []) : [tableId]);

/**
 * Asserts that a key may have one more hold, and returns its open holds that name no visitor. If
 * the operator has set a limit, holds that name a visitor count towards it, too, so that no key can
 * exceed the limit by inventing visitors.
 * @throws AppError too_many_holds
 */
export function assertHoldsLeft(rt: Runtime, businessId: string, keyId: string): Hold[] {
  const open = rt.store.holds.listOpenOfKey(businessId, keyId, rt.now());
  assertFewerThan(rt, keyId, countedHolds(rt, keyId, open), maxHoldsOf(rt, keyId));
  return open.filter(isOfNoVisitor);
}

const isOfNoVisitor = ({ visitor }: Hold): boolean => visitor === null;

/** Returns the open holds of a key that count towards its limit. */
const countedHolds = (rt: Runtime, keyId: string, open: readonly Hold[]): readonly Hold[] =>
  findSetLimit(rt, keyId) === undefined ? open.filter(isOfNoVisitor) : open;

/** Returns how many open holds and unpaid orders a key has, and how many it may have now. */
export function readHoldUse(
  rt: Runtime,
  { id, businessId }: { id: string; businessId: string },
): { limit: number; used: number } {
  const open = rt.store.holds.listOpenOfKey(businessId, id, rt.now());
  const used = countedHolds(rt, id, open).length + countPending(rt, id);
  return { limit: maxHoldsOf(rt, id), used };
}

function assertFewerThan(rt: Runtime, keyId: string, open: readonly Hold[], limit: number): void {
  if (open.length + countPending(rt, keyId) >= limit)
    throw tooManyHolds(
      `This key has ${limit} open holds and unpaid ticket orders, which is its limit.`,
    );
}

/** Counts a key's unpaid visits of the kinds that features add, such as ticket orders. */
const countPending = (rt: Runtime, keyId: string): number =>
  otherVisits().reduce((sum, kind) => sum + kind.countPending(rt, keyId), 0);

/**
 * Returns the limit that the operator has set for a key, or undefined if the limit equals the
 * default of new keys.
 */
function findSetLimit(rt: Runtime, keyId: string): number | undefined {
  const limit = rt.store.keys.findById(keyId)?.maxHolds ?? 0;
  return limit === DEFAULT_LIMITS.holds ? undefined : limit;
}

function maxHoldsOf(rt: Runtime, keyId: string): number {
  const limit = rt.store.keys.findById(keyId)?.maxHolds ?? 0;
  return leavesHoldsUnused(rt, keyId) ? Math.min(MAX_UNUSED, limit) : limit;
}

type HoldCount = { made: number; used: number };

const isExcessive = ({ made, used }: HoldCount): boolean =>
  made >= MIN_HOLDS && used < made * MIN_USED_SHARE;

/** Returns whether a key has left too many of its holds of the last 24 hours unused. */
const leavesHoldsUnused = (rt: Runtime, keyId: string): boolean =>
  isExcessive(rt.store.holds.countSince(keyId, rt.now() - DAY_MS));

/** Returns the keys whose limit is lower, because they used few holds in the last 24 hours. */
export const listHoarders = (rt: Runtime): (HoldCount & { keyId: string })[] =>
  rt.store.holds.listSince(rt.now() - DAY_MS, MIN_HOLDS).filter(isExcessive);

export const tooManyHolds = (message: string): AppError =>
  new AppError("too_many_holds", message, {
    fix: "confirm or release the others first, or wait until they expire",
  });
