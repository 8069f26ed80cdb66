import type { EventDraft } from "../../domain/events/envelope.ts";
import { actionOf, type EventType, prefixOf } from "../../domain/events/event-types.ts";
import { formatInstant } from "../../domain/local-time.ts";
import type { CatalogState } from "../../domain/public/catalog-changed.ts";
import { PENDING_MS, ticketCheckedInEvent, ticketOrderEvent } from "./rules.ts";

/**
 * Returns a sample event about the first ticket type of the catalog. Returns undefined if the
 * catalog has no ticket type, or if the event type is not about tickets.
 */
export function sampleOrderEvent(
  type: EventType,
  state: CatalogState,
  now: number,
): EventDraft | undefined {
  switch (prefixOf(type)) {
    case "ticket_order":
      return sampleOrder(actionOf(type) as "created" | "confirmed" | "cancelled", state, now);
    case "ticket":
      return sampleCheckIn(state, now);
    default:
      return undefined;
  }
}

const firstTicketType = ({ publicCatalog }: CatalogState) =>
  publicCatalog.events.flatMap(({ ticketTypes }) => ticketTypes)[0];

function sampleOrder(
  action: "created" | "confirmed" | "cancelled",
  state: CatalogState,
  now: number,
): EventDraft | undefined {
  const type = firstTicketType(state);
  if (type === undefined) return undefined;
  const { id: ticketTypeId, eventId, priceCents: unitPriceCents, currency } = type;
  const { timezone } = state.catalog.business;
  return ticketOrderEvent(action, {
    id: "tor_sample",
    code: "SAMP-LE00",
    status: ({ created: "PENDING", confirmed: "CONFIRMED", cancelled: "CANCELLED" } as const)[
      action
    ],
    eventId,
    items: [{ ticketTypeId, quantity: 2, unitPriceCents }],
    totalCents: 2 * unitPriceCents,
    currency,
    customerRef: "sample",
    expiresAt: action === "created" ? formatInstant(now + PENDING_MS, timezone) : null,
    version: action === "created" ? 1 : 2,
    createdAt: formatInstant(now, timezone),
    updatedAt: formatInstant(now, timezone),
  });
}

function sampleCheckIn(state: CatalogState, now: number): EventDraft | undefined {
  const type = firstTicketType(state);
  return (
    type &&
    ticketCheckedInEvent({
      id: "tck_sample",
      orderId: "tor_sample",
      eventId: type.eventId,
      ticketTypeId: type.id,
      status: "CHECKED_IN",
      checkedInAt: formatInstant(now, state.catalog.business.timezone),
      version: 2,
    })
  );
}
