import { reasonBody } from "../../http/handlers/bookings/bodies.ts";
import { confirmBody, ticketOrderBody } from "./bodies.ts";
import * as orders from "./handlers.ts";
import type { RouteDefinition } from "../../http/pipeline/route.ts";
import { writeParameters } from "../../http/handlers/bookings/writes.ts";
import {
  conditional,
  createdOrDry,
  EMPTY_BODY,
  get,
  paged,
  post,
  versioned,
} from "../../http/route-constructors.ts";

/** The path parameter of routes about one order. */
const pathParameters = {
  id: { description: "ID of the ticket order", example: "tor_06gzfjm44t8c9kf1ccbxp7rfg" },
};

export const routes: readonly RouteDefinition[] = [
  post("Tickets", "ticket-orders", {
    operationId: "createTicketOrder",
    scope: "tickets.write",
    needsIdempotencyKey: true,
    takesVisitor: true,
    summary: "Order tickets",
    description:
      "Holds the tickets for 15 minutes, in which the order must be confirmed. The unpaid orders of a key can hold 20 % of the tickets of a quota, and at least `minPerOrder`.",
    query: writeParameters,
    body: { schema: ticketOrderBody },
    responses: createdOrDry("order", "TicketOrderResponse"),
    problems: ["resource_not_found", "price_changed", "too_many_holds", "too_many_bookings"],
    handle: orders.handleCreateTicketOrder,
  }),
  get("Tickets", "ticket-orders", {
    operationId: "listTicketOrders",
    scope: ["bookings.read", "tickets.write"],
    summary: "List ticket orders",
    description:
      "Oldest first, or by change with `updatedSince`. A key without bookings.read lists the orders that it made.",
    query: orders.ticketOrdersParameters,
    responses: paged("One page of ticket orders.", "TicketOrderList"),
    handle: orders.handleListTicketOrders,
  }),
  get("Tickets", "ticket-orders/:id", {
    pathParameters,
    operationId: "getTicketOrder",
    scope: ["bookings.read", "tickets.write"],
    summary: "Get a ticket order",
    description: "With `customer`, if the key made the order or has guests.read.",
    responses: conditional("The order.", "TicketOrderWithCustomerResponse"),
    handle: orders.handleGetTicketOrder,
  }),
  post("Tickets", "ticket-orders/:id/confirm", {
    pathParameters,
    operationId: "confirmTicketOrder",
    scope: "tickets.write",
    needsIdempotencyKey: true,
    summary: "Confirm a paid ticket order",
    description:
      "States that the order is paid, and issues its tickets. Only this response and that of a reissue contain the admission codes.",
    query: writeParameters,
    body: { schema: confirmBody, isOptional: true },
    responses: versioned("The order with its tickets.", "OrderWithTicketsResponse"),
    problems: ["wrong_status"],
    handle: orders.handleConfirmTicketOrder,
  }),
  post("Tickets", "ticket-orders/:id/cancel", {
    pathParameters,
    operationId: "cancelTicketOrder",
    scope: "tickets.write",
    summary: "Cancel a ticket order",
    description:
      "Its tickets become void and can be sold again. Not possible once one of them has been checked in.",
    query: writeParameters,
    body: { schema: reasonBody, isOptional: true },
    responses: versioned("The cancelled order.", "TicketOrderResponse"),
    problems: ["wrong_status"],
    handle: orders.handleCancelTicketOrder,
  }),
  post("Tickets", "ticket-orders/:id/reissue", {
    pathParameters,
    operationId: "reissueTickets",
    scope: "tickets.write",
    summary: "Reissue the tickets of an order",
    description:
      "Replaces the admission codes of all tickets that have not been checked in; the old codes are void.",
    query: writeParameters,
    body: EMPTY_BODY,
    responses: versioned("The order with its tickets.", "OrderWithTicketsResponse"),
    problems: ["wrong_status"],
    handle: orders.handleReissueTickets,
  }),
];
