import { describe, expect, test } from "vitest";
import { applyCatalog, type ApplyOptions } from "../../../src/app/catalog/catalog.ts";
import { loadCancelAffected } from "../../../src/app/catalog/changes/affected-visits.ts";
import { cancelPublicEvent, postponePublicEvent } from "../../../src/app/catalog/public-events.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { getTicketOrder } from "../../../src/features/tickets/orders/change-order.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../src/features/tickets/orders/orders.ts";
import { expireTicketOrders } from "../../../src/features/tickets/orders/take-tickets.ts";
import { CATALOG_HEADER } from "../../support/catalog-file.ts";
import { dryRun } from "../../support/dry-run.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import {
  captureError,
  eventTypesOf,
  recordEvents,
  applyCatalogBody,
} from "../../support/use-case.ts";
import { findCustomer, saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { askOtherVisits } from "../../../src/app/bookings/other-visits.ts";
import { eraseExpiredGuests, eraseForGood } from "../../../src/app/guests/erase-visits.ts";

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
  ])(
    "a catalog change that deletes %s with sold tickets is refused, and the error names the order",
    (_what, body) => {
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
    },
  );

  test("--cancel-affected cancels the orders whose tickets a change deletes, and notifies partners", async () => {
    const { rt, status } = openSold();
    const cancelAffected = await loadCancelAffected();
    const deletion = () => apply(rt, "events: []", { prune: true, cancelAffected });
    const planned = dryRun(rt, deletion);
    let result = planned;
    const types = eventTypesOf(recordEvents(rt, () => (result = deletion())));
    expect(types).toEqual(expect.arrayContaining(["ticket_order.cancelled"]));
    for (const { events } of [planned, result])
      expect(events.map(({ type }) => type)).toEqual(types);
    expect(status()).toBe("CANCELLED");
  });

  test("a public event with sold tickets may be cancelled, and may be deleted once it is over", () => {
    const { rt } = openSold();
    const cancelled = FILE.replace("status: PUBLISHED", "status: CANCELLED");
    expect(apply(rt, cancelled, { prune: true }).affected["ticketOrders"]).toEqual([]);
    rt.advance(30 * 86_400_000);
    expect(apply(rt, "events: []", { prune: true }).affected["ticketOrders"]).toEqual([]);
  });

  test("a postponed event with sold tickets cannot be deleted after its old end", () => {
    const { rt, order } = openSold();
    postponePublicEvent(rt, SLUG, "gala", null);
    rt.advance(30 * 86_400_000);
    const deletion = () => apply(rt, "events: []", { prune: true });
    expect(dryRun(rt, deletion).affected["ticketOrders"]).toEqual([order.id]);
    expect(captureError(deletion)).toMatch(/^state_refuses: .* 1 ticket order/);
  });

  test("a pending ticket order prevents the deletion of its event until it expires", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    const order = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
    const deletion = () => apply(rt, "events: []", { prune: true });
    expect(dryRun(rt, deletion).affected["ticketOrders"]).toEqual([order.id]);
    rt.advance(15 * 60_000);
    const status = () => getTicketOrder(rt, businessId(SLUG), order.id).status;
    // The order has expired, although no daemon has marked it so.
    expect(status()).toBe("PENDING");
    expect(deletion().affected["ticketOrders"]).toEqual([]);
    expireTicketOrders(rt);
    expect(status()).toBe("EXPIRED");
  });
});

test.each([
  ["an event", "status: PUBLISHED", "status: DRAFT"],
  ["a ticket type", "name: Seat,", "name: Seat, status: INACTIVE,"],
  ["a ticket type for good", "name: Seat,", "name: Seat, status: ARCHIVED,"],
])("a change that withdraws %s from sale names its orders, which stay", (_what, from, to) => {
  const { rt, order, status } = openSold();
  const { affected, withdrawn } = apply(rt, FILE.replace(from, to));
  expect(affected["ticketOrders"]).toEqual([]);
  expect(withdrawn).toEqual([order.id]);
  expect(status()).toBe("CONFIRMED");
  // Each order is named once, when its tickets are withdrawn.
  expect(apply(rt, FILE.replace(from, to).replace("Gala,", "Ball,")).withdrawn).toEqual([]);
});

test("a postponed or cancelled public event keeps its orders, which the result lists", () => {
  const { rt, order, status } = openSold();
  const startsAt = Date.parse("2026-12-08T19:00:00Z");
  expect(postponePublicEvent(rt, SLUG, "gala", startsAt).orders).toEqual([order.id]);
  expect(cancelPublicEvent(rt, SLUG, "gala").orders).toEqual([order.id]);
  expect(status()).toBe("CONFIRMED");
});

const ANA = { name: "Ana", email: "ana@example.com", phone: null, notes: null };
const customerRef = "ref-of-ana-4711";

function openSoldToAna() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, FILE);
  const { id } = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"], customerRef });
  rt.tx(() => saveCustomer(rt, getBusiness(rt, SLUG).id, id, ANA));
  const isKeptAt = async (time: string): Promise<boolean> => {
    rt.advance(Date.parse(time) - rt.now());
    await eraseExpiredGuests(rt);
    return findCustomer(rt, id) !== null;
  };
  return { rt, id, business: getBusiness(rt, SLUG), isKeptAt };
}

test("an export of guest data describes a ticket order as the API does", () => {
  const { rt, id, business } = openSoldToAna();
  expect(askOtherVisits(({ describe }) => describe(rt, business, id))).toMatchObject({
    type: "ticket_order",
    object: { id, customerRef, items: [{ quantity: 1 }] },
  });
});

test("erasing the guest of a ticket order removes the data and the reference, even from events", () => {
  const { rt, id, business } = openSoldToAna();
  eraseForGood(rt, [id]);
  expect(findCustomer(rt, id)).toBeNull();
  expect(getTicketOrder(rt, business.id, id)).toMatchObject({ customerRef: null, version: 2 });
  for (const { body } of rt.store.events.listByVisit(id))
    expect(JSON.parse(body.toString())).toMatchObject({
      data: { object: { id, customerRef: null } },
    });
});

test("guest data of a ticket order is erased `guestRetentionDays` after the event", async () => {
  const { isKeptAt } = openSoldToAna();
  // The time is 90 days after the end at 22:00 in New York.
  expect(await isKeptAt("2027-03-02T03:00:00Z")).toBe(true);
  expect(await isKeptAt("2027-03-02T03:00:01Z")).toBe(false);
});

describe("an event that is postponed to an open date", () => {
  function openPostponed() {
    const sold = openSoldToAna();
    postponePublicEvent(sold.rt, SLUG, "gala", null);
    return sold;
  }

  test("guest data of an event without a date are kept until the event is cancelled", async () => {
    const { rt, isKeptAt } = openPostponed();
    expect(await isKeptAt("2028-11-01T03:00:00Z")).toBe(true);
    cancelPublicEvent(rt, SLUG, "gala");
    expect(await isKeptAt("2028-11-01T03:00:00Z")).toBe(false);
  });

  test("guest data of an event that never gets a new date are kept for two years longer than those of other events", async () => {
    const { isKeptAt } = openPostponed();
    expect(await isKeptAt("2029-03-01T03:00:00Z")).toBe(true);
    expect(await isKeptAt("2029-03-01T03:00:01Z")).toBe(false);
  });
});
