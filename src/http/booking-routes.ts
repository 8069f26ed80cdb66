import {
  bookingBody,
  confirmBody,
  emptyBody,
  holdBody,
  reasonBody,
  rescheduleBookingBody,
  rescheduleReservationBody,
  reservationBody,
  ticketOrderBody,
  visitUpdateBody,
} from "./handlers/bookings/bodies.ts";
import * as bookings from "./handlers/bookings/bookings.ts";
import * as holds from "./handlers/bookings/holds.ts";
import * as lists from "./handlers/bookings/lists.ts";
import * as reservations from "./handlers/bookings/reservations.ts";
import * as orders from "./handlers/bookings/ticket-orders.ts";
import {
  BOOKINGS,
  handleGetVisit,
  handleStateAction,
  handleUpdateVisit,
  RESERVATIONS,
} from "./handlers/bookings/visits.ts";
import { WRITE_PARAMETERS } from "./handlers/bookings/writes.ts";
import type { SchemaName } from "./openapi/schemas.ts";
import type { KeyHandler, HandlerDeps, ResponseSpec, RouteDefinition } from "./pipeline/route.ts";
import type { HttpCode } from "./pipeline/problem-codes.ts";

// The routes of holds, bookings, reservations and ticket orders; part of the table in routes.ts.

const VERSIONED = ["ETag", "Cache-Control"] as const;
const PLANNING: readonly HttpCode[] = [
  "invalid_date",
  "resource_not_found",
  "service_not_bookable",
  "variant_service_mismatch",
  "addon_not_linked",
  "staff_cannot_perform",
  "party_too_large",
  "slot_taken",
];
const HELD: readonly HttpCode[] = ["hold_expired", "hold_used"];
const GUEST_ACTION: readonly HttpCode[] = ["wrong_status", "cancellation_closed"];

const path = (rest: string): string => `/v1/businesses/:slug/${rest}`;

const ok = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description, body, headers: VERSIONED },
});
const readable = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  ...ok(description, body),
  304: {
    description: "Not modified: the ETag in If-None-Match still matches.",
    headers: VERSIONED,
  },
});
const listed = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description, body, headers: ["Cache-Control", "Link"] },
});
const created = (noun: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: {
    description: `With \`dryRun=true\`: the ${noun} as it would be.`,
    body,
    headers: VERSIONED,
  },
  201: { description: `The new ${noun}.`, body, headers: ["Location", ...VERSIONED] },
});

type Action = Pick<
  RouteDefinition,
  "operationId" | "summary" | "description" | "body" | "responses" | "problems"
> & {
  scope: "bookings.write" | "bookings.manage" | "tickets.write";
  needsIdempotencyKey?: boolean;
  handle: (deps: HandlerDeps) => KeyHandler;
};

const post = (group: RouteDefinition["group"], rest: string, action: Action): RouteDefinition => ({
  ...action,
  group,
  method: "POST",
  path: path(rest),
  query: WRITE_PARAMETERS,
});

type Noun = { one: string; many: string; Name: string; path: string };

/** The routes that bookings and reservations have in common. */
const visitRoutes = (
  noun: Noun,
  resource: typeof BOOKINGS | typeof RESERVATIONS,
  listHandler: (deps: HandlerDeps) => KeyHandler,
  listQuery: RouteDefinition["query"],
): RouteDefinition[] => {
  const { one, many, Name, path: base } = noun;
  const body = `${Name}Response` as SchemaName;
  const withCustomer = `${Name}WithCustomerResponse` as SchemaName;
  const handle = resource as typeof BOOKINGS;
  const managed = (name: string, operation: string, summary: string, description: string) =>
    post("Bookings", `${base}/:id/${name}`, {
      operationId: `${operation}${Name}`,
      scope: "bookings.manage",
      summary: `${summary} a ${one}`,
      description,
      body: { schema: emptyBody, isOptional: true },
      responses: ok(`The ${one}.`, body),
      problems: ["wrong_status"],
      handle: handleStateAction(
        handle,
        operation === "markNoShow" ? "noShow" : (name as "approve"),
      ),
    });
  return [
    {
      operationId: `list${Name}s`,
      group: "Bookings",
      method: "GET",
      path: path(base),
      scope: ["bookings.read", "bookings.write"],
      summary: `List ${many}`,
      description: `Sorted by start. A key without bookings.read lists the ${many} that it made. To follow changes, pass the newest \`updatedAt\` you have as \`updatedSince\`.`,
      ...(listQuery && { query: listQuery }),
      responses: listed(`One page of ${many}.`, `${Name}List` as SchemaName),
      handle: listHandler,
    },
    {
      operationId: `get${Name}`,
      group: "Bookings",
      method: "GET",
      path: path(`${base}/:id`),
      scope: ["bookings.read", "bookings.write"],
      summary: `Get a ${one}`,
      description: `With \`customer\`, if the key made the ${one} or has guests.read.`,
      responses: readable(`The ${one}.`, withCustomer),
      handle: handleGetVisit(handle),
    },
    {
      operationId: `update${Name}`,
      group: "Bookings",
      method: "PATCH",
      path: path(`${base}/:id`),
      scope: "bookings.write",
      summary: `Update the guest of a ${one}`,
      description:
        "A merge patch: omitted fields keep their value, and null erases. The response does not contain `customer`.",
      query: WRITE_PARAMETERS,
      body: { schema: visitUpdateBody },
      responses: ok(`The updated ${one}.`, body),
      problems: ["signing_unavailable"],
      handle: handleUpdateVisit(handle),
    },
    post("Bookings", `${base}/:id/cancel`, {
      operationId: `cancel${Name}`,
      scope: "bookings.write",
      summary: `Cancel a ${one}`,
      description: `Possible until \`cancelUntil\`; with bookings.manage also later. A ${one} that is cancelled already stays as it is, and no event is sent.`,
      body: { schema: reasonBody, isOptional: true },
      responses: ok(`The cancelled ${one}.`, body),
      problems: GUEST_ACTION,
      handle: handleStateAction(handle, "cancel"),
    }),
    managed("approve", "approve", "Approve", `Confirms a PENDING ${one}.`),
    managed("decline", "decline", "Decline", `Cancels a PENDING ${one}, with the reason DECLINED.`),
    managed("complete", "complete", "Complete", "The guest came. Possible once it has started."),
    managed(
      "no-show",
      "markNoShow",
      "Mark the no-show of",
      `The guest did not come. Possible once it has started; within 7 days, COMPLETED and NO_SHOW can be exchanged.`,
    ),
  ];
};

export const BOOKING_ROUTES: readonly RouteDefinition[] = [
  post("Bookings", "holds", {
    operationId: "createHold",
    scope: "bookings.write",
    needsIdempotencyKey: true,
    summary: "Hold a time or table",
    description:
      "Keeps a time for a few minutes while the guest enters their data. A booking made from it keeps its time and price. Send `segments` for a visit, or `partySize` for a table. A key can have 20 open holds and unpaid ticket orders together, and 3 open holds per staff member or table and day.",
    body: { schema: holdBody },
    responses: {
      200: {
        description: "With `dryRun=true`: the hold as it would be.",
        body: "HoldResponse",
        headers: ["Cache-Control"],
      },
      201: { description: "The new hold.", body: "HoldResponse", headers: ["Cache-Control"] },
    },
    problems: [...PLANNING, "too_many_holds"],
    handle: holds.handleCreateHold,
  }),
  {
    operationId: "deleteHold",
    group: "Bookings",
    method: "DELETE",
    path: path("holds/:id"),
    scope: "bookings.write",
    summary: "Release a hold",
    description: "Releasing a hold that is over changes nothing.",
    responses: { 204: { description: "Released." } },
    problems: ["hold_used"],
    handle: holds.handleReleaseHold,
  },
  post("Bookings", "bookings", {
    operationId: "createBooking",
    scope: "bookings.write",
    needsIdempotencyKey: true,
    summary: "Book a visit",
    description:
      "Send a `holdId`, or `startsAt` and `segments` with the fields of a slot of `/availability`. Where the business requires approval, the booking is PENDING and occupies its time. `totalCents` excludes promotions, deposits and payments.",
    body: { schema: bookingBody },
    responses: created("booking", "BookingResponse"),
    problems: [...PLANNING, ...HELD, "price_changed"],
    handle: bookings.handleCreateBooking,
  }),
  ...visitRoutes(
    { one: "booking", many: "bookings", Name: "Booking", path: "bookings" },
    BOOKINGS,
    lists.handleListBookings,
    lists.BOOKINGS_PARAMETERS,
  ),
  post("Bookings", "bookings/:id/reschedule", {
    operationId: "rescheduleBooking",
    scope: "bookings.write",
    summary: "Reschedule a booking",
    description:
      "Moves the whole visit; the old time becomes free in the same moment. Possible until `cancelUntil`; with bookings.manage also later.",
    body: { schema: rescheduleBookingBody },
    responses: ok("The rescheduled booking.", "BookingResponse"),
    problems: [...PLANNING, ...GUEST_ACTION],
    handle: bookings.handleRescheduleBooking,
  }),
  post("Bookings", "reservations", {
    operationId: "createReservation",
    scope: "bookings.write",
    needsIdempotencyKey: true,
    summary: "Reserve a table",
    description:
      "Send a `holdId`, or `startsAt` and `partySize`. The smallest free table is chosen.",
    body: { schema: reservationBody },
    responses: created("reservation", "ReservationResponse"),
    problems: [...PLANNING, ...HELD],
    handle: reservations.handleCreateReservation,
  }),
  ...visitRoutes(
    { one: "reservation", many: "reservations", Name: "Reservation", path: "reservations" },
    RESERVATIONS as unknown as typeof BOOKINGS,
    lists.handleListReservations,
    lists.RESERVATIONS_PARAMETERS,
  ),
  post("Bookings", "reservations/:id/reschedule", {
    operationId: "rescheduleReservation",
    scope: "bookings.write",
    summary: "Reschedule a reservation",
    description:
      "The table is chosen again. Possible until `cancelUntil`; with bookings.manage also later.",
    body: { schema: rescheduleReservationBody },
    responses: ok("The rescheduled reservation.", "ReservationResponse"),
    problems: [...PLANNING, ...GUEST_ACTION],
    handle: reservations.handleRescheduleReservation,
  }),
  post("Tickets", "ticket-orders", {
    operationId: "createTicketOrder",
    scope: "tickets.write",
    needsIdempotencyKey: true,
    summary: "Order tickets",
    description:
      "Holds the tickets for 15 minutes, in which the order must be confirmed. The unpaid orders of a key can hold 20 % of the tickets of a quota.",
    body: { schema: ticketOrderBody },
    responses: created("order", "TicketOrderResponse"),
    problems: ["resource_not_found", "price_changed", "too_many_holds"],
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
    query: lists.TICKET_ORDERS_PARAMETERS,
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
