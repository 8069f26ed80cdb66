import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { publishEventAvailability } from "../../../../src/app/catalog/publish.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../../src/features/tickets/orders/orders.ts";
import { cancelTicketOrder } from "../../../../src/features/tickets/orders/change-order.ts";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { createPruner } from "../../../../src/app/operations/retention.ts";
import { openRuntime } from "../../../../src/app/runtime.ts";
import type { PublicEvent } from "../../../../src/domain/public/public-event.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";
import { applyCatalogBody, eventTypesOf, recordEvents } from "../../../support/use-case.ts";

const SLUG = "salon-aurora";
const UPDATED = "event_availability.updated";
const SECOND_MS = 1000;

const EVENTS = `
events:
  - key: gala
    name: Gala
    startsAt: 2026-12-01T19:00
    durationMin: 180
    ticketTypes: [{ key: seat, name: Seat, price: 25.00, maxPerOrder: 90, showRemaining: true }]
    quotas: [{ key: hall, size: 100 }]
  - key: ball
    name: Ball
    startsAt: 2026-12-02T19:00
    durationMin: 180
    ticketTypes: [{ key: seat, name: Seat, price: 25.00, showRemaining: false }]
    quotas: [{ key: hall, size: 100 }]
  - key: show
    name: Show
    startsAt: 2026-12-03T19:00
    durationMin: 180
    ticketTypes:
      - { key: seat, name: Seat, price: 25.00, showRemaining: false }
      - { key: stand, name: Standing, price: 10.00, showRemaining: true }
    quotas:
      - { key: seats, size: 100, ticketTypes: [seat] }
      - { key: floor, size: 100, ticketTypes: [stand] }
`;

function openVenue(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS);
  return rt;
}

const sell = (rt: TestRuntime, count = 1, event = "gala") =>
  createTicketOrder(rt, SLUG, { event, items: [`seat*${count}`] }).id;

/**
 * Publishes what is due.
 * @returns the tickets left, for each event that was sent
 */
const publish = (rt: TestRuntime): (number | null)[] =>
  recordEvents(rt, () => publishEventAvailability(rt)).map(({ type, data }) => {
    expect(type).toBe(UPDATED);
    return (data.object as PublicEvent).availability.remaining;
  });

test("a ticket sale sends event_availability.updated without a new version of object or catalog", () => {
  const rt = openVenue();
  const before = getBusiness(rt, SLUG);
  sell(rt, 2);
  const [sent] = recordEvents(rt, () => publishEventAvailability(rt));
  const { resource, action, changed, object } = sent!.data;
  expect([resource.type, resource.ids, action]).toEqual(["event", [resource.id], "updated"]);
  expect(Object.entries(changed).filter(([, isSet]) => isSet)).toEqual([["availability", true]]);
  expect(object).toMatchObject({
    id: resource.id,
    availability: { state: "ON_SALE", remaining: 98 },
    ticketTypes: [{ availability: { state: "ON_SALE", remaining: 98 } }],
    version: 1,
  });
  expect(getBusiness(rt, SLUG).catalogVersion).toBe(before.catalogVersion);
});

test("changes of an event's availability are sent at most every ten seconds, and the last change is always sent", () => {
  const rt = openVenue();
  sell(rt);
  expect(publish(rt)).toEqual([99]);
  for (let second = 1; second < 10; second++) {
    rt.advance(SECOND_MS);
    sell(rt);
    expect(publish(rt)).toEqual([]);
  }
  rt.advance(SECOND_MS);
  expect(publish(rt)).toEqual([90]);
  rt.advance(60 * SECOND_MS);
  expect(publish(rt)).toEqual([]);
});

test("the availability that a ticket sale changed is sent after a restart if it was not sent before", () => {
  const rt = openVenue();
  sell(rt);
  publish(rt);
  sell(rt);
  rt.advance(3600 * SECOND_MS);
  const restarted = openRuntime(rt.config, 1000, { now: rt.now });
  publishEventAvailability(restarted);
  restarted.close();
  expect(rt.store.events.list({ type: UPDATED }, 10)).toHaveLength(2);
});

test("a clock that is set back does not delay the next change of availability", () => {
  const rt = openVenue();
  sell(rt);
  publish(rt);
  sell(rt);
  rt.shiftClock(-3600 * SECOND_MS);
  expect(publish(rt)).toEqual([98]);
});

test("the cancellation of a ticket order sends the availability, and its confirmation does not", () => {
  const rt = openVenue();
  const [kept, cancelled] = [sell(rt), sell(rt)];
  publish(rt);
  rt.advance(10 * SECOND_MS);
  confirmTicketOrder(rt, SLUG, kept);
  expect(publish(rt)).toEqual([]);
  cancelTicketOrder(rt, SLUG, cancelled);
  expect(publish(rt)).toEqual([99]);
});

test("a changed sale state sends event.updated immediately, and then the availability", () => {
  const rt = openVenue();
  expect(eventTypesOf(recordEvents(rt, () => sell(rt, 90)))).toEqual([
    "ticket_order.created",
    "event.updated",
    "catalog.changed",
  ]);
  expect(publish(rt)).toEqual([10]);
});

test("a ticket sale sends no availability if partners do not see how many tickets are left", () => {
  const rt = openVenue();
  sell(rt, 2, "ball");
  expect(publish(rt)).toEqual([]);
});

test("the sale of one ticket type sends no availability of another ticket type", () => {
  const rt = openVenue();
  sell(rt, 1, "show");
  expect(publish(rt)).toEqual([]);
});

test("the availability of an event that is no longer published is not sent", () => {
  const rt = openVenue();
  sell(rt);
  editObject(rt, SLUG, "public_event", "gala", (event) => ({ ...event, status: "DRAFT" }));
  expect(publish(rt)).toEqual([]);
  expect(rt.store.eventAvailability.listDue(rt.now())).toEqual([]);
});

test("the row about a changed availability is deleted ten seconds after the change was sent", async () => {
  const rt = openVenue();
  sell(rt);
  publish(rt);
  const countRows = () => {
    const db = new Database(rt.config.databasePath, { readonly: true });
    const count = db.prepare("SELECT count(*) FROM event_availability").pluck().get();
    db.close();
    return count;
  };
  await createPruner(rt)();
  expect(countRows()).toBe(1);
  rt.advance(10_000);
  await createPruner(rt)();
  expect(countRows()).toBe(0);
});

test("an edit of a public event tells partners how many of its tickets are left", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS.replace("showRemaining: false", "showRemaining: true"));
  sell(rt, 2, "ball");
  const events = recordEvents(rt, () =>
    editObject(rt, SLUG, "public_event", "ball", (doc) => ({ ...doc, name: "Winter ball" })),
  );
  expect(events.find(({ type }) => type === "event.updated")?.data.object).toMatchObject({
    name: "Winter ball",
    availability: { state: "ON_SALE", remaining: 98 },
  });
});

test("a quota that a catalog file changes makes partners refetch its public event", () => {
  const rt = openVenue();
  const events = recordEvents(rt, () =>
    applyCatalogBody(rt, EVENTS.replace("size: 100", "size: 50")),
  );
  expect(eventTypesOf(events)).toEqual(["catalog.changed"]);
  expect(events[0]!.data.object).toMatchObject({
    routes: ["events/catalog"],
    refetch: [
      { route: "events/catalog", ids: [expect.stringMatching(/^pev_/)], idsComplete: true },
    ],
  });
});
