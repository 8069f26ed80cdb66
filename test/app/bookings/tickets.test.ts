import { expect, test } from "vitest";
import {
  cancelTicketOrder,
  confirmTicketOrder,
  createTicketOrder,
} from "../../../src/app/bookings/ticket-orders.ts";
import { checkInTicket } from "../../../src/app/bookings/tickets.ts";
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

/** Two tickets of a confirmed order. */
function sold() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS);
  const { id } = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat*2"] });
  const { tickets } = confirmTicketOrder(rt, SLUG, id);
  const [first, second] = tickets as [(typeof tickets)[0], (typeof tickets)[0]];
  return { rt, orderId: id, first, second };
}

test("a ticket's code admits its holder, however it is typed, and partners are told of the ticket without its code", () => {
  const { rt, first, second } = sold();
  expect(first.admissionCode).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(first.admissionCode).not.toBe(second.admissionCode);
  const { admissionCode, ...ticket } = first;
  const events = recordEvents(rt, () =>
    checkInTicket(rt, SLUG, admissionCode.toLowerCase().replaceAll("-", "").replaceAll("0", "o")),
  );
  const object = { ...ticket, status: "CHECKED_IN", checkedInAt: "2026-11-20T07:00:00-05:00" };
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

test("whoever has lost the code is let in by the ticket's id", () => {
  const { rt, first } = sold();
  expect(checkInTicket(rt, SLUG, first.id)).toMatchObject({ id: first.id, status: "CHECKED_IN" });
});

test("the code is in no event and in no row", () => {
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
  const rows = rt.store.tickets.list({ businessId: rt.store.businesses.findBySlug(SLUG)!.id }, 10);
  expect(JSON.stringify([events, rows])).not.toContain(codes[0]);
});

test.each<
  [name: string, act: (sale: ReturnType<typeof sold>) => [TestRuntime, string], refusal: RegExp]
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
    "when its order was cancelled",
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
  ["with nothing", ({ rt }) => [rt, ""], /^resource_not_found: /],
])("nobody is let in %s, and nobody is told", (_name, act, refusal) => {
  const [rt, code] = act(sold());
  const events = recordEvents(rt, () =>
    expect(captureError(() => checkInTicket(rt, SLUG, code))).toMatch(refusal),
  );
  expect(events).toEqual([]);
});

test("a ticket admits to its own business alone", () => {
  const { rt, first } = sold();
  addBusiness(rt, "bar-nova");
  for (const name of [first.id, first.admissionCode])
    expect(captureError(() => checkInTicket(rt, "bar-nova", name))).toMatch(
      /^resource_not_found: /,
    );
});

test("an order whose guest has come in is not cancelled", () => {
  const { rt, first, orderId } = sold();
  checkInTicket(rt, SLUG, first.id);
  const events = recordEvents(rt, () =>
    expect(captureError(() => cancelTicketOrder(rt, SLUG, orderId))).toMatch(
      /cannot be cancelled: one of its tickets has been checked in\.$/,
    ),
  );
  expect(events).toEqual([]);
});
