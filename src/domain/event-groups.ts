import { grants, type KeyKind, type Scope } from "./api-key.ts";
import { type EventPrefix, type EventType, prefixOf } from "./event-types.ts";

/** An API key receives only events of its groups. */
export const EVENT_GROUPS = ["catalog", "bookings", "tickets"] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

/** Other events belong to the catalog. */
const GROUPS: Partial<Record<EventPrefix, EventGroup>> = {
  booking: "bookings",
  reservation: "bookings",
  ticket_order: "tickets",
  ticket: "tickets",
};

const groupOf = (type: EventType): EventGroup => GROUPS[prefixOf(type)] ?? "catalog";

export type EventReader = {
  id: string;
  kind: KeyKind;
  scopes: readonly Scope[];
  eventGroups: readonly EventGroup[];
};

export const maySubscribe = ({ eventGroups }: Pick<EventReader, "eventGroups">, type: EventType) =>
  eventGroups.includes(groupOf(type));

/**
 * Whether a key may read an event. A key that writes bookings or orders, but may not read those of
 * others, receives only events of its own.
 * @param ownerKeyId the key that created the booking, reservation or order; null for the operator
 */
export const mayReadEvent = (
  key: EventReader,
  { type, ownerKeyId }: { type: EventType; ownerKeyId: string | null },
): boolean =>
  maySubscribe(key, type) &&
  (groupOf(type) === "catalog" || ownerKeyId === key.id || !isLimitedToOwn(key));

/** Whether a key receives the events of its own bookings and orders only. */
export const isLimitedToOwn = (key: EventReader): boolean =>
  (grants(key, "bookings.write") || grants(key, "tickets.write")) && !grants(key, "bookings.read");
