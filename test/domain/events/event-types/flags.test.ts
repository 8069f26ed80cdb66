import { expect, test } from "vitest";
import { createBooking, createReservation } from "../../../../src/app/bookings/bookings.ts";
import {
  cancelBooking,
  cancelReservation,
  changeBooking,
  changeReservation,
} from "../../../../src/app/bookings/operator-changes.ts";
import {
  rescheduleBooking,
  rescheduleReservation,
} from "../../../../src/app/bookings/reschedule.ts";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { publishEventAvailability } from "../../../../src/app/catalog/publish.ts";
import { objectId } from "../../../../src/domain/catalog/object-id.ts";
import { flagDescriptions } from "../../../../src/domain/events/event-descriptions.ts";
import {
  actionOf,
  ALL_EVENT_TYPES,
  CHANGED_FLAGS,
  type EventType,
  maySubscribe,
  prefixOf,
  settableFlags,
} from "../../../../src/domain/events/event-types.ts";
import { applyCatalogBody, recordEvents } from "../../../support/use-case.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";

// The rows have a change for each flag that the table of event types calls settable.

const SLUG = "salon-aurora";

const CATALOG = `hours:
  - {days: mon-sun, start: '00:00', end: '24:00'}
closures: []
serviceCategories:
  - {key: hair, name: Hair}
addons:
  - {key: mask, name: Mask, price: 5.00, durationMin: 5}
  - {key: tea, name: Tea, price: 2.00}
services:
  - {key: cut, name: Cut, durationMin: 30, price: 30.00, staff: [ann], variants: [{key: long, name: Long, price: 40.00}], addons: [mask]}
  - {key: spa, name: Spa, durationMin: 60, price: 60.00, staff: [ann, bob]}
  - {key: wax, name: Wax, durationMin: 60, price: 25.00, staff: [ann, bob]}
staff:
  - {key: ann, name: Ann}
  - {key: bob, name: Bob}
tables:
  - {key: t1, minSeats: 1, maxSeats: 2}
  - {key: t2, minSeats: 3, maxSeats: 4}
promotions:
  - {key: deal, name: Deal, benefit: {type: PERCENT_OFF, percent: 10}}
events:
  - {key: jazz, name: Jazz, startsAt: 2026-12-01T19:00, durationMin: 60, ticketTypes: [{key: adult, name: Adult, price: 20.00}]}
menu:
  categories:
    - {key: soups, name: Soups}
    - {key: mains, name: Mains}
  modifierGroups:
    - {key: size, name: Size, options: [{key: big, name: Big, price: 1.00}]}
  items:
    - {key: broth, name: Broth, price: 9.00, categories: [soups]}
`;

const IMAGE = "images: [{url: 'https://example.com/a.jpg'}]";

/** An event type, the flag, and the texts of the catalog to replace. */
type Edit = [type: EventType, flag: string, ...edits: [from: string, to: string][]];

const EDITS: Edit[] = [
  ["catalog.changed", "menu", ["name: Broth", "name: Stock"]],
  ["catalog.changed", "services", ["name: Cut", "name: Trim"]],
  ["catalog.changed", "serviceCategories", ["name: Hair", "name: Coiffure"]],
  ["catalog.changed", "staff", ["name: Ann", "name: Anna"]],
  ["catalog.changed", "promotions", ["name: Deal", "name: Offer"]],
  ["catalog.changed", "events", ["name: Jazz", "name: Blues"]],
  ["catalog.changed", "profile", ["closures: []", "closures: [{yearly: 12-25}]"]],
  ["catalog.changed", "availability", ["closures: []", "closures: [{yearly: 12-25}]"]],
  ["service.updated", "price", ["price: 30.00", "price: 31.00"]],
  ["service.updated", "variants", ["name: Long", "name: Very long"]],
  ["service.updated", "addons", ["addons: [mask]", "addons: [mask, tea]"]],
  ["service_price.updated", "price", ["price: 30.00", "price: 31.00"]],
  ["service_price.updated", "variants", ["price: 40.00", "price: 41.00"]],
  ["service_price.updated", "addons", ["addons: [mask]", "addons: [{addon: mask, price: 6.00}]"]],
  ["service_variant.changed", "variants", ["name: Long", "name: Very long"]],
  ["service_variant.changed", "price", ["price: 40.00", "price: 41.00"]],
  [
    "service_variant.changed",
    "addons",
    ["name: Long", "name: Very long"],
    ["addons: [mask]", "addons: [mask, tea]"],
  ],
  ["service_category.updated", "details", ["name: Hair", "name: Coiffure"]],
  ["menu_item.updated", "price", ["price: 9.00", "price: 9.50"]],
  [
    "menu_item.updated",
    "availability",
    ["price: 9.00", "price: 9.00, availability: [{days: [mon], start: '11:00', end: '12:00'}]"],
  ],
  ["menu_item.updated", "details", ["name: Broth", "name: Stock"]],
  ["menu_item.updated", "images", ["price: 9.00", `price: 9.00, ${IMAGE}`]],
  ["menu_item.updated", "modifiers", ["price: 9.00", "price: 9.00, modifierGroups: [size]"]],
  ["menu_item.updated", "category", ["categories: [soups]", "categories: [mains]"]],
  ["menu_category.updated", "details", ["name: Soups", "name: Broths"]],
  [
    "menu_category.updated",
    "availability",
    ["name: Soups", "name: Soups, availability: [{days: [mon], start: '11:00', end: '12:00'}]"],
  ],
  ["menu_category.updated", "images", ["name: Soups", `name: Soups, ${IMAGE}`]],
  ["promotion.updated", "benefit", ["percent: 10", "percent: 15"]],
  [
    "promotion.updated",
    "schedule",
    ["name: Deal", "name: Deal, schedule: {endsAt: 2027-01-01T10:00}"],
  ],
  ["promotion.updated", "scope", ["name: Deal", "name: Deal, appliesTo: {services: [cut]}"]],
  [
    "promotion.updated",
    "status",
    ["name: Deal", "name: Deal, schedule: {startsAt: 2027-01-01T10:00}"],
  ],
  ["promotion.updated", "details", ["name: Deal", "name: Offer"]],
  ["staff.updated", "profile", ["name: Ann", "name: Anna"]],
  ["staff.updated", "services", ["staff: [ann], ", "staff: [ann, bob], "]],
  ["staff.updated", "status", ["name: Ann", "name: Ann, bookable: false"]],
  ["staff.updated", "images", ["name: Ann", `name: Ann, ${IMAGE}`]],
  ["addon.updated", "price", ["price: 5.00", "price: 5.50"]],
  ["addon.updated", "duration", ["durationMin: 5", "durationMin: 6"]],
  ["addon.updated", "details", ["name: Mask", "name: Hair mask"]],
  ["event.updated", "schedule", ["T19:00", "T20:00"]],
  ["event.updated", "venue", ["name: Jazz", "name: Jazz, venue: Cellar"]],
  ["event.updated", "status", ["name: Jazz", "name: Jazz, status: CANCELLED"]],
  ["event.updated", "ticketTypes", ["name: Adult", "name: Grown-up"]],
  ["event.updated", "price", ["price: 20.00", "price: 21.00"]],
  ["event.updated", "availability", ["name: Jazz", "name: Jazz, status: CANCELLED"]],
  ["event.updated", "details", ["name: Jazz", "name: Blues"]],
];

/** An event type, the flag, and the change that sets it; `before` creates the object. */
type Act = [
  type: EventType,
  flag: string,
  act: (rt: TestRuntime, id: string) => unknown,
  before?: (rt: TestRuntime) => string,
];

const START = "2026-11-23T10:00";
const LATER = "2026-11-23T14:00";
const book = (rt: TestRuntime) => createBooking(rt, SLUG, { service: "spa", start: START }).id;
const reserve = (rt: TestRuntime) => createReservation(rt, SLUG, { party: 2, start: START }).id;
const reschedule = (service: string, staff: string) => (rt: TestRuntime, id: string) =>
  rescheduleBooking(rt, SLUG, id, {
    start: START,
    segments: [
      {
        serviceId: objectId("service", SLUG, { key: service, previousKeys: [] }),
        variantId: null,
        addons: [],
        staffId: objectId("staff", SLUG, { key: staff, previousKeys: [] }),
      },
    ],
  });

const ACTS: Act[] = [
  [
    "event_availability.updated",
    "availability",
    (rt) => {
      const event = objectId("public_event", SLUG, { key: "jazz", previousKeys: [] });
      rt.store.eventAvailability.markChanged(getBusiness(rt, SLUG).id, event, rt.now());
      publishEventAvailability(rt);
    },
  ],
  [
    "booking.updated",
    "schedule",
    (rt, id) => rescheduleBooking(rt, SLUG, id, { start: LATER }),
    book,
  ],
  ["booking.updated", "staff", reschedule("spa", "bob"), book],
  ["booking.updated", "services", reschedule("wax", "ann"), book],
  ["booking.updated", "price", reschedule("wax", "ann"), book],
  [
    "booking.updated",
    "status",
    (rt, id) => {
      rt.advance(5 * 86_400_000);
      changeBooking(rt, SLUG, id, "complete");
    },
    book,
  ],
  ["booking.cancelled", "status", (rt, id) => cancelBooking(rt, SLUG, id), book],
  [
    "reservation.updated",
    "schedule",
    (rt, id) => rescheduleReservation(rt, SLUG, id, { start: LATER }),
    reserve,
  ],
  [
    "reservation.updated",
    "partySize",
    (rt, id) => rescheduleReservation(rt, SLUG, id, { start: START, partySize: 1 }),
    reserve,
  ],
  [
    "reservation.updated",
    "table",
    (rt, id) => rescheduleReservation(rt, SLUG, id, { start: START, partySize: 4 }),
    reserve,
  ],
  [
    "reservation.updated",
    "status",
    (rt, id) => {
      rt.advance(5 * 86_400_000);
      changeReservation(rt, SLUG, id, "complete");
    },
    reserve,
  ],
  ["reservation.cancelled", "status", (rt, id) => cancelReservation(rt, SLUG, id), reserve],
];

const ROWS: Act[] = [
  ...EDITS.map(([type, flag, ...edits]): Act => [
    type,
    flag,
    (rt) => {
      applyCatalogBody(
        rt,
        edits.reduce((text, [from, to]) => text.replace(from, to), CATALOG),
      );
    },
  ]),
  ...ACTS,
];

const trueFlags = (changed: Record<string, boolean>) =>
  Object.keys(changed).filter((flag) => changed[flag]);

test.each(ROWS)("an event %s can have the flag %s", (type, flag, act, before) => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const id = before?.(rt) ?? "";
  const events = recordEvents(rt, () => act(rt, id));
  const event = events.find((event) => event.type === type);
  expect(trueFlags(event?.data.changed ?? {})).toContain(flag);
  for (const { type, data } of events)
    expect(settableFlags(type), type).toEqual(expect.arrayContaining(trueFlags(data.changed)));
});

test("the tested flags are all flags that a change can set, except flags of ticket orders", () => {
  const eventGroups = ["catalog", "bookings"] as const;
  const expected = ALL_EVENT_TYPES.filter(
    (type) => maySubscribe({ eventGroups }, type) && actionOf(type) !== "created",
  ).flatMap((type) => settableFlags(type).map((flag) => `${type} ${flag}`));
  expect(ROWS.map(([type, flag]) => `${type} ${flag}`).toSorted()).toEqual(expected.toSorted());
});

test("each flag of an event type has a description, which says so if the flag is never true", () => {
  for (const type of ALL_EVENT_TYPES) {
    const described = flagDescriptions(type);
    expect(described.map(([flag]) => flag)).toEqual([...CHANGED_FLAGS[prefixOf(type)]]);
    const dead = described.filter(([, text]) => text.includes("never true"));
    expect([type, dead.map(([flag]) => flag)]).toEqual([
      type,
      settableFlags(type).length === 0
        ? []
        : CHANGED_FLAGS[prefixOf(type)].filter((flag) => !settableFlags(type).includes(flag)),
    ]);
  }
  expect(Object.fromEntries(flagDescriptions("menu_category.updated"))["items"]).toBe(
    "the dishes in the category; never true in this event",
  );
});
