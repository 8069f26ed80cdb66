import { expect, test } from "vitest";
import { type Scope, SCOPES } from "../../../../src/domain/api-key.ts";
import {
  EVENT_GROUPS,
  type EventGroup,
  mayReadEvent,
  maySubscribe,
  ALL_EVENT_TYPES,
} from "../../../../src/domain/events/event-types.ts";

test("every event type belongs to one group", () => {
  const typesOf = (group: EventGroup) =>
    ALL_EVENT_TYPES.filter((type) => maySubscribe({ eventGroups: [group] }, type));
  expect(typesOf("bookings")).toEqual([
    "booking.created",
    "reservation.created",
    "booking.updated",
    "booking.cancelled",
    "reservation.updated",
    "reservation.cancelled",
  ]);
  expect(typesOf("tickets")).toEqual([
    "ticket_order.created",
    "ticket_order.confirmed",
    "ticket_order.cancelled",
    "ticket.checked_in",
  ]);
  expect(EVENT_GROUPS.flatMap(typesOf).toSorted()).toEqual(ALL_EVENT_TYPES.toSorted());
});

const OTHERS = ["key_other", null];
test.each<[Scope[], canReadOthers: boolean]>([
  [["webhooks.read"], true],
  [["webhooks.write", "services.read"], true],
  [["bookings.write"], false],
  [["tickets.write", "webhooks.read"], false],
  [["tickets.write", "bookings.read"], true],
  [["bookings.manage"], true],
])("a restricted key with %j reads events of the bookings of others: %s", (scopes, expected) => {
  const key = { id: "key_1", kind: "RESTRICTED" as const, scopes, eventGroups: EVENT_GROUPS };
  for (const type of ["booking.cancelled", "reservation.created", "ticket.checked_in"] as const) {
    expect(mayReadEvent(key, { type, ownerKeyId: "key_1" })).toBe(true);
    for (const ownerKeyId of OTHERS) {
      expect(mayReadEvent(key, { type, ownerKeyId })).toBe(expected);
      expect(mayReadEvent({ ...key, kind: "SECRET", scopes: SCOPES }, { type, ownerKeyId })).toBe(
        true,
      );
    }
  }
  expect(mayReadEvent(key, { type: "service.updated", ownerKeyId: null })).toBe(true);
});
