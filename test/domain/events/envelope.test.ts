import { expect, test } from "vitest";
import { grants, type Scope, SCOPES } from "../../../src/domain/api-key.ts";
import {
  EVENT_GROUPS,
  type EventReader,
  mayReadEvent,
} from "../../../src/domain/events/event-types.ts";
import { bodyFor, describeGuestData } from "../../../src/domain/events/envelope.ts";

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

test("a restricted key without a scope for visits or orders gets null for customerRef and cancelReason", () => {
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
])(
  "the operator, secret keys and keys with a scope for visits or orders receive the stored bytes (%#)",
  (key) => {
    const stored = event("booking.cancelled");
    expect(bodyFor(key, stored)).toBe(stored.body);
  },
);

test("every key receives the stored bytes of catalog events", () => {
  const stored = event("service.updated");
  expect(bodyFor(keyWith(["webhooks.write"]), stored)).toBe(stored.body);
});

test.each<[Scope[], Partial<EventReader>, string[]]>([
  [["services.read"], { eventGroups: ["catalog"] }, ["It receives no data about guests."]],
  [
    ["services.read"],
    { eventGroups: ["tickets"] },
    [
      "At webhook endpoints that you create for it, it receives the events of all ticket orders, without customer references.",
    ],
  ],
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
      "At webhook endpoints that you create for it, it receives the events of all bookings, reservations and ticket orders, with customer references.",
    ],
  ],
])("the guest data of a key with the scopes %s are told (%o)", (scopes, fields, sentences) => {
  expect(describeGuestData(keyWith(scopes, fields))).toEqual(sentences);
});

const subsetsOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((__, i) => bits & (1 << i)));

test("the text about a key's guest data says which events and customer references the key receives, for all scopes", () => {
  for (const scopes of subsetsOf(SCOPES))
    for (const eventGroups of subsetsOf(EVENT_GROUPS)) {
      const key = keyWith(scopes, { eventGroups });
      const reads = (type: "booking.cancelled" | "ticket_order.created", ownerKeyId: string) =>
        mayReadEvent(key, { type, ownerKeyId });
      const [own, all] = [key.id, "key_2"].map((owner) => ({
        bookings: reads("booking.cancelled", owner),
        orders: reads("ticket_order.created", owner),
        references: bodyFor(key, event("booking.cancelled")).includes("web-812"),
      })) as [Received, Received];
      const text = describeGuestData(key).join(" ");
      const told = /events of (its own|all) (.*?)(?:, with(out)? customer references)?\./.exec(
        text,
      );
      expect
        .soft(
          told && {
            isOwn: told[1] === "its own",
            bookings: told[2]?.includes("bookings"),
            orders: told[2]?.includes("ticket orders"),
          },
          text,
        )
        .toEqual(
          own.bookings || own.orders
            ? {
                isOwn: !(all.bookings || all.orders),
                bookings: own.bookings,
                orders: own.orders,
              }
            : null,
        );
      if (told?.[1] === "all") expect.soft(told[3] === undefined, text).toBe(all.references);
      const readsLists = grants(key, "bookings.read");
      const writes = grants(key, "bookings.write") || grants(key, "tickets.write");
      expect
        .soft(text === "It receives no data about guests.", text)
        .toBe(told === null && !readsLists && !writes);
    }
});

type Received = { bookings: boolean; orders: boolean; references: boolean };
