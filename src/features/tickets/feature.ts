import type { Feature } from "../feature.ts";

/** Sells tickets of public events: orders, tickets and the check-in. */
export const tickets = {
  name: "tickets",
  commands: [
    {
      name: "ticket-orders",
      about: "Create, confirm, list, show and cancel ticket orders.",
      heading: "Visits and tickets",
      after: "time-off",
      load: () => import("./commands/ticket-orders.ts"),
    },
    {
      name: "tickets",
      about: "List tickets and check them in.",
      heading: "Visits and tickets",
      after: "time-off",
      load: () => import("./commands/tickets.ts"),
    },
  ],
  routes: () => import("./routes.ts"),
  schemas: [
    "TicketOrderWithCustomer",
    "OrderWithTickets",
    "TicketOrderResponse",
    "TicketOrderWithCustomerResponse",
    "TicketOrderList",
    "OrderWithTicketsResponse",
  ],
  openapi: () => import("./openapi.ts"),
  // The core treats ticket orders as a third kind of visit.
  visitNouns: { ticketOrders: "ticket order" },
  visits: () => import("./visits.ts"),
  schedule: () => import("./schedule.ts"),
  guestRecords: () => import("./guest-records.ts"),
  retention: () => import("./retention.ts"),
  completion: () => import("./commands/completion.ts"),
  idPrefixes: ["tor", "tck"],
  auditActions: [
    "ticket_order.created",
    "ticket_order.confirmed",
    "ticket_order.cancelled",
    "ticket_order.reissued",
    "ticket.checked_in",
  ],
} as const satisfies Feature;
