import { describe, expect, test } from "vitest";
import { applyCatalog, type ApplyOptions } from "../../../src/app/catalog/catalog.ts";
import { loadCancelAffected } from "../../../src/app/catalog/affected-visits.ts";
import { cancelPublicEvent, postponePublicEvent } from "../../../src/app/catalog/public-events.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { getTicketOrder } from "../../../src/features/tickets/change-order.ts";
import { confirmTicketOrder, createTicketOrder } from "../../../src/features/tickets/orders.ts";
import { expireTicketOrders } from "../../../src/features/tickets/take-tickets.ts";
import { CATALOG_HEADER } from "../../support/catalog-file.ts";
import { dryRun } from "../../support/dry-run.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { captureError, eventTypesOf, recordEvents } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const FILE = `
events: [{ key: gala, name: Gala, slug: gala, startsAt: 2026-12-01T19:00, durationMin: 180,
  status: PUBLISHED, ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 },
  { key: stand, name: Standing, kind: PAID, price: 10.00 }] }]
`;

const apply = (rt: TestRuntime, body: string, options: ApplyOptions = {}) =>
  applyCatalog(rt, [{ name: "catalog.yaml", text: CATALOG_HEADER + body }], {
    allowMassDelete: true,
    ...options,
  });

function openSold() {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const order = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
  confirmTicketOrder(rt, SLUG, order.id);
  const status = () => getTicketOrder(rt, businessId(SLUG), order.id).status;
  return { rt, order, status };
}

describe("a change that deletes what tickets are sold for", () => {
  test.each([
    ["a public event", "events: []"],
    ["a ticket type", FILE.replace("{ key: seat, name: Seat, kind: PAID, price: 25.00 },", "")],
  ])("a change that deletes what is sold is refused and names the order: %s", (_what, body) => {
    const { rt, order } = openSold();
    const planned = dryRun(rt, () => apply(rt, body, { prune: true }));
    expect(planned.affected).toEqual({
      bookings: [],
      reservations: [],
      ticketOrders: [order.id],
    });
    expect(planned.deletedVisits).toMatchObject([{ id: order.id, shortId: order.code }]);
    expect(captureError(() => apply(rt, body, { prune: true }))).toContain(
      `state_refuses: This would delete objects of the catalog that are booked: 1 ticket order: 2026-12-01 19:00 · Gala · ${order.code}. Nothing was changed.`,
    );
  });

  test("a change that deletes what is sold is carried out with --cancel-affected, which notifies partners", async () => {
    const { rt, status } = openSold();
    const cancelAffected = await loadCancelAffected();
    const events = recordEvents(rt, () => {
      apply(rt, "events: []", { prune: true, cancelAffected });
    });
    expect(eventTypesOf(events)).toEqual(expect.arrayContaining(["ticket_order.cancelled"]));
    expect(status()).toBe("CANCELLED");
  });

  test("a change is allowed if the event stays with another status, or is over", () => {
    const { rt } = openSold();
    const cancelled = FILE.replace("status: PUBLISHED", "status: CANCELLED");
    expect(apply(rt, cancelled, { prune: true }).affected["ticketOrders"]).toEqual([]);
    rt.advance(30 * 86_400_000);
    expect(apply(rt, "events: []", { prune: true }).affected["ticketOrders"]).toEqual([]);
  });

  test("an order that has expired unpaid does not prevent the deletion of its event", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    const order = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
    rt.advance(15 * 60_000);
    const status = () => getTicketOrder(rt, businessId(SLUG), order.id).status;
    // No daemon has marked it as expired yet.
    expect(status()).toBe("PENDING");
    expect(apply(rt, "events: []", { prune: true }).affected["ticketOrders"]).toEqual([]);
    expireTicketOrders(rt);
    expect(status()).toBe("EXPIRED");
  });
});

test("the orders of an event that is postponed or cancelled stay and are named", () => {
  const { rt, order, status } = openSold();
  const startsAt = Date.parse("2026-12-08T19:00:00Z");
  expect(postponePublicEvent(rt, SLUG, "gala", startsAt).orders).toEqual([order.id]);
  expect(cancelPublicEvent(rt, SLUG, "gala").orders).toEqual([order.id]);
  expect(status()).toBe("CONFIRMED");
});
