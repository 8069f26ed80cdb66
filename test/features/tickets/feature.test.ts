import { expect, test } from "vitest";
import { publishEventAvailability } from "../../../src/app/catalog/publish.ts";
import { maySubscribe, ALL_EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { cancelTicketOrder } from "../../../src/features/tickets/orders/change-order.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../src/features/tickets/orders/orders.ts";
import { expireTicketOrders } from "../../../src/features/tickets/orders/take-tickets.ts";
import { checkInTicket } from "../../../src/features/tickets/tickets.ts";
import { eventsOf, type EventRow } from "../../support/event-rows.ts";
import type { TestRuntime } from "../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const event = (key: string, more = "") =>
  `{key: ${key}, name: ${key}, startsAt: 2026-12-01T19:00, durationMin: 60, ticketTypes: [{key: adult, name: Adult, price: 20.00}]${more}}`;
const CATALOG = `events: [${event("jazz")}, ${event("folk", ", quotas: [{key: hall, size: 100}]")}]\n`;

const orderFor = (rt: TestRuntime, key: string): string =>
  createTicketOrder(rt, SLUG, { event: key, items: ["adult"] }).id;
const order = (rt: TestRuntime): string => orderFor(rt, "jazz");
const ticket = (rt: TestRuntime): string =>
  confirmTicketOrder(rt, SLUG, order(rt)).tickets[0]?.id ?? "";
const expire = (rt: TestRuntime): void => {
  rt.advance(16 * 60_000);
  expireTicketOrders(rt);
};

const ROWS: EventRow[] = [
  [
    "event_availability.updated",
    "a sale of limited tickets",
    (rt) => (orderFor(rt, "folk"), publishEventAvailability(rt)),
    ["ticket_order.created", "event_availability.updated"],
  ],
  ["ticket_order.created", "an order", order, ["ticket_order.created"]],
  [
    "ticket_order.confirmed",
    "its confirmation",
    (rt, id) => confirmTicketOrder(rt, SLUG, id),
    ["ticket_order.confirmed"],
    order,
  ],
  [
    "ticket_order.cancelled",
    "its cancellation",
    (rt, id) => cancelTicketOrder(rt, SLUG, id),
    ["ticket_order.cancelled"],
    order,
  ],
  ["ticket_order.cancelled", "its expiry", expire, ["ticket_order.cancelled"], order],
  [
    "ticket.checked_in",
    "a guest let in",
    (rt, id) => checkInTicket(rt, SLUG, id),
    ["ticket.checked_in"],
    ticket,
  ],
];

test.each(ROWS)("the event type %s is caused by %s", (...row) => {
  expect(eventsOf(CATALOG, row)).toEqual(row[3]);
});

test("each event type of tickets has a test of its cause", () => {
  const types = ALL_EVENT_TYPES.filter((type) => maySubscribe({ eventGroups: ["tickets"] }, type));
  expect(ROWS.map(([name]) => name)).toEqual(expect.arrayContaining(types));
});
