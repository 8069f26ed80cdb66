import { expect, test } from "vitest";
import type { Scope } from "../../src/domain/api-key.ts";
import { EVENT_GROUPS, type EventReader } from "../../src/domain/event-groups.ts";
import { bodyFor, describeGuestData } from "../../src/domain/guest-references.ts";

const keyWith = (scopes: Scope[], fields: Partial<EventReader> = {}): EventReader => ({
  id: "key_1",
  kind: "RESTRICTED",
  scopes,
  eventGroups: EVENT_GROUPS,
  ...fields,
});

const object = { id: "bkg_1", customerRef: "web-812", cancelReason: "ill", version: 2 };
const event = (type: "booking.cancelled" | "service.updated") => ({
  type,
  body: Buffer.from(JSON.stringify({ id: "evt_1", type, data: { object } })),
});
const objectFor = (key: EventReader | undefined, type = "booking.cancelled" as const) =>
  (JSON.parse(bodyFor(key, event(type)).toString()) as { data: { object: object } }).data.object;

test("a key without a scope for bookings receives neither customer references nor reasons", () => {
  expect(objectFor(keyWith(["services.read", "webhooks.write"]))).toEqual({
    ...object,
    customerRef: null,
    cancelReason: null,
  });
});

test.each<EventReader | undefined>([
  undefined,
  keyWith([], { kind: "SECRET" }),
  keyWith(["webhooks.write", "bookings.write"]),
  keyWith(["webhooks.write", "tickets.write"]),
  keyWith(["webhooks.write", "bookings.read"]),
  keyWith(["webhooks.write", "bookings.manage"]),
])("the operator and keys with a scope for bookings receive the stored bytes (%#)", (key) => {
  const stored = event("booking.cancelled");
  expect(bodyFor(key, stored)).toBe(stored.body);
});

test("events of the catalog are never copied", () => {
  const stored = event("service.updated");
  expect(bodyFor(keyWith(["webhooks.write"]), stored)).toBe(stored.body);
});

test.each<[Scope[], Partial<EventReader>, string[]]>([
  [["services.read"], {}, ["It receives no data about guests."]],
  [["webhooks.write"], { eventGroups: ["catalog"] }, ["It receives no data about guests."]],
  [
    ["webhooks.write"],
    {},
    [
      "It receives the events of all bookings, reservations and ticket orders, without customer references.",
    ],
  ],
  [
    ["webhooks.write", "bookings.write"],
    { eventGroups: ["bookings"] },
    [
      "It reads what it has booked itself, with the data of these guests.",
      "It receives the events of its own bookings and reservations.",
    ],
  ],
  [
    ["bookings.read", "guests.read"],
    {},
    [
      "It reads all bookings, reservations and ticket orders, with the names, contact details and notes of their guests.",
    ],
  ],
])("the guest data of a key with %s %o is described", (scopes, fields, sentences) => {
  expect(describeGuestData(keyWith(scopes, fields))).toEqual(sentences);
});
