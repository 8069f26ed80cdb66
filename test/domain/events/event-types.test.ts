import { expect, test } from "vitest";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { cancelBooking, cancelReservation } from "../../../src/app/bookings/operator-changes.ts";
import { publishEventAvailability } from "../../../src/app/catalog/publish.ts";
import { rescheduleBooking, rescheduleReservation } from "../../../src/app/bookings/reschedule.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { ALL_EVENT_TYPES, maySubscribe, prefixOf } from "../../../src/domain/events/event-types.ts";
import { eventsOf, type EventRow } from "../../support/event-rows.ts";
import { applyCatalogBody, recordEvents } from "../../support/use-case.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

// The table has the smallest change that causes each event type, and all events of that change.

const SLUG = "salon-aurora";

const LINES: Record<string, string[]> = {
  hours: ["{days: mon-sun, start: '00:00', end: '24:00'}"],
  closures: [],
  serviceCategories: ["{key: hair, name: Hair}", "{key: nails, name: Nails}"],
  addons: ["{key: mask, name: Mask, price: 5.00}", "{key: tea, name: Tea, price: 2.00}"],
  services: [
    "{key: cut, name: Cut, durationMin: 30, price: 30.00, variants: [{key: long, name: Long, price: 40.00}], addons: [mask]}",
    "{key: spa, name: Spa, durationMin: 60, price: 60.00}",
  ],
  staff: ["{key: ann, name: Ann}", "{key: bob, name: Bob}"],
  tables: ["{key: t1, minSeats: 1, maxSeats: 4}"],
  promotions: [
    "{key: deal, name: Deal, benefit: {type: PERCENT_OFF, percent: 10}}",
    "{key: late, name: Late, benefit: {type: PERCENT_OFF, percent: 20}}",
  ],
  events: [
    "{key: jazz, name: Jazz, startsAt: 2026-12-01T19:00, durationMin: 60, ticketTypes: [{key: adult, name: Adult, price: 20.00}]}",
  ],
  "menu.categories": ["{key: soups, name: Soups}", "{key: mains, name: Mains}"],
  "menu.items": ["{key: broth, name: Broth, price: 9.00}", "{key: stew, name: Stew, price: 19.00}"],
};

type Lines = typeof LINES;

function file(lines: Lines): string {
  const section = (name: string, entries: string[] = [], indent = "") =>
    `${indent}${name}:${entries.length === 0 ? " []" : ""}\n${entries.map((entry) => `${indent}  - ${entry}\n`).join("")}`;
  const top = Object.keys(lines).filter((name) => !name.startsWith("menu."));
  const menu = ["categories", "items"]
    .map((name) => section(name, lines[`menu.${name}`], "  "))
    .join("");
  return `${top.map((name) => section(name, lines[name])).join("")}menu:\n${menu}`;
}

/** Returns the file after an edit of one section. */
const edited = (section: string, edit: (entries: string[]) => string[]): Lines => ({
  ...LINES,
  [section]: edit([...(LINES[section] ?? [])]),
});

const applied = (section: string, edit: (entries: string[]) => string[]) => (rt: TestRuntime) =>
  applyCatalogBody(rt, file(edited(section, edit)), { prune: true, allowMassDelete: true });

const add = (section: string, entry: string) => applied(section, (entries) => [...entries, entry]);
const drop = (section: string) => applied(section, (entries) => entries.slice(0, -1));
const swap = (section: string) => applied(section, (entries) => entries.toReversed());
const change = (section: string, from: string, to: string) =>
  applied(section, ([first = "", ...others]) => [first.replace(from, to), ...others]);

const START = "2026-11-23T10:00";
const LATER = "2026-11-23T14:00";
const book = (rt: TestRuntime) => createBooking(rt, SLUG, { service: "spa", start: START }).id;
const reserve = (rt: TestRuntime) => createReservation(rt, SLUG, { party: 2, start: START }).id;

const ROWS: EventRow[] = [
  ["catalog.changed", "a closure", add("closures", "{yearly: 12-25}"), ["catalog.changed"]],
  [
    "catalog.changed",
    "time off",
    (rt) =>
      createTimeOff(rt, SLUG, { staff: "ann", from: START, to: "2026-11-24T10:00", reason: null }),
    ["catalog.changed"],
  ],
  [
    "service.created",
    "a service",
    add("services", "{key: wax, name: Wax, durationMin: 20, price: 9.00}"),
    ["service.created", "catalog.changed"],
  ],
  [
    "service.updated",
    "the name of a service",
    change("services", "name: Cut", "name: Haircut"),
    ["service.updated", "catalog.changed"],
  ],
  ["service.deleted", "a service gone", drop("services"), ["service.deleted", "catalog.changed"]],
  [
    "service.deleted",
    "a service hidden",
    (rt) => editObject(rt, SLUG, "service", "spa", (doc) => ({ ...doc, status: "INACTIVE" })),
    ["service.deleted", "catalog.changed"],
  ],
  ["service.reordered", "a new order", swap("services"), ["service.reordered", "catalog.changed"]],
  [
    "service_price.updated",
    "a price",
    change("services", "price: 30.00", "price: 31.00"),
    ["service.updated", "service_price.updated", "catalog.changed"],
  ],
  [
    "service_variant.changed",
    "a variant's name",
    change("services", "name: Long", "name: Very long"),
    ["service.updated", "service_variant.changed", "catalog.changed"],
  ],
  [
    "service_category.created",
    "a category",
    add("serviceCategories", "{key: spa, name: Spa}"),
    ["service_category.created", "catalog.changed"],
  ],
  [
    "service_category.updated",
    "the name of a service category",
    change("serviceCategories", "name: Hair", "name: Coiffure"),
    ["service_category.updated", "catalog.changed"],
  ],
  [
    "service_category.deleted",
    "a category gone",
    drop("serviceCategories"),
    ["service_category.deleted", "catalog.changed"],
  ],
  [
    "service_category.reordered",
    "a new order",
    swap("serviceCategories"),
    ["service_category.reordered", "catalog.changed"],
  ],
  [
    "menu_item.created",
    "a dish",
    add("menu.items", "{key: cake, name: Cake, price: 6.00}"),
    ["menu_item.created", "catalog.changed"],
  ],
  [
    "menu_item.updated",
    "the price of a dish",
    change("menu.items", "price: 9.00", "price: 9.50"),
    ["menu_item.updated", "catalog.changed"],
  ],
  [
    "menu_item.deleted",
    "a dish gone",
    drop("menu.items"),
    ["menu_item.deleted", "catalog.changed"],
  ],
  [
    "menu_item.reordered",
    "a new order",
    swap("menu.items"),
    ["menu_item.reordered", "catalog.changed"],
  ],
  [
    "menu_category.created",
    "a category",
    add("menu.categories", "{key: cakes, name: Cakes}"),
    ["menu_category.created", "catalog.changed"],
  ],
  [
    "menu_category.updated",
    "the name of a menu category",
    change("menu.categories", "name: Soups", "name: Broths"),
    ["menu_category.updated", "catalog.changed"],
  ],
  [
    "menu_category.deleted",
    "a category gone",
    drop("menu.categories"),
    ["menu_category.deleted", "catalog.changed"],
  ],
  [
    "menu_category.reordered",
    "a new order",
    swap("menu.categories"),
    ["menu_category.reordered", "catalog.changed"],
  ],
  [
    "promotion.created",
    "a promotion",
    add("promotions", "{key: new, name: New, benefit: {type: AMOUNT_OFF, amount: 5.00}}"),
    ["promotion.created", "catalog.changed"],
  ],
  [
    "promotion.updated",
    "the benefit of a promotion",
    change("promotions", "percent: 10", "percent: 15"),
    ["promotion.updated", "catalog.changed"],
  ],
  [
    "promotion.deleted",
    "a promotion gone",
    drop("promotions"),
    ["promotion.deleted", "catalog.changed"],
  ],
  [
    "staff.created",
    "a person",
    add("staff", "{key: cid, name: Cid}"),
    ["staff.created", "catalog.changed"],
  ],
  [
    "staff.updated",
    "the name of a person",
    change("staff", "name: Ann", "name: Anna"),
    ["staff.updated", "catalog.changed"],
  ],
  ["staff.deleted", "a person gone", drop("staff"), ["staff.deleted", "catalog.changed"]],
  [
    "staff.deleted",
    "a profile hidden",
    (rt) => editObject(rt, SLUG, "staff", "bob", (doc) => ({ ...doc, public: false })),
    ["staff.deleted", "catalog.changed"],
  ],
  ["staff.reordered", "a new order", swap("staff"), ["staff.reordered", "catalog.changed"]],
  [
    "addon.created",
    "an add-on",
    add("addons", "{key: scrub, name: Scrub, price: 7.00}"),
    ["addon.created", "catalog.changed"],
  ],
  [
    "addon.updated",
    "the price of an add-on",
    change("addons", "price: 5.00", "price: 5.50"),
    ["addon.updated", "catalog.changed"],
  ],
  ["addon.deleted", "an add-on gone", drop("addons"), ["addon.deleted", "catalog.changed"]],
  [
    "event.created",
    "a public event",
    add("events", "{key: folk, name: Folk, startsAt: 2026-12-02T19:00, durationMin: 60}"),
    ["event.created", "catalog.changed"],
  ],
  [
    "event.updated",
    "the start of a public event",
    change("events", "T19:00", "T20:00"),
    ["event.updated", "catalog.changed"],
  ],
  ["event.deleted", "a public event gone", drop("events"), ["event.deleted", "catalog.changed"]],
  [
    "event_availability.updated",
    "other tickets left",
    (rt) => {
      const { id } = getBusiness(rt, SLUG);
      const event = objectId("public_event", SLUG, { key: "jazz", previousKeys: [] });
      rt.store.eventAvailability.markChanged(id, event, rt.now());
      publishEventAvailability(rt);
    },
    ["event_availability.updated"],
  ],
  ["booking.created", "a booking", book, ["booking.created"]],
  [
    "booking.updated",
    "a new time",
    (rt, id) => rescheduleBooking(rt, SLUG, id, { start: LATER }),
    ["booking.updated"],
    book,
  ],
  [
    "booking.cancelled",
    "the cancellation of a booking",
    (rt, id) => cancelBooking(rt, SLUG, id),
    ["booking.cancelled"],
    book,
  ],
  ["reservation.created", "a reservation", reserve, ["reservation.created"]],
  [
    "reservation.updated",
    "a new time",
    (rt, id) => rescheduleReservation(rt, SLUG, id, { start: LATER }),
    ["reservation.updated"],
    reserve,
  ],
  [
    "reservation.cancelled",
    "the cancellation of a reservation",
    (rt, id) => cancelReservation(rt, SLUG, id),
    ["reservation.cancelled"],
    reserve,
  ],
];

test.each(ROWS)("a change publishes %s: %s", (...row) => {
  expect(eventsOf(file(LINES), row)).toEqual(row[3]);
});

test("every event type of the core is published by a tested change", () => {
  const eventGroups = ["catalog", "bookings"] as const;
  // A feature publishes the events with the prefix `business`, which are about businesses of
  // partners.
  const types = ALL_EVENT_TYPES.filter(
    (type) => maySubscribe({ eventGroups }, type) && prefixOf(type) !== "business",
  );
  expect(new Set(ROWS.map(([name]) => name))).toEqual(new Set(types));
});

test("an unchanged file publishes no events", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, file(LINES));
  expect(recordEvents(rt, () => applyCatalogBody(rt, file(LINES), { prune: true }))).toEqual([]);
});
