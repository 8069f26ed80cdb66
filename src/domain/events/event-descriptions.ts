import {
  actionOf,
  type CHANGED_FLAGS,
  type EventPrefix,
  type EventType,
  prefixOf,
  settableFlags,
} from "./event-types.ts";

/** When an event of each type is sent: Markdown for partners. */
export const SENT_WHEN: Record<EventType, string> = {
  "catalog.changed":
    "Something that partners read changed: the catalog, the profile or hours of the business, or what can be booked apart from visits. It is the last event of every such change and names the routes to read again.",
  "service.created": "A service was created, or a hidden service became visible.",
  "service.updated":
    "A visible field of a service changed, its price, variants and add-ons included. A new position alone sends `service.reordered`, and a change inside an add-on sends `addon.updated`.",
  "service.deleted": "A service was deleted or hidden.",
  "service.reordered": "The order of the services changed.",
  "service_price.updated":
    "The price of a service, of one of its variants or of an add-on in it changed. It follows the `service.updated` of the same change, with the same object.",
  "service_variant.changed":
    "A variant of a service was added, changed, hidden or removed. It follows the `service.updated` of the same change, with the same object.",
  "service_category.created":
    "A category of services was created, or a hidden category became visible.",
  "service_category.updated":
    "A visible field of a category of services changed. The services in it send events of their own.",
  "service_category.deleted": "A category of services was deleted or hidden.",
  "service_category.reordered": "The order of the categories of services changed.",
  "menu_item.created": "A dish was created, or a hidden dish became visible.",
  "menu_item.updated":
    "A visible field of a dish changed. It is also sent when the dish is sold out or available again, and when one of its modifier groups changed.",
  "menu_item.deleted": "A dish was deleted or hidden. A dish that is sold out is not deleted.",
  "menu_item.reordered": "The order of the dishes changed.",
  "menu_category.created":
    "A category of the menu was created, or a hidden category became visible.",
  "menu_category.updated":
    "A visible field of a category of the menu changed. The dishes in it send events of their own.",
  "menu_category.deleted": "A category of the menu was deleted or hidden.",
  "menu_category.reordered": "The order of the categories of the menu changed.",
  "promotion.created":
    "A promotion was created, or a paused promotion became visible. Its schedule may begin later: see `active`.",
  "promotion.updated":
    "A visible field of a promotion changed. It is also sent when the promotion begins or ends by its schedule, which changes `active`.",
  "promotion.deleted": "A promotion was deleted or paused.",
  "staff.created": "A staff profile was created, or became public.",
  "staff.updated":
    "A visible field of a staff profile changed, the services that the person performs included. Working hours and absences are not visible: they send `catalog.changed` with the flag `availability`.",
  "staff.deleted": "A staff profile was deleted, or is no longer public.",
  "staff.reordered": "The order of the staff profiles changed.",
  "addon.created":
    "An add-on was created, or a hidden add-on became visible. The `catalog.changed` of the same change names the services that contain it.",
  "addon.updated":
    "A visible field of an add-on changed. The `catalog.changed` of the same change names the services that contain it.",
  "addon.deleted":
    "An add-on was deleted or hidden. The `catalog.changed` of the same change names the services that contained it.",
  "event.created": "A public event was published.",
  "event.updated":
    "A visible field of a public event changed: its date, texts, status, ticket types or the sale state of its tickets. It is also sent when the public event is cancelled, postponed or over.",
  "event.deleted": "A public event was deleted, or is a draft again.",
  "ticket_order.created": "Tickets were ordered. The order takes them until it expires.",
  "ticket_order.confirmed": "An order was paid, and its tickets were issued.",
  "ticket_order.cancelled":
    "An order was cancelled, or expired before it was confirmed: `status` is CANCELLED or EXPIRED.",
  "ticket.checked_in": "A ticket was checked in at the entrance.",
  "booking.created":
    "A booking was made, by an API key or by the business. `status` is PENDING if the business has to approve it.",
  "reservation.created":
    "A table was reserved, by an API key or by the business. `status` is PENDING if the business has to approve it.",
  "event_availability.updated":
    "The number of tickets left for a public event changed. It is sent at most once in 10 seconds for each public event.",
  "booking.updated":
    "A booking was approved, moved, completed or marked as a no-show, or its guest data or `customerRef` changed.",
  "booking.cancelled": "A booking was cancelled or declined, or was not approved in time.",
  "reservation.updated":
    "A reservation was approved, moved, completed or marked as a no-show, or its guest data or `customerRef` changed.",
  "reservation.cancelled": "A reservation was cancelled or declined, or was not approved in time.",
  "business.added":
    "Only for the key of a partner with several businesses: the partner reaches this business from now on. Read its lists.",
  "business.removed":
    "Only for the key of a partner with several businesses: the partner no longer reaches this business. It is the last event of the business; a business that is deleted sends none.",
};

const SERVICE_FLAGS = {
  price: "price, currency or price type of the service, or the price of a variant or add-on in it",
  variants: "a variant, or the list of variants",
  addons: "the list of add-ons, or their terms in this service",
};
const PUBLIC_EVENT_FLAGS = {
  schedule: "start, end, doors or time zone",
  venue: "venue or attendance mode",
  status: "published, cancelled, postponed or over",
  ticketTypes: "the list of ticket types, or their terms",
  price: "the price of a ticket type",
  availability: "the sale state of the tickets, not the number left",
  details: "any other field, such as the name or the description",
};
const OTHER = "any other field, such as the name or the description";

/** What each flag of `data.changed` is about. */
const FLAGS: { [P in EventPrefix]: Record<(typeof CHANGED_FLAGS)[P][number], string> } = {
  catalog: {
    menu: "the route `menu`",
    services: "the route `services`",
    serviceCategories: "the route `service-categories`",
    staff: "the route `staff`",
    promotions: "the route `promotions`",
    events: "the route `events/catalog`",
    profile: "the profile of the business",
    availability: "free times: hours, closures, absences, or rules of booking",
  },
  service: SERVICE_FLAGS,
  service_price: SERVICE_FLAGS,
  service_variant: SERVICE_FLAGS,
  service_category: {
    details: "any field",
    status: "whether the category is visible",
    services: "the services in the category",
  },
  menu_item: {
    price: "price, currency or price type, or the price of a size",
    availability: "the times at which the dish is served, or whether it is sold out",
    details: OTHER,
    images: "the images",
    modifiers: "the list of modifier groups, or the content of one",
    category: "the categories that the dish is in",
  },
  menu_category: {
    details: OTHER,
    items: "the dishes in the category",
    availability: "the times at which the category is served",
    images: "the images",
  },
  promotion: {
    benefit: "what the guest gets",
    schedule: "when the promotion applies",
    scope: "what the promotion applies to",
    status: "`active`: the promotion has begun or ended",
    details: OTHER,
  },
  business: {},
  staff: {
    profile: OTHER,
    services: "the services that the person performs, or their price or duration",
    status: "`bookable`: whether guests can choose the person",
    images: "the images",
  },
  addon: {
    price: "price or currency",
    duration: "duration",
    details: OTHER,
    status: "whether the add-on is visible",
  },
  event: PUBLIC_EVENT_FLAGS,
  event_availability: { ...PUBLIC_EVENT_FLAGS, availability: "the number of tickets left" },
  ticket_order: { status: "status", items: "the tickets in the order" },
  ticket: { checkIn: "`checkedInAt`" },
  booking: {
    status: "status",
    schedule: "start or end, also of a single service",
    staff: "the staff member of a service",
    services: "the services, variants and add-ons",
    guests: "the number of guests",
    price: "the price",
  },
  reservation: {
    status: "status",
    schedule: "start or end",
    table: "the table or area",
    partySize: "the size of the party",
  },
};

/** Returns when the flags of `data.changed` are true in an event of this type. */
export function describeFlags(type: EventType): string {
  switch (actionOf(type)) {
    case "created":
      return "All flags are true, because the object is new.";
    case "deleted":
      return "All flags are false, because the object is gone.";
    case "reordered":
      return "All flags are false, because the objects only moved.";
    default:
      return "A flag is true if its part changed, and all are false if only other parts did.";
  }
}

/**
 * Returns each flag of an event type with its description. The description of a flag that is never
 * true in such an event says so, unless no flag can be true: `describeFlags` then says it for all
 * of them.
 */
export function flagDescriptions(type: EventType): [flag: string, description: string][] {
  const settable = settableFlags(type);
  return Object.entries<string>(FLAGS[prefixOf(type)]).map(([flag, description]) => [
    flag,
    settable.length === 0 || settable.includes(flag)
      ? description
      : `${description}; never true in this event`,
  ]);
}
