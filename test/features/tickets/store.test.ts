import { expect, test } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { cancelTicketOrder } from "../../../src/features/tickets/orders/change-order.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../src/features/tickets/orders/orders.ts";
import { createOrderStore, createTicketStore } from "../../../src/features/tickets/store.ts";
import { checkInTicket } from "../../../src/features/tickets/tickets.ts";
import { findSteps, SCAN, SCAN_OR_SORT } from "../../support/query-plans.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const CATALOG = `
events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: 2026-11-24T19:00
    durationMin: 180
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }]
`;

function sell(rt: TestRuntime): void {
  const order = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
  const { tickets } = confirmTicketOrder(rt, SLUG, order.code);
  checkInTicket(rt, SLUG, tickets[0]?.admissionCode ?? "");
  const other = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
  cancelTicketOrder(rt, SLUG, other.id);
}

function list(rt: TestRuntime): void {
  const { id: businessId } = getBusiness(rt, SLUG);
  const before = "zzz";
  const [orders, tickets] = [rt.openStore(createOrderStore), rt.openStore(createTicketStore)];
  for (const eventId of [undefined, "evt_1"]) {
    orders.list({ businessId, eventId, before }, 10);
    tickets.list({ businessId, eventId, before }, 10);
  }
  orders.list({ businessId, status: "PENDING", before }, 10);
  tickets.list({ businessId, orderId: "tor_1" }, 10);
  const after = { at: 0, id: "" };
  for (const createdByKey of [undefined, "key_1"])
    for (const updatedSince of [undefined, 1])
      orders.listPage({ businessId, createdByKey, updatedSince, after, status: "CONFIRMED" }, 10);
}

test.each([
  ["a sale", sell, SCAN],
  ["a list", list, SCAN_OR_SORT],
])("%s of tickets scans no table that grows with every ticket", async (_name, run, refused) => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  expect(await findSteps(rt, () => run(rt), refused)).toEqual([]);
});
