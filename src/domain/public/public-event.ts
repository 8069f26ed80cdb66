import type { z } from "zod";
import type { PublicEventDoc, TicketTypeDoc } from "../catalog/catalog.ts";
import { originalKey } from "../catalog/object-id.ts";
import { catalogId } from "../ids.ts";
import { commonFields, idOf, type PublicContext } from "./public-context.ts";
import type * as schemas from "./schemas/public-event.ts";

export type SaleState = z.infer<typeof schemas.saleAvailability>["state"];
export type PublicEvent = z.infer<typeof schemas.publicEvent>;
export type PublicTicketType = z.infer<typeof schemas.ticketType>;

export const ticketTypeId = (slug: string, event: PublicEventDoc, type: TicketTypeDoc): string =>
  catalogId("ett", slug, originalKey(event), originalKey(type));

export function toPublicEvent(
  doc: PublicEventDoc,
  sortOrder: number,
  lens: PublicContext,
): PublicEvent {
  const id = idOf(lens, "public_event", doc);
  const status = statusAt(doc, lens.now);
  const left = placesLeft(doc, lens);
  const ticketTypes = doc.ticketTypes
    .filter((type) => type.status === "ACTIVE")
    .map((type, i) => representTicketType(type, i, id, doc, left, lens));
  return {
    id,
    name: doc.name,
    slug: doc.slug,
    description: doc.description,
    status,
    startsAt: lens.instant(doc.startsAt),
    endsAt: lens.instant(doc.endsAt),
    doorsAt: doc.doorsAt === null ? null : lens.instant(doc.doorsAt),
    timezone: lens.timezone,
    venue: doc.venue,
    attendanceMode: doc.attendanceMode,
    ticketTypes,
    availability: { state: bestState(ticketTypes), remaining: remainingOfEvent(doc, left) },
    ...commonFields(id, doc, sortOrder, lens),
  };
}

/** Quota key -> places left. Types that were withdrawn still hold what was sold of them. */
export function placesLeft(
  event: PublicEventDoc,
  lens: Pick<PublicContext, "slug" | "taken">,
): Map<string, number> {
  const taken = new Map(
    event.ticketTypes.map((type) => [type.key, lens.taken(ticketTypeId(lens.slug, event, type))]),
  );
  return new Map(
    event.quotas.map(({ key, size, ticketTypes }) => [
      key,
      Math.max(0, size - ticketTypes.reduce((sum, type) => sum + (taken.get(type) ?? 0), 0)),
    ]),
  );
}

/** The states of the types that are offered: partners are told when one of them changes. */
export function saleStates(
  event: PublicEventDoc,
  lens: Pick<PublicContext, "slug" | "taken" | "now">,
): SaleState[] {
  const left = placesLeft(event, lens);
  return event.ticketTypes
    .filter((type) => type.status === "ACTIVE")
    .map((type) => stateOfType(type, event, remainingOfType(type, event, left), lens.now));
}

/** What did not take place, because it was cancelled or postponed, has not ended when its day has passed. */
function statusAt({ status, endsAt }: PublicEventDoc, now: number): PublicEvent["status"] {
  return status === "PUBLISHED" && endsAt <= now ? "ENDED" : (status as PublicEvent["status"]);
}

function representTicketType(
  doc: TicketTypeDoc,
  sortOrder: number,
  eventId: string,
  event: PublicEventDoc,
  left: Map<string, number>,
  lens: PublicContext,
): PublicTicketType {
  const id = ticketTypeId(lens.slug, event, doc);
  const remaining = remainingOfType(doc, event, left);
  return {
    id,
    eventId,
    name: doc.name,
    description: doc.description,
    kind: doc.kind,
    priceCents: doc.priceCents,
    currency: lens.currency,
    salesStartAt: doc.salesStartAt === null ? null : lens.instant(doc.salesStartAt),
    salesEndAt: doc.salesEndAt === null ? null : lens.instant(doc.salesEndAt),
    minPerOrder: doc.minPerOrder,
    maxPerOrder: doc.maxPerOrder,
    availability: {
      state: stateOfType(doc, event, remaining, lens.now),
      remaining: doc.showRemaining ? remaining : null,
    },
    status: "ACTIVE",
    ...commonFields(id, doc, sortOrder, lens),
  };
}

const quotasOf = (type: TicketTypeDoc, event: PublicEventDoc) =>
  event.quotas.filter((quota) => quota.ticketTypes.includes(type.key));

/** The minimum over every quota that the type belongs to; null: it belongs to none. */
function remainingOfType(
  type: TicketTypeDoc,
  event: PublicEventDoc,
  left: Map<string, number>,
): number | null {
  const quotas = quotasOf(type, event);
  return quotas.length === 0 ? null : Math.min(...quotas.map((quota) => left.get(quota.key) ?? 0));
}

/** Few: at most a tenth of the smallest quota, or five. */
function stateOfType(
  type: TicketTypeDoc,
  event: PublicEventDoc,
  remaining: number | null,
  now: number,
): SaleState {
  // As its sale is refused (day/ticket-sale.ts).
  if (event.status !== "PUBLISHED" || event.endsAt <= now) return "ENDED";
  if (type.salesEndAt !== null && type.salesEndAt <= now) return "ENDED";
  if (type.salesStartAt !== null && now < type.salesStartAt) return "NOT_YET";
  if (remaining === null) return "ON_SALE";
  if (remaining <= 0) return "SOLD_OUT";
  const smallest = Math.min(...quotasOf(type, event).map((quota) => quota.size));
  return remaining <= Math.max(5, smallest / 10) ? "FEW_LEFT" : "ON_SALE";
}

const BEST_FIRST: SaleState[] = ["ON_SALE", "FEW_LEFT", "NOT_YET", "SOLD_OUT", "ENDED"];

const bestState = (types: PublicTicketType[]): SaleState =>
  BEST_FIRST.find((state) => types.some((type) => type.availability.state === state)) ?? "ENDED";

/** As many tickets as could still be sold over all types; null where a type is unlimited or keeps it to itself. */
function remainingOfEvent(event: PublicEventDoc, left: Map<string, number>): number | null {
  const types = event.ticketTypes.filter((type) => type.status === "ACTIVE");
  if (types.some((type) => !type.showRemaining || quotasOf(type, event).length === 0)) return null;
  // The types that draw on the fewest quotas first: they hold up the others least.
  const rest = new Map(left);
  let total = 0;
  for (const type of types.toSorted(
    (a, b) => quotasOf(a, event).length - quotasOf(b, event).length,
  )) {
    const taken = Math.max(0, remainingOfType(type, event, rest) ?? 0);
    for (const quota of quotasOf(type, event))
      rest.set(quota.key, (rest.get(quota.key) ?? 0) - taken);
    total += taken;
  }
  return total;
}
