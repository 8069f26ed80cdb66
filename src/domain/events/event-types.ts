import { grants, type KeyKind, type Scope } from "../api-key.ts";

/**
 * The 38 event types of the "Catalog and Webhook Integration API" specification, which deskbell
 * implements, in its order.
 */
export const EVENT_TYPES = [
  "catalog.changed",
  "service.created",
  "service.updated",
  "service.deleted",
  "service.reordered",
  "service_price.updated",
  "service_variant.changed",
  "service_category.created",
  "service_category.updated",
  "service_category.deleted",
  "service_category.reordered",
  "menu_item.created",
  "menu_item.updated",
  "menu_item.deleted",
  "menu_item.reordered",
  "menu_category.created",
  "menu_category.updated",
  "menu_category.deleted",
  "menu_category.reordered",
  "promotion.created",
  "promotion.updated",
  "promotion.deleted",
  "staff.created",
  "staff.updated",
  "staff.deleted",
  "staff.reordered",
  "addon.created",
  "addon.updated",
  "addon.deleted",
  "event.created",
  "event.updated",
  "event.deleted",
  "ticket_order.created",
  "ticket_order.confirmed",
  "ticket_order.cancelled",
  "ticket.checked_in",
  "booking.created",
  "reservation.created",
] as const;

/**
 * Event types that the specification lacks. A client subscribes to each of them by name, because
 * `all` does not include them.
 */
export const ADDITIONAL_EVENT_TYPES = [
  "event_availability.updated",
  "business.added",
  "business.removed",
  "booking.updated",
  "booking.cancelled",
  "reservation.updated",
  "reservation.cancelled",
] as const;

export const ALL_EVENT_TYPES = [...EVENT_TYPES, ...ADDITIONAL_EVENT_TYPES] as const;

export type EventType = (typeof ALL_EVENT_TYPES)[number];

export const isEventType = (name: string): name is EventType =>
  (ALL_EVENT_TYPES as readonly string[]).includes(name);

const EVENT_FLAGS = [
  "schedule",
  "venue",
  "status",
  "ticketTypes",
  "price",
  "availability",
  "details",
] as const;

/**
 * The flags in `data.changed`, by the prefix of the event type. The specification defines those of
 * `service`.
 */
export const CHANGED_FLAGS = {
  service: ["price", "variants", "addons"],
  service_price: ["price", "variants", "addons"],
  service_variant: ["price", "variants", "addons"],
  service_category: ["details", "status", "services"],
  menu_item: ["price", "availability", "details", "images", "modifiers", "category"],
  menu_category: ["details", "items", "availability", "images"],
  promotion: ["benefit", "schedule", "scope", "status", "details"],
  staff: ["profile", "services", "status", "images"],
  addon: ["price", "duration", "details", "status"],
  event: EVENT_FLAGS,
  event_availability: EVENT_FLAGS,
  catalog: [
    "menu",
    "services",
    "serviceCategories",
    "staff",
    "promotions",
    "events",
    "profile",
    "availability",
  ],
  ticket_order: ["status", "items"],
  ticket: ["checkIn"],
  booking: ["status", "schedule", "staff", "services", "guests", "price"],
  reservation: ["status", "schedule", "table", "partySize"],
  business: [],
} as const satisfies Record<string, readonly string[]>;

export type EventPrefix = keyof typeof CHANGED_FLAGS;

/**
 * The flags that can be true in events of a type, if these are not all flags in `CHANGED_FLAGS`.
 * The events still contain the other flags, which are false, because partners may read them.
 */
const SETTABLE_FLAGS: Partial<Record<EventType, readonly string[]>> = {
  "service_category.updated": ["details"],
  "menu_category.updated": ["details", "availability", "images"],
  "addon.updated": ["price", "duration", "details"],
  "event_availability.updated": ["availability"],
  "ticket_order.confirmed": ["status"],
  "ticket_order.cancelled": ["status"],
  "booking.updated": ["status", "schedule", "staff", "services", "price"],
  "booking.cancelled": ["status"],
  "reservation.cancelled": ["status"],
};

/** Returns the flags of `data.changed` that can be true in an event of this type. */
export function settableFlags(type: EventType): readonly string[] {
  const action = actionOf(type);
  if (action === "deleted" || action === "reordered") return [];
  return SETTABLE_FLAGS[type] ?? CHANGED_FLAGS[prefixOf(type)];
}

export const prefixOf = (type: EventType): EventPrefix =>
  type.slice(0, type.indexOf(".")) as EventPrefix;

/**
 * If an event is about a part of an object, the type of its resource is the type of the whole
 * object.
 */
const RESOURCE_TYPES: Partial<Record<EventPrefix, EventPrefix>> = {
  service_price: "service",
  service_variant: "service",
  event_availability: "event",
};

export const resourceTypeOf = (prefix: EventPrefix): string => RESOURCE_TYPES[prefix] ?? prefix;

export const actionOf = (type: EventType): string => type.slice(type.indexOf(".") + 1);

/** Groups of event types. An API key receives only events of its groups. */
export const EVENT_GROUPS = ["catalog", "bookings", "tickets"] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

/** The groups of event types by prefix. All other event types belong to the catalog. */
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
 * Returns whether a key may read an event. A key that may create bookings or orders, but not read
 * all of them, reads no event about a booking or order that somebody else made. An event with the
 * prefix `business` says that a partner was given access to a business or lost it. Each access is
 * an API key, and this key alone may read the event.
 * @param ownerKeyId the key that created the booking, reservation or order, or the key that is the
 * access; null for the operator
 */
export function mayReadEvent(
  key: EventReader,
  { type, ownerKeyId }: { type: EventType; ownerKeyId: string | null },
): boolean {
  if (!maySubscribe(key, type)) return false;
  if (prefixOf(type) === "business") return ownerKeyId === key.id;
  return groupOf(type) === "catalog" || ownerKeyId === key.id || !isLimitedToOwn(key);
}

/** Returns whether a key reads events about bookings and orders only if it made them itself. */
export const isLimitedToOwn = (key: EventReader): boolean =>
  (grants(key, "bookings.write") || grants(key, "tickets.write")) && !grants(key, "bookings.read");
