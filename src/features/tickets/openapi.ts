import { z } from "zod";
import { includedCustomer, ticket, ticketOrder } from "../../domain/public/schemas/bookings.ts";
import type { OpenApiPart } from "../../http/openapi/openapi-part.ts";
import { pageOf, response } from "../../http/openapi/schemas.ts";
import type { PublicTicket, PublicTicketOrder } from "./rules.ts";

const ticketOrderWithCustomer = ticketOrder.extend({ customer: includedCustomer });

const orderWithTickets = ticketOrder.extend({
  tickets: z.array(
    ticket.extend({
      admissionCode: z
        .string()
        .describe("Code that admits its holder; only in the response that issues it"),
    }),
  ),
});

const schemas = {
  TicketOrderWithCustomer: ticketOrderWithCustomer,
  OrderWithTickets: orderWithTickets,
  TicketOrderResponse: response(ticketOrder),
  TicketOrderWithCustomerResponse: response(ticketOrderWithCustomer),
  TicketOrderList: pageOf(ticketOrderWithCustomer),
  OrderWithTicketsResponse: response(orderWithTickets),
};

const examples: OpenApiPart["examples"] = ({ objectOf, pageOf, customer }) => {
  const order = objectOf("ticket_order.created") as PublicTicketOrder;
  const ticket = objectOf("ticket.checked_in") as PublicTicket;
  const issued = { ...order, status: "CONFIRMED", expiresAt: null, version: 2 };
  const tickets = [
    { ...ticket, status: "VALID", checkedInAt: null, admissionCode: "7K3M-9QXF-0C4T-VN2W" },
  ];
  return {
    createTicketOrder: {
      eventId: order.eventId,
      items: order.items.map(({ ticketTypeId, quantity }) => ({ ticketTypeId, quantity })),
      expectedTotalCents: order.totalCents,
    },
    confirmTicketOrder: { paymentRef: "pi_3Q" },
    cancelTicketOrder: { reason: "paid twice" },
    reissueTickets: {},
    TicketOrderResponse: { data: order },
    TicketOrderWithCustomerResponse: { data: { ...order, customer } },
    TicketOrderList: pageOf(order),
    OrderWithTicketsResponse: { data: { ...issued, tickets } },
  };
};

export const openapi: readonly OpenApiPart[] = [{ schemas, examples }];
