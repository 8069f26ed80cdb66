import { expect, test } from "vitest";
import { postponePublicEvent } from "../../../../src/app/catalog/public-events.ts";
import { cancelMany } from "../../../../src/app/bookings/operator-changes.ts";
import { CANCELLABLE_ORDERS } from "../../../../src/features/tickets/orders/cancel-orders.ts";
import { createTicketOrder } from "../../../../src/features/tickets/orders/orders.ts";
import { createOrderStore } from "../../../../src/features/tickets/store.ts";
import { applyCatalogBody } from "../../../support/use-case.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const EVENTS = `
events:
  - { key: early, name: Early, startsAt: 2026-11-21T19:00, durationMin: 60, status: PUBLISHED, ticketTypes: [{ key: any, name: Any, kind: FREE }] }
  - { key: late, name: Late, startsAt: 2026-12-01T19:00, durationMin: 60, status: PUBLISHED, ticketTypes: [{ key: any, name: Any, kind: FREE }] }
`;

test("an upcoming ticket order is cancelled although a thousand orders of a past event are listed before it", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS);
  const { id: businessId } = rt.store.businesses.findBySlug(SLUG)!;
  const { id } = createTicketOrder(rt, SLUG, { event: "early", items: ["any"] });
  const past = rt.openStore(createOrderStore).findByIdOrCode(businessId, id, "")!;
  const made = { keyId: "key_1", createdSince: rt.now() };
  rt.tx(() => {
    for (let i = 0; i < 1000; i += 1)
      rt.openStore(createOrderStore).insert(businessId, {
        ...past,
        id: rt.newId("tor"),
        code: `PAST-${i}`,
        createdByKey: made.keyId,
        status: "CONFIRMED",
      });
  });
  const { id: late } = createTicketOrder(rt, SLUG, { event: "late", items: ["any"] });
  const row = rt.openStore(createOrderStore).findByIdOrCode(businessId, late, "")!;
  const upcoming = rt.newId("tor");
  rt.tx(() =>
    rt.openStore(createOrderStore).insert(businessId, {
      ...row,
      id: upcoming,
      code: "LATE-1",
      createdByKey: made.keyId,
      status: "CONFIRMED",
    }),
  );
  rt.advance(2 * 86_400_000);
  expect(cancelMany(rt, CANCELLABLE_ORDERS, SLUG, made, null)).toMatchObject([{ id: upcoming }]);
});

test("a ticket order of a postponed event is cancelled with its key's other orders even after the old start", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS);
  const { id: businessId } = rt.store.businesses.findBySlug(SLUG)!;
  const { id } = createTicketOrder(rt, SLUG, { event: "late", items: ["any"] });
  const row = rt.openStore(createOrderStore).findByIdOrCode(businessId, id, "")!;
  const order = rt.newId("tor");
  const made = { keyId: "key_1", createdSince: rt.now() };
  const copy = { ...row, id: order, code: "LATE-1", createdByKey: made.keyId };
  rt.tx(() => rt.openStore(createOrderStore).insert(businessId, { ...copy, status: "CONFIRMED" }));
  postponePublicEvent(rt, SLUG, "late", null);
  rt.advance(30 * 86_400_000);
  expect(cancelMany(rt, CANCELLABLE_ORDERS, SLUG, made, null)).toMatchObject([{ id: order }]);
});
