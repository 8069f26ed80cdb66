import {
  assertHoldsLeft,
  assertVisitorMayHold,
  type HoldClient,
  tooManyHolds,
} from "../../../app/bookings/hold-limits.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { PublicEventDoc, TicketTypeDoc } from "../../../domain/catalog/catalog.ts";
import { AppError } from "../../../domain/errors.ts";
import { ticketTypeId } from "../../../domain/public/public-event.ts";
import { countOf } from "../../../domain/text.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { nameTypes, quantityIssues, type RequestedTickets } from "../rules.ts";
import { createOrderStore } from "../store.ts";

/** The share of a quota that the unpaid orders of one API key can take by default. */
const MAX_QUOTA_SHARE = 0.2;

/**
 * Asserts that the unpaid orders of a key, with the new order, take no more than the key may take.
 * @throws AppError too_many_holds; validation_failed if the order alone takes more
 */
export function assertMayOrder(
  rt: Runtime,
  { id, slug }: BusinessRow,
  { keyId, visitor }: HoldClient,
  event: PublicEventDoc,
  requested: readonly RequestedTickets[],
  maxQuotaShare = MAX_QUOTA_SHARE,
): void {
  if (visitor === null) assertHoldsLeft(rt, id, keyId);
  else assertVisitorMayHold(rt, id, keyId, visitor);
  const pendingByType = rt.openStore(createOrderStore).countPendingTickets(keyId, rt.now());
  const tooMany = findTooMany(event, requested, maxQuotaShare);
  if (tooMany !== undefined) {
    const { size, ofQuota, limit, count } = tooMany;
    const detail = `An unpaid order can hold at most ${limit} of the ${countOf(size, "ticket")} of ${nameTypes(ofQuota)}, not ${count}.`;
    const issues = quantityIssues(ofQuota, detail);
    const fix = `order at most ${countOf(limit, "ticket")} at once`;
    throw new AppError("validation_failed", detail, { fix, issues });
  }
  for (const { ticketTypes, size, limit, count } of listParts(event, requested, maxQuotaShare)) {
    const pending = event.ticketTypes
      .filter(({ key }) => ticketTypes.includes(key))
      .reduce((sum, type) => sum + (pendingByType.get(ticketTypeId(slug, event, type)) ?? 0), 0);
    if (pending + count > limit)
      throw tooManyHolds(
        `The unpaid orders of this key would hold ${pending + count} of ${size} tickets; at most ${limit} are allowed.`,
      );
  }
}

type Requested = Pick<RequestedTickets, "type" | "quantity">;

type QuotaPart<R extends Requested> = {
  ticketTypes: readonly string[];
  size: number;
  ofQuota: readonly R[];
  /** The most tickets of the quota that the unpaid orders of a key can take. */
  limit: number;
  count: number;
};

/** Returns what an order takes of each quota that it concerns. */
const listParts = <R extends Requested>(
  { quotas }: PublicEventDoc,
  requested: readonly R[],
  maxQuotaShare: number,
): QuotaPart<R>[] =>
  quotas.flatMap(({ ticketTypes, size }) => {
    const ofQuota = requested.filter(({ type }) => ticketTypes.includes(type.key));
    if (ofQuota.length === 0) return [];
    const types = ofQuota.map(({ type }) => type);
    const limit = shareOf(size, types, maxQuotaShare);
    const count = ofQuota.reduce((sum, { quantity }) => sum + quantity, 0);
    return [{ ticketTypes, size, ofQuota, limit, count }];
  });

/**
 * Returns the first quota of which this order alone takes more tickets than `limit`, the maximum
 * for all unpaid orders of a key; undefined if there is no such quota.
 */
export const findTooMany = <R extends Requested>(
  event: PublicEventDoc,
  requested: readonly R[],
  maxQuotaShare: number,
): QuotaPart<R> | undefined =>
  listParts(event, requested, maxQuotaShare).find(({ limit, count }) => count > limit);

/**
 * Returns how many tickets of a quota the unpaid orders of a key can take: a share of the quota,
 * but at least as many as the smallest possible order of each ticket type.
 */
const shareOf = (size: number, types: readonly TicketTypeDoc[], maxQuotaShare: number): number =>
  Math.max(Math.ceil(size * maxQuotaShare), ...types.map(({ minPerOrder }) => minPerOrder));

/** Returns the most tickets of a type that one unpaid order of a key can have. */
export const maxPerUnpaidOrder = (
  { quotas }: PublicEventDoc,
  type: TicketTypeDoc,
  maxQuotaShare: number,
): number =>
  Math.min(
    type.maxPerOrder,
    ...quotas
      .filter(({ ticketTypes }) => ticketTypes.includes(type.key))
      .map(({ size }) => shareOf(size, [type], maxQuotaShare)),
  );
