import { emptyBody } from "./pipeline/body.ts";
import { confirmBody, reasonBody, ticketOrderBody } from "./handlers/bookings/bodies.ts";
import * as lists from "./handlers/bookings/lists.ts";
import * as orders from "./handlers/bookings/ticket-orders.ts";
import type { RouteDefinition } from "./pipeline/route.ts";
import { created, listed, ok, path, post, readable } from "./route-parts.ts";

/** The routes of ticket orders; part of the table in routes.ts. */
export const TICKET_ROUTES: readonly RouteDefinition[] = [
  post("Tickets", "ticket-orders", {
    operationId: "createTicketOrder",
    scope: "tickets.write",
    needsIdempotencyKey: true,
    takesVisitor: true,
    summary: "Order tickets",
    description:
      "Holds the tickets for 15 minutes, in which the order must be confirmed. The unpaid orders of a key can hold 20 % of the tickets of a quota.",
    body: { schema: ticketOrderBody },
    responses: created("order", "TicketOrderResponse"),
    problems: ["resource_not_found", "price_changed", "too_many_holds", "too_many_bookings"],
    handle: orders.handleCreateTicketOrder,
  }),
  {
    operationId: "listTicketOrders",
    group: "Tickets",
    method: "GET",
    path: path("ticket-orders"),
    scope: ["bookings.read", "tickets.write"],
    summary: "List ticket orders",
    description:
      "Oldest first, or by change with `updatedSince`. A key without bookings.read lists the orders that it made.",
    query: lists.ticketOrdersParameters,
    responses: listed("One page of ticket orders.", "TicketOrderList"),
    handle: lists.handleListTicketOrders,
  },
  {
    operationId: "getTicketOrder",
    group: "Tickets",
    method: "GET",
    path: path("ticket-orders/:id"),
    scope: ["bookings.read", "tickets.write"],
    summary: "Get a ticket order",
    description: "With `customer`, if the key made the order or has guests.read.",
    responses: readable("The order.", "TicketOrderWithCustomerResponse"),
    handle: orders.handleGetTicketOrder,
  },
  post("Tickets", "ticket-orders/:id/confirm", {
    operationId: "confirmTicketOrder",
    scope: "tickets.write",
    needsIdempotencyKey: true,
    summary: "Confirm a paid ticket order",
    description:
      "States that the order is paid, and issues its tickets. Only this response and that of a reissue contain the admission codes.",
    body: { schema: confirmBody, isOptional: true },
    responses: ok("The order with its tickets.", "OrderWithTicketsResponse"),
    problems: ["wrong_status"],
    handle: orders.handleConfirmTicketOrder,
  }),
  post("Tickets", "ticket-orders/:id/cancel", {
    operationId: "cancelTicketOrder",
    scope: "tickets.write",
    summary: "Cancel a ticket order",
    description:
      "Its tickets become void and can be sold again. Not possible once one of them has been checked in.",
    body: { schema: reasonBody, isOptional: true },
    responses: ok("The cancelled order.", "TicketOrderResponse"),
    problems: ["wrong_status"],
    handle: orders.handleCancelTicketOrder,
  }),
  post("Tickets", "ticket-orders/:id/reissue", {
    operationId: "reissueTickets",
    scope: "tickets.write",
    summary: "Reissue the tickets of an order",
    description:
      "Replaces the admission codes of all tickets that have not been checked in; the old codes are void.",
    body: { schema: emptyBody, isOptional: true },
    responses: ok("The order with its tickets.", "OrderWithTicketsResponse"),
    problems: ["wrong_status"],
    handle: orders.handleReissueTickets,
  }),
];
