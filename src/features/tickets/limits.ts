import {
  assertHoldsLeft,
  assertVisitorMayHold,
  type HoldClient,
  tooManyHolds,
} from "../../app/bookings/hold-limits.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { ticketTypeId } from "../../domain/public/public-event.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { createOrderStore } from "./store.ts";

/** The share of a quota that the unpaid orders of one API key can take by default. */
const MAX_QUOTA_SHARE = 0.2;

/**
 * Asserts that the unpaid orders of a key, with the new order, take no more than the key may take.
 * @throws AppError too_many_holds
 */
export function assertMayOrder(
  rt: Runtime,
  { id, slug }: BusinessRow,
  { keyId, visitor }: HoldClient,
  event: PublicEventDoc,
  items: readonly { ticketTypeId: string; quantity: number }[],
  maxQuotaShare = MAX_QUOTA_SHARE,
): void {
  if (visitor === null) assertHoldsLeft(rt, id, keyId);
  else assertVisitorMayHold(rt, id, keyId, visitor);
  const pendingByType = rt.openStore(createOrderStore).countPendingTickets(keyId, rt.now());
  for (const { ticketTypes, size } of event.quotas) {
    const typeIds = event.ticketTypes
      .filter(({ key }) => ticketTypes.includes(key))
      .map((type) => ticketTypeId(slug, event, type));
    const requested = items
      .filter((item) => typeIds.includes(item.ticketTypeId))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const pending = typeIds.reduce((sum, typeId) => sum + (pendingByType.get(typeId) ?? 0), 0);
    const limit = Math.ceil(size * maxQuotaShare);
    if (requested > 0 && pending + requested > limit)
      throw tooManyHolds(
        `The unpaid orders of this key would hold ${pending + requested} of ${size} tickets; at most ${limit} are allowed.`,
      );
  }
}
