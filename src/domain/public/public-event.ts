import type { z } from "zod";
import type { PublicEventDoc, TicketTypeDoc } from "../catalog/catalog.ts";
import { originalKey } from "../catalog/object-id.ts";
import { catalogId } from "../ids.ts";
import { toPublicCommon, idOf, type PublicContext } from "./public-context.ts";
import type * as schemas from "./schemas/public-event.ts";

type SaleAvailability = z.infer<typeof schemas.saleAvailability>;
type SaleState = SaleAvailability["state"];
export type PublicEvent = z.infer<typeof schemas.publicEvent>;
type PublicTicketType = z.infer<typeof schemas.ticketType>;

/** The names that guests see of the event, the venue and the ticket types of an order. */
export type EventNames = {
  name: string;
  venue: string | null;
  /** Mails that an earlier version stored have no `venueAddress` and `isOnline`. */
  venueAddress?: string | null;
  isOnline?: boolean;
  /** The names of the ticket types, by their IDs. */
  ticketTypes: Readonly<Record<string, string>>;
};

/** Whether, when and where an event takes place, as the guests of its orders know it. */
export type EventPlan = {
  /** The status of an event that does not take place as announced; null for any other. */
  calledOff: "CANCELLED" | "POSTPONED" | null;
  /** Epoch milliseconds; null if the event is called off. */
  startsAt: number | null;
  /** The venue is null at the business and online, and if the event is called off. */
  venue: PublicEventDoc["venue"];
  isOnline: boolean;
};

/**
 * Returns the plan of an event. An event that is called off takes place at no time and no place, so
 * its plan has none. Guests with tickets see no difference between a draft and a published event.
 */
export function planOf({ status, startsAt, venue, attendanceMode }: PublicEventDoc): EventPlan {
  if (status === "CANCELLED" || status === "POSTPONED")
    return { calledOff: status, startsAt: null, venue: null, isOnline: false };
  return { calledOff: null, startsAt, venue, isOnline: attendanceMode === "ONLINE" };
}

export const ticketTypeId = (slug: string, event: PublicEventDoc, type: TicketTypeDoc): string =>
  catalogId("ett", slug, originalKey(event), originalKey(type));

export function toPublicEvent(doc: PublicEventDoc, context: PublicContext): PublicEvent {
  const id = idOf(context, "public_event", doc);
  const status = statusAt(doc, context.now);
  const leftByQuota = placesLeft(doc, context);
  const ticketTypes = doc.ticketTypes
    .filter((type) => type.status === "ACTIVE")
    .map((type, i) => toPublicTicketType(type, i, id, doc, leftByQuota, context));
  return {
    id,
    name: doc.name,
    slug: doc.slug,
    description: doc.description,
    status,
    startsAt: context.instant(doc.startsAt),
    endsAt: context.instant(doc.endsAt),
    doorsAt: doc.doorsAt === null ? null : context.instant(doc.doorsAt),
    timezone: context.timezone,
    venue: doc.venue,
    attendanceMode: doc.attendanceMode,
    ticketTypes,
    availability: {
      state: bestState(ticketTypes.map(({ availability }) => availability)),
      remaining: remainingOfEvent(doc, leftByQuota),
    },
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}

/**
 * Returns the number of free places of each quota, by its key. Tickets count even if their type has
 * been withdrawn.
 */
export function placesLeft(
  event: PublicEventDoc,
  context: Pick<PublicContext, "slug" | "taken">,
): Map<string, number> {
  const taken = new Map(
    event.ticketTypes.map((type) => [
      type.key,
      context.taken(ticketTypeId(context.slug, event, type)),
    ]),
  );
  return new Map(
    event.quotas.map(({ key, size, ticketTypes }) => [
      key,
      Math.max(0, size - ticketTypes.reduce((sum, type) => sum + (taken.get(type) ?? 0), 0)),
    ]),
  );
}

/**
 * Returns the availability that partners see: of each active ticket type, then of the whole public
 * event. A change of any `state` causes an event.
 */
export function saleAvailabilities(
  event: PublicEventDoc,
  context: Pick<PublicContext, "slug" | "taken" | "now">,
): SaleAvailability[] {
  const leftByQuota = placesLeft(event, context);
  const types = event.ticketTypes
    .filter((type) => type.status === "ACTIVE")
    .map((type) => availabilityOfType(type, event, leftByQuota, context.now));
  return [...types, { state: bestState(types), remaining: remainingOfEvent(event, leftByQuota) }];
}

/**
 * Returns the status at `now`. A cancelled or postponed public event keeps its status after its
 * date. A draft is never public.
 */
export function statusAt({ status, endsAt }: PublicEventDoc, now: number): PublicEvent["status"] {
  return status === "PUBLISHED" && endsAt <= now ? "ENDED" : (status as PublicEvent["status"]);
}

function toPublicTicketType(
  doc: TicketTypeDoc,
  sortOrder: number,
  eventId: string,
  event: PublicEventDoc,
  leftByQuota: Map<string, number>,
  context: PublicContext,
): PublicTicketType {
  const id = ticketTypeId(context.slug, event, doc);
  return {
    id,
    eventId,
    name: doc.name,
    description: doc.description,
    kind: doc.kind,
    priceCents: doc.priceCents,
    currency: context.currency,
    salesStartAt: doc.salesStartAt === null ? null : context.instant(doc.salesStartAt),
    salesEndAt: doc.salesEndAt === null ? null : context.instant(doc.salesEndAt),
    minPerOrder: doc.minPerOrder,
    maxPerOrder: doc.maxPerOrder,
    availability: availabilityOfType(doc, event, leftByQuota, context.now),
    status: "ACTIVE",
    ...toPublicCommon(id, doc, sortOrder, context),
  };
}

function availabilityOfType(
  type: TicketTypeDoc,
  event: PublicEventDoc,
  leftByQuota: Map<string, number>,
  now: number,
): SaleAvailability {
  const remaining = remainingOfType(type, event, leftByQuota);
  return {
    state: stateOfType(type, event, remaining, now),
    remaining: type.showRemaining ? remaining : null,
  };
}

const quotasOf = (type: TicketTypeDoc, event: PublicEventDoc) =>
  event.quotas.filter((quota) => quota.ticketTypes.includes(type.key));

/** Returns the lowest number of places left among the type's quotas; null if it has no quota. */
function remainingOfType(
  type: TicketTypeDoc,
  event: PublicEventDoc,
  leftByQuota: Map<string, number>,
): number | null {
  const quotas = quotasOf(type, event);
  return quotas.length === 0
    ? null
    : Math.min(...quotas.map((quota) => leftByQuota.get(quota.key) ?? 0));
}

/**
 * Returns the sale state. FEW_LEFT: at most 10 % of the smallest quota or at most 5 tickets are
 * left.
 */
function stateOfType(
  type: TicketTypeDoc,
  event: PublicEventDoc,
  remaining: number | null,
  now: number,
): SaleState {
  // A feature that sells tickets refuses orders by the same rules, with an error for each rule.
  if (event.status !== "PUBLISHED" || event.endsAt <= now) return "ENDED";
  if (type.salesEndAt !== null && type.salesEndAt <= now) return "ENDED";
  if (type.salesStartAt !== null && now < type.salesStartAt) return "NOT_YET";
  if (remaining === null) return "ON_SALE";
  if (remaining <= 0) return "SOLD_OUT";
  const smallest = Math.min(...quotasOf(type, event).map((quota) => quota.size));
  return remaining <= Math.max(5, smallest / 10) ? "FEW_LEFT" : "ON_SALE";
}

const BEST_FIRST: SaleState[] = ["ON_SALE", "FEW_LEFT", "NOT_YET", "SOLD_OUT", "ENDED"];

const bestState = (types: SaleAvailability[]): SaleState =>
  BEST_FIRST.find((state) => types.some((type) => type.state === state)) ?? "ENDED";

/**
 * Returns how many tickets of all active types can still be sold; null if the number of any type is
 * unlimited, or hidden by `showRemaining`.
 */
function remainingOfEvent(event: PublicEventDoc, leftByQuota: Map<string, number>): number | null {
  const types = event.ticketTypes.filter((type) => type.status === "ACTIVE");
  if (types.some((type) => !type.showRemaining || quotasOf(type, event).length === 0)) return null;
  // Types with the fewest quotas are counted first, because they restrict the others least.
  const stillLeft = new Map(leftByQuota);
  let total = 0;
  for (const type of types.toSorted(
    (a, b) => quotasOf(a, event).length - quotasOf(b, event).length,
  )) {
    const sellable = Math.max(0, remainingOfType(type, event, stillLeft) ?? 0);
    for (const quota of quotasOf(type, event))
      stillLeft.set(quota.key, (stillLeft.get(quota.key) ?? 0) - sellable);
    total += sellable;
  }
  return total;
}
