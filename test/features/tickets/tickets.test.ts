import { expect, test } from "vitest";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../src/features/tickets/orders/orders.ts";
import { cancelTicketOrder } from "../../../src/features/tickets/orders/change-order.ts";
import { checkInTicket } from "../../../src/features/tickets/tickets.ts";
import { createOrderStore, createTicketStore } from "../../../src/features/tickets/store.ts";
import {
  applyCatalogBody,
  recordEvents,
  captureError,
  eventTypesOf,
} from "../../support/use-case.ts";
import { addBusiness } from "../../support/delivery.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const EVENTS = `
events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: 2026-12-01T19:00
    durationMin: 180
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }]
`;

/** Creates a confirmed order with two tickets. */
function soldOrder() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS);
  const { id } = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat*2"] });
  const { tickets } = confirmTicketOrder(rt, SLUG, id);
  const [first, second] = tickets as [(typeof tickets)[0], (typeof tickets)[0]];
  return { rt, orderId: id, first, second };
}

test("a check-in accepts the code in any spelling and writes an event without the code", () => {
  const { rt, first, second } = soldOrder();
  expect(first.admissionCode).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(first.admissionCode).not.toBe(second.admissionCode);
  const { admissionCode, ...ticket } = first;
  const events = recordEvents(rt, () =>
    checkInTicket(rt, SLUG, admissionCode.toLowerCase().replaceAll("-", "").replaceAll("0", "o")),
  );
  const object = {
    ...ticket,
    status: "CHECKED_IN",
    checkedInAt: "2026-11-20T07:00:00-05:00",
    version: 2,
  };
  expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: "ticket.checked_in",
      data: {
        resource: { type: "ticket", id: ticket.id, ids: [ticket.id] },
        action: "checked_in",
        changed: { checkIn: true },
        object,
      },
    },
  ]);
});

test("the version of an order and of each of its tickets counts their changes", () => {
  const { rt, orderId, first, second } = soldOrder();
  const businessId = rt.store.businesses.findBySlug(SLUG)!.id;
  const stored = () => ({
    order: rt.openStore(createOrderStore).findByIdOrCode(businessId, orderId, "")?.version,
    tickets: rt
      .openStore(createTicketStore)
      .list({ businessId, orderId }, 10)
      .map(({ version }) => version)
      .toSorted(),
  });
  expect(first.version).toBe(1);
  expect(stored()).toEqual({ order: 2, tickets: [1, 1] });
  expect(checkInTicket(rt, SLUG, first.id).version).toBe(2);
  expect(stored()).toEqual({ order: 2, tickets: [1, 2] });
  expect(captureError(() => cancelTicketOrder(rt, SLUG, orderId))).toMatch(/^wrong_status/);
  expect(checkInTicket(rt, SLUG, second.id).version).toBe(2);
  expect(stored()).toEqual({ order: 2, tickets: [2, 2] });

  const other = confirmTicketOrder(
    rt,
    SLUG,
    createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] }).id,
  );
  expect(cancelTicketOrder(rt, SLUG, other.order.id).version).toBe(3);
  const [voided] = rt.openStore(createTicketStore).list({ businessId, orderId: other.order.id }, 1);
  expect(voided).toMatchObject({ status: "VOID", version: 2 });
});

test("a ticket can be checked in by its ID", () => {
  const { rt, first } = soldOrder();
  expect(checkInTicket(rt, SLUG, first.id)).toMatchObject({ id: first.id, status: "CHECKED_IN" });
});

test("neither the events nor the database rows of a ticket contain the ticket's admission code", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS);
  const codes: string[] = [];
  const events = recordEvents(rt, () => {
    const { id } = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
    codes.push(
      ...confirmTicketOrder(rt, SLUG, id).tickets.map(({ admissionCode }) => admissionCode),
    );
    checkInTicket(rt, SLUG, codes[0]!);
  });
  expect(eventTypesOf(events)).toEqual([
    "ticket_order.created",
    "ticket_order.confirmed",
    "ticket.checked_in",
  ]);
  const rows = rt
    .openStore(createTicketStore)
    .list({ businessId: rt.store.businesses.findBySlug(SLUG)!.id }, 10);
  expect(JSON.stringify([events, rows])).not.toContain(codes[0]);
});

test.each<
  [
    name: string,
    act: (order: ReturnType<typeof soldOrder>) => [TestRuntime, string],
    message: RegExp,
  ]
>([
  [
    "a second time",
    ({ rt, first }) => {
      checkInTicket(rt, SLUG, first.admissionCode);
      rt.advance(60_000);
      return [rt, first.admissionCode];
    },
    /^conflict: Ticket tck_\w+ was checked in at 2026-11-20T07:00:00-05:00\.$/,
  ],
  [
    "if the order was cancelled",
    ({ rt, first, orderId }) => {
      cancelTicketOrder(rt, SLUG, orderId);
      return [rt, first.admissionCode];
    },
    /^conflict: Ticket tck_\w+ is void: its order was cancelled\.$/,
  ],
  [
    "with a code that was never issued",
    ({ rt }) => [rt, "0000-0000-0000-0000"],
    /^resource_not_found: /,
  ],
  ["with an empty code", ({ rt }) => [rt, ""], /^resource_not_found: /],
])("a check-in fails %s, and writes no event", (_name, act, message) => {
  const [rt, code] = act(soldOrder());
  const events = recordEvents(rt, () =>
    expect(captureError(() => checkInTicket(rt, SLUG, code))).toMatch(message),
  );
  expect(events).toEqual([]);
});

test("a ticket is valid only for its own business", () => {
  const { rt, first } = soldOrder();
  addBusiness(rt, "bar-nova");
  for (const name of [first.id, first.admissionCode])
    expect(captureError(() => checkInTicket(rt, "bar-nova", name))).toMatch(
      /^resource_not_found: /,
    );
});

test("an order with a checked-in ticket cannot be cancelled", () => {
  const { rt, first, orderId } = soldOrder();
  checkInTicket(rt, SLUG, first.id);
  const events = recordEvents(rt, () =>
    expect(captureError(() => cancelTicketOrder(rt, SLUG, orderId))).toMatch(
      /cannot be cancelled: one of its tickets has been checked in\.$/,
    ),
  );
  expect(events).toEqual([]);
});
