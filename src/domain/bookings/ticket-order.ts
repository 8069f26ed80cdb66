import type { z } from "zod";
import { formatInstant } from "../business-time.ts";
import type { EventDraft } from "../envelope.ts";
import type * as schemas from "../public/schemas/bookings.ts";

export type TicketOrder = {
  id: string;
  /** Identifies the order at the box office. It is not valid for admission. */
  code: string;
  status: "PENDING" | "CONFIRMED" | "CANCELLED" | "EXPIRED";
  eventId: string;
  items: { ticketTypeId: string; quantity: number; unitPriceCents: number }[];
  totalCents: number;
  currency: string;
  customerRef: string | null;
  /** When a pending order releases its tickets. */
  expiresAt: number;
  createdAt: number;
  updatedAt: number;
};

export type PublicTicketOrder = z.infer<typeof schemas.ticketOrder>;

export function toPublicTicketOrder(order: TicketOrder, timezone: string): PublicTicketOrder {
  const { expiresAt, createdAt, updatedAt, ...fields } = order;
  const expires = order.status === "PENDING" || order.status === "EXPIRED";
  return { ...fields, expiresAt: expires ? formatInstant(expiresAt, timezone) : null };
}

export type Ticket = {
  id: string;
  orderId: string;
  eventId: string;
  ticketTypeId: string;
  status: "VALID" | "CHECKED_IN" | "VOID";
  checkedInAt: number | null;
  createdAt: number;
};

export type PublicTicket = z.infer<typeof schemas.ticket>;

export const toPublicTicket = (
  { id, orderId, eventId, ticketTypeId, status, checkedInAt }: Ticket,
  timezone: string,
): PublicTicket => ({
  id,
  orderId,
  eventId,
  ticketTypeId,
  status,
  checkedInAt: checkedInAt === null ? null : formatInstant(checkedInAt, timezone),
});

/** An expired order is also `cancelled`; its `status` tells the two apart. */
export const ticketOrderEvent = (
  action: "created" | "confirmed" | "cancelled",
  object: PublicTicketOrder,
): EventDraft => ({
  type: `ticket_order.${action}`,
  resource: { type: "ticket_order", id: object.id, ids: [object.id] },
  changed: action === "created" ? "all" : ["status"],
  object,
});

export const ticketCheckedInEvent = (object: PublicTicket): EventDraft => ({
  type: "ticket.checked_in",
  resource: { type: "ticket", id: object.id, ids: [object.id] },
  changed: ["checkIn"],
  object,
});
