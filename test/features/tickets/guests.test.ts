import { expect, test } from "vitest";
import { findCustomer, saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { askOtherVisits } from "../../../src/app/bookings/other-visits.ts";
import { eraseExpiredGuests, eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import { getTicketOrder } from "../../../src/features/tickets/change-order.ts";
import { createTicketOrder } from "../../../src/features/tickets/orders.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const CATALOG = `events:
  - { key: gala, name: Gala, startsAt: 2026-12-01T19:00, durationMin: 60, status: PUBLISHED, ticketTypes: [{ key: seat, name: Seat, price: 9.00 }] }
`;
const ANA = { name: "Ana", email: "ana@example.com", phone: null, notes: null };
const customerRef = "ref-of-ana-4711";

function openSold() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const { id } = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"], customerRef });
  rt.tx(() => saveCustomer(rt, getBusiness(rt, SLUG).id, id, ANA));
  return { rt, id, business: getBusiness(rt, SLUG) };
}

test("an export of guest data describes an order as the API does", () => {
  const { rt, id, business } = openSold();
  expect(askOtherVisits(({ describe }) => describe(rt, business, id))).toMatchObject({
    type: "ticket_order",
    object: { id, customerRef, items: [{ quantity: 1 }] },
  });
});

test("erasing the guest of an order removes the data and the reference, also from events", () => {
  const { rt, id, business } = openSold();
  eraseForGood(rt, [id]);
  expect(findCustomer(rt, id)).toBeNull();
  expect(getTicketOrder(rt, business.id, id)).toMatchObject({ customerRef: null, version: 2 });
  for (const { body } of rt.store.events.listByVisit(id))
    expect(JSON.parse(body.toString())).toMatchObject({
      data: { object: { id, customerRef: null } },
    });
});

test("guest data is erased `guestRetentionDays` after the end of the event", async () => {
  const { rt, id } = openSold();
  const isKeptAt = async (time: string) => {
    rt.advance(Date.parse(time) - rt.now());
    await eraseExpiredGuests(rt);
    return findCustomer(rt, id) !== null;
  };
  // 90 days after the end at 20:00 in New York.
  expect(await isKeptAt("2027-03-02T01:00:00Z")).toBe(true);
  expect(await isKeptAt("2027-03-02T01:00:01Z")).toBe(false);
});
