import {
  array,
  assert,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  property,
  record,
} from "../../../support/property.ts";
import { describe, expect, test } from "vitest";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { expireTicketOrders } from "../../../../src/features/tickets/orders/take-tickets.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
  placeTicketOrder,
} from "../../../../src/features/tickets/orders/orders.ts";
import { OPERATOR } from "../../../../src/app/bookings/access.ts";
import { findCustomer } from "../../../../src/app/bookings/guests.ts";
import { getStoredObject } from "../../../../src/app/catalog/objects.ts";
import { ensureMasterKey } from "../../../../src/app/master-key.ts";
import { cancelTicketOrder } from "../../../../src/features/tickets/orders/change-order.ts";
import { loadCatalog } from "../../../../src/app/catalog/load-catalog.ts";
import { toPublicCatalog } from "../../../../src/domain/public/public-catalog.ts";
import { createOrderStore, createTicketStore } from "../../../../src/features/tickets/store.ts";
import {
  applyCatalogBody,
  recordEvents,
  captureError,
  eventTypesOf,
} from "../../../support/use-case.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { type TestRuntime, createTestRuntime } from "../../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const MINUTE_MS = 60_000;

// A seat uses a chair and a place in the hall; a standing ticket uses only the place.
const EVENTS = `
events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: 2026-12-01T19:00
    durationMin: 180
    status: PUBLISHED
    ticketTypes:
      - { key: seat, name: Seat, kind: PAID, price: 25.00, maxPerOrder: 8, showRemaining: true }
      - { key: stand, name: Standing, kind: PAID, price: 10.00, maxPerOrder: 20, showRemaining: true }
      - { key: late, name: Late, kind: PAID, price: 5.00, salesStart: 2026-11-30T00:00 }
      - { key: early, name: Early, kind: PAID, price: 5.00, salesEnd: 2026-11-19T00:00 }
      - { key: pair, name: Pair, kind: FREE, minPerOrder: 2, maxPerOrder: 2 }
      - { key: gone, name: Gone, kind: FREE, status: INACTIVE }
    quotas:
      - { key: hall, size: 20, ticketTypes: [seat, stand] }
      - { key: chairs, size: 8, ticketTypes: [seat] }
  - { key: plan, name: Plan, slug: plan, startsAt: 2026-12-01T19:00, durationMin: 60, status: DRAFT, ticketTypes: [{ key: any, name: Any, kind: FREE }] }
  - { key: off, name: Off, slug: off, startsAt: 2026-12-01T19:00, durationMin: 60, status: CANCELLED, ticketTypes: [{ key: any, name: Any, kind: FREE }] }
  - { key: over, name: Over, slug: over, startsAt: 2026-11-19T19:00, durationMin: 60, status: PUBLISHED, ticketTypes: [{ key: any, name: Any, kind: FREE }] }
`;

function openVenue(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, EVENTS);
  return rt;
}

const order = (rt: TestRuntime, ...items: string[]) =>
  createTicketOrder(rt, SLUG, { event: "gala", items });

function availability(rt: TestRuntime): Record<string, unknown> {
  const business = rt.store.businesses.findBySlug(SLUG)!;
  const [gala] = toPublicCatalog(loadCatalog(rt, business), rt.now()).events;
  return Object.fromEntries(
    gala!.ticketTypes.map(({ name, availability }) => [name, availability]),
  );
}

test("a new ticket order takes its tickets off sale and expires after fifteen minutes", () => {
  const rt = openVenue();
  const created = createTicketOrder(rt, SLUG, {
    event: "gala",
    items: ["seat*2", "stand", "seat"],
    customerRef: "till 4",
  });
  expect(created).toEqual({
    id: expect.stringMatching(/^tor_[0-9a-z]+$/),
    code: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/),
    version: 1,
    status: "PENDING",
    eventId: expect.stringMatching(/^pev_/),
    items: [
      { ticketTypeId: expect.stringMatching(/^ett_/), quantity: 3, unitPriceCents: 2500 },
      { ticketTypeId: expect.stringMatching(/^ett_/), quantity: 1, unitPriceCents: 1000 },
    ],
    totalCents: 8500,
    currency: "USD",
    customerRef: "till 4",
    expiresAt: "2026-11-20T07:15:00-05:00",
    createdAt: "2026-11-20T07:00:00-05:00",
    updatedAt: "2026-11-20T07:00:00-05:00",
  });
  expect(availability(rt)).toMatchObject({
    Seat: { state: "FEW_LEFT", remaining: 5 },
    Standing: { state: "ON_SALE", remaining: 16 },
  });
});

test("the data of the guest are stored with the order", () => {
  const rt = openVenue();
  ensureMasterKey(rt);
  const business = rt.store.businesses.findBySlug(SLUG)!;
  const event = getStoredObject(rt, business, "public_event", "gala");
  const customer = { name: "Ana", email: "ana@example.com", phone: null, notes: null };
  const items = [{ key: "seat", quantity: 1 }];
  const placed = rt.tx(() =>
    placeTicketOrder(rt, business, OPERATOR, event, items, { customerRef: null, customer }),
  );
  expect(findCustomer(rt, placed.id)).toEqual(customer);
});

test("a ticket type that an order names by both key and ID becomes one item", () => {
  const rt = openVenue();
  const { ticketTypeId } = order(rt, "seat").items[0]!;
  expect(order(rt, "seat", `${ticketTypeId}*2`).items).toMatchObject([
    { ticketTypeId, quantity: 3 },
  ]);
});

test("a ticket sale raises the stock revision, and a changed sale state also raises the catalog version", () => {
  const rt = openVenue();
  const at = () => {
    const { revision, stockRevision, catalogVersion } = rt.store.businesses.findBySlug(SLUG)!;
    return { revision, stockRevision, catalogVersion };
  };
  const before = at();
  order(rt, "seat");
  const after = at();
  expect(after.stockRevision).toBeGreaterThan(before.stockRevision);
  expect(after).toEqual({ ...before, stockRevision: after.stockRevision });
  order(rt, "seat*7");
  const crossed = at();
  expect(crossed.stockRevision).toBeGreaterThan(after.stockRevision);
  expect(crossed).toMatchObject({
    revision: before.revision + 1,
    catalogVersion: before.catalogVersion + 1,
  });
});

const CROSSED = ["event.updated", "catalog.changed"];

describe("events of ticket orders", () => {
  test.each<{
    name: string;
    first?: string[];
    act: (rt: TestRuntime, id: string) => unknown;
    events: string[];
  }>([
    { name: "for a sale", act: (rt) => order(rt, "seat*2"), events: ["ticket_order.created"] },
    {
      name: "when few are left",
      act: (rt) => order(rt, "seat*3"),
      events: ["ticket_order.created", ...CROSSED],
    },
    {
      name: "once if two ticket types change their sale state together",
      act: (rt) => order(rt, "seat*8", "stand*12"),
      events: ["ticket_order.created", ...CROSSED],
    },
    {
      name: "only for the order if few tickets become fewer",
      first: ["seat*3"],
      act: (rt) => order(rt, "seat"),
      events: ["ticket_order.created"],
    },
    {
      name: "when the last ticket is sold",
      first: ["seat*3"],
      act: (rt) => order(rt, "seat*5"),
      events: ["ticket_order.created", ...CROSSED],
    },
    {
      name: "for a payment",
      first: ["seat*3"],
      act: (rt, id) => confirmTicketOrder(rt, SLUG, id),
      events: ["ticket_order.confirmed"],
    },
    {
      name: "for a cancellation without a change of state",
      first: ["seat"],
      act: (rt, id) => cancelTicketOrder(rt, SLUG, id),
      events: ["ticket_order.cancelled"],
    },
    {
      name: "for a cancellation that makes tickets available",
      first: ["seat*3"],
      act: (rt, id) => cancelTicketOrder(rt, SLUG, id),
      events: ["ticket_order.cancelled", ...CROSSED],
    },
    {
      name: "not before an order expires",
      first: ["seat*3"],
      act: (rt) => (rt.advance(15 * MINUTE_MS - 1), expireTicketOrders(rt)),
      events: [],
    },
    {
      name: "once when an order expires",
      first: ["seat*3"],
      act: (rt) => (rt.advance(15 * MINUTE_MS), expireTicketOrders(rt), expireTicketOrders(rt)),
      events: ["ticket_order.cancelled", ...CROSSED],
    },
    {
      name: "not when the time of a paid order ends",
      first: ["seat*3"],
      act: (rt, id) => (
        confirmTicketOrder(rt, SLUG, id),
        rt.advance(15 * MINUTE_MS),
        expireTicketOrders(rt)
      ),
      events: ["ticket_order.confirmed"],
    },
    {
      name: "for an expiry before the sale it allows, without a scheduler run",
      first: ["seat*8"],
      act: (rt) => (rt.advance(15 * MINUTE_MS), order(rt, "seat*8")),
      events: ["ticket_order.cancelled", ...CROSSED, "ticket_order.created", ...CROSSED],
    },
  ])("ticket orders write events $name", ({ first, act, events }) => {
    const rt = openVenue();
    const { id } = first ? order(rt, ...first) : { id: "" };
    expect(eventTypesOf(recordEvents(rt, () => act(rt, id)))).toEqual(events);
  });

  test("the event of a ticket order has the order as the API serves it, and flags for what has changed", () => {
    const rt = openVenue();
    const created = order(rt, "seat");
    const [confirmed] = recordEvents(rt, () => confirmTicketOrder(rt, SLUG, created.code));
    expect(confirmed!.data).toEqual({
      resource: { type: "ticket_order", id: created.id, ids: [created.id] },
      action: "confirmed",
      changed: { status: true, items: false },
      object: { ...created, status: "CONFIRMED", expiresAt: null, version: 2 },
    });
    const pending = order(rt, "seat");
    rt.advance(15 * MINUTE_MS);
    const [expired] = recordEvents(rt, () => expireTicketOrders(rt));
    expect(expired!.data).toMatchObject({
      action: "cancelled",
      object: {
        ...pending,
        status: "EXPIRED",
        version: 2,
        updatedAt: "2026-11-20T07:15:00-05:00",
      },
    });
  });

  test("the webhook about a sold-out public event has the availability of each ticket type", () => {
    const rt = openVenue();
    const [, updated] = recordEvents(rt, () => order(rt, "seat*8", "stand*12"));
    expect(updated!.data.changed).toMatchObject({
      availability: true,
      ticketTypes: false,
      price: false,
    });
    const { ticketTypes } = updated!.data.object as {
      ticketTypes: { name: string; availability: unknown }[];
    };
    expect(ticketTypes.find(({ name }) => name === "Seat")!.availability).toEqual({
      state: "SOLD_OUT",
      remaining: 0,
    });
    expect(ticketTypes.find(({ name }) => name === "Standing")!.availability).toEqual({
      state: "SOLD_OUT",
      remaining: 0,
    });
  });
});

describe("a ticket order is rejected", () => {
  test.each<[name: string, input: unknown, message: RegExp, first?: string[]]>([
    [
      "for more tickets than there are chairs left",
      ["seat*6"],
      /^conflict: Only 5 tickets of 'Seat' are left for 'Gala'\.$/,
      ["seat*3"],
    ],
    [
      "for a chair when all are sold",
      ["seat"],
      /^conflict: 'Seat' of 'Gala' is sold out\.$/,
      ["seat*8"],
    ],
    [
      "for a chair when the hall is full of standing guests",
      ["seat"],
      /^conflict: 'Seat' of 'Gala' is sold out\.$/,
      ["stand*20"],
    ],
    [
      "for two types that exceed a shared quota",
      ["seat*2", "stand*2"],
      /^conflict: Only 3 tickets of 'Seat' and 'Standing' are left/,
      ["stand*17"],
    ],
    ["before sales start", ["late"], /^conflict: Ticket sales for 'Late' have not started\.$/],
    ["after sales end", ["early"], /^conflict: Ticket sales for 'Early' have ended\.$/],
    [
      "for fewer than the minimum",
      ["pair"],
      /^validation_failed: An order can have 2 tickets of 'Pair', not 1\.$/,
    ],
    [
      "for more than the maximum",
      ["seat*9"],
      /^validation_failed: An order can have 1 to 8 tickets of 'Seat', not 9\.$/,
    ],
    [
      "for zero tickets",
      ["seat*0"],
      /^validation_failed: An order can have 1 to 8 tickets of 'Seat', not 0\.$/,
    ],
    [
      "for an inactive ticket type",
      ["gone"],
      /^resource_not_found: 'Gala' has no ticket type 'gone'\./,
    ],
    [
      "for an unknown type",
      ["saet"],
      /^resource_not_found: 'Gala' has no ticket type 'saet'\. Did you mean 'seat'\?$/,
    ],
    [
      "without items",
      [],
      /^validation_failed: 'items' must be a list of ticket types, not an empty list\.$/,
    ],
    [
      "for an unknown event",
      { event: "galla", items: ["seat"] },
      /^resource_not_found: There is no event 'galla'\. Did you mean 'gala'\?$/,
    ],
    [
      "for a public event that is a draft",
      { event: "plan", items: ["any"] },
      /^conflict: 'Plan' is not on sale: its status is DRAFT\.$/,
    ],
    [
      "for a cancelled event",
      { event: "off", items: ["any"] },
      /^conflict: 'Off' is not on sale: its status is CANCELLED\.$/,
    ],
    [
      "for an event that has ended",
      { event: "over", items: ["any"] },
      /^conflict: 'Over' has ended\.$/,
    ],
    [
      "with an unknown field",
      { event: "gala", items: ["seat"], customer: "x" },
      /^validation_failed: Unknown field 'customer'\. (?:Did you mean|Known fields)/,
    ],
    [
      "with control characters in customerRef",
      { event: "gala", items: ["seat"], customerRef: "a\u001b[2Jb" },
      /^validation_failed: 'customerRef' must be one line of 1 to 200 characters without invisible characters, not 'a␛\[2Jb'\.$/,
    ],
    [
      "with a customerRef of 10 KB",
      { event: "gala", items: ["seat"], customerRef: "x".repeat(10_240) },
      /^validation_failed: 'customerRef' must be one line of 1 to 200 characters without invisible characters, not 'x{79}…'\.$/,
    ],
    [
      "with a list as an item",
      [["seat"]],
      /^validation_failed: 'items\[0\]' must be one line .*, not a list of 1 entry\.$/,
    ],
    ["if the request is null", null, /^validation_failed: The request must be an object/],
  ])("a ticket order is rejected %s, and nothing is written", (_name, input, message, first) => {
    const rt = openVenue();
    if (first) order(rt, ...first);
    const before = rt.store.takenTickets.count(rt.store.businesses.findBySlug(SLUG)!.id);
    const request = Array.isArray(input) ? { event: "gala", items: input } : input;
    const events = recordEvents(rt, () =>
      expect(captureError(() => createTicketOrder(rt, SLUG, request))).toMatch(message),
    );
    expect(events).toEqual([]);
    expect(rt.store.takenTickets.count(rt.store.businesses.findBySlug(SLUG)!.id)).toEqual(before);
  });

  test("a ticket order is rejected if an archived ticket type has taken the last places of the quota", () => {
    const rt = openVenue();
    order(rt, "stand*20");
    editObject(rt, SLUG, "public_event", "gala", (doc) => ({
      ...doc,
      ticketTypes: doc.ticketTypes.map((type) =>
        type.key === "stand" ? { ...type, status: "ARCHIVED" } : type,
      ),
    }));
    expect(captureError(() => order(rt, "seat"))).toBe("conflict: 'Seat' of 'Gala' is sold out.");
  });
});

describe("a ticket order that has ended", () => {
  test.each<[name: string, end: (rt: TestRuntime, id: string) => void, status: string]>([
    ["confirmed", (rt, id) => confirmTicketOrder(rt, SLUG, id), "CONFIRMED"],
    ["cancelled", (rt, id) => cancelTicketOrder(rt, SLUG, id), "CANCELLED"],
    ["expired", (rt) => (rt.advance(15 * MINUTE_MS), expireTicketOrders(rt)), "EXPIRED"],
  ])("a ticket order that is %s cannot be confirmed", (_name, end, status) => {
    const rt = openVenue();
    const { id, code } = order(rt, "seat");
    end(rt, id);
    const events = recordEvents(rt, () =>
      expect(captureError(() => confirmTicketOrder(rt, SLUG, id))).toBe(
        `wrong_status: Order ${code} cannot be confirmed: its status is ${status}.`,
      ),
    );
    expect(events).toEqual([]);
  });

  test("an expired ticket order can be neither confirmed nor cancelled before the scheduler runs", () => {
    const rt = openVenue();
    const { id, code } = order(rt, "seat");
    rt.advance(15 * MINUTE_MS);
    for (const [act, verb] of [
      [confirmTicketOrder, "confirmed"],
      [cancelTicketOrder, "cancelled"],
    ] as const)
      expect(captureError(() => act(rt, SLUG, id))).toBe(
        `wrong_status: Order ${code} cannot be ${verb}: its status is EXPIRED.`,
      );
  });

  test("a confirmed ticket order can be cancelled, which voids and releases its tickets", () => {
    const rt = openVenue();
    const { id } = order(rt, "seat*8");
    const { tickets } = confirmTicketOrder(rt, SLUG, id);
    expect(tickets).toHaveLength(8);
    expect(cancelTicketOrder(rt, SLUG, id)).toMatchObject({ status: "CANCELLED", expiresAt: null });
    const { id: businessId } = rt.store.businesses.findBySlug(SLUG)!;
    expect(
      new Set(
        rt
          .openStore(createTicketStore)
          .list({ businessId }, 100)
          .map(({ status }) => status),
      ),
    ).toEqual(new Set(["VOID"]));
    expect(order(rt, "seat*8")).toMatchObject({ status: "PENDING" });
  });
});

test("a ticket order is found by its code in any spelling, but not by another business", () => {
  const rt = openVenue();
  const { code, id } = order(rt, "seat");
  expect(
    confirmTicketOrder(rt, SLUG, ` ${code.toLowerCase().replace("-", " ").replaceAll("0", "o")}`)
      .order.id,
  ).toBe(id);
  addBusiness(rt, "bar-nova");
  expect(captureError(() => confirmTicketOrder(rt, "bar-nova", id))).toBe(
    `resource_not_found: There is no order '${id}'.`,
  );
});

test("the taken tickets are always those of pending and confirmed orders, within the quota", () => {
  const act = oneof(
    record({
      kind: constant("create" as const),
      seats: integer({ min: 0, max: 8 }),
      stands: integer({ min: 0, max: 9 }),
    }),
    record({ kind: constantFrom("confirm" as const, "cancel" as const), which: nat(20) }),
    record({ kind: constant("wait" as const), minutes: integer({ min: 1, max: 10 }) }),
  );
  assert(
    property(array(act, { minLength: 5, maxLength: 25 }), (acts) => {
      const rt = openVenue();
      const { id: businessId } = rt.store.businesses.findBySlug(SLUG)!;
      const created: string[] = [];
      for (const one of acts) {
        if (one.kind === "wait") rt.advance(one.minutes * MINUTE_MS);
        else
          captureError(() => {
            if (one.kind === "create") {
              const items = [`seat*${one.seats}`, `stand*${one.stands}`].filter(
                (item) => !item.endsWith("*0"),
              );
              created.push(order(rt, ...items).id);
            } else if (created.length > 0)
              (one.kind === "confirm" ? confirmTicketOrder : cancelTicketOrder)(
                rt,
                SLUG,
                created[one.which % created.length]!,
              );
          });
        expireTicketOrders(rt);

        const counted = new Map<string, number>();
        for (const { status, items } of rt.openStore(createOrderStore).list({ businessId }, 100))
          if (status === "PENDING" || status === "CONFIRMED")
            for (const { ticketTypeId, quantity } of items)
              counted.set(ticketTypeId, (counted.get(ticketTypeId) ?? 0) + quantity);
        const heldTickets = [...rt.store.takenTickets.count(businessId)].filter(
          ([, taken]) => taken > 0,
        );
        expect(new Map(heldTickets)).toEqual(counted);
        expect([...counted.values()].reduce((sum, taken) => sum + taken, 0)).toBeLessThanOrEqual(
          20,
        );
      }
      rt.close();
    }),
    { numRuns: 15 },
  );
});
