import type { PublicObject } from "./public-context.ts";
import type { PublicMenuCategory, PublicMenuItem } from "./menu.ts";
import type { PublicPromotion } from "./promotion.ts";
import type { PublicEvent } from "./public-event.ts";
import { deepEqual } from "../equality.ts";
import type { PublicAddon, PublicService, PublicServiceCategory, PublicStaff } from "./service.ts";

// A facet of an object has the values that one flag of `data.changed` covers, and the name of this
// flag. An update sets the flag if the facet differs. The facet "" has the values without a flag. A
// facet that is a Map has prices by ID. Prices are compared only if both Maps have the ID, because
// added and removed objects have a flag of their own.

type Facets = Record<string, unknown>;

const VERSION_FIELDS = new Set(["version", "updatedAt"]);
const sameFacet = (a: unknown, b: unknown): boolean =>
  a instanceof Map && b instanceof Map
    ? changedKeys(a, b).length === 0
    : deepEqual(a, b, VERSION_FIELDS);

/** Returns the keys that both Maps have, with different values. */
const changedKeys = (a: Map<string, unknown>, b: Map<string, unknown>): string[] =>
  [...a.keys()].filter((key) => b.has(key) && !deepEqual(a.get(key), b.get(key)));

const servicePrices = (service: PublicService): Map<string, unknown> =>
  new Map<string, unknown>([
    [service.id, [service.priceCents, service.currency, service.priceType]],
    ...service.variants.map((variant) => [variant.id, variant.priceCents] as const),
    ...service.addonLinks.map((link) => [link.id, link.priceCents] as const),
  ]);

/**
 * Returns the facets of a service. Its `sortOrder` is in none, because `service.reordered` reports
 * it, and neither is `priceFromCents`, which changes only with its prices and variants.
 */
function serviceFacets(service: PublicService): Facets {
  const {
    variants,
    addonLinks,
    priceCents,
    currency,
    priceType,
    priceFromCents,
    sortOrder,
    ...other
  } = service;
  return {
    price: servicePrices(service),
    variants,
    // A change of the add-on itself is reported only by addon.updated.
    addons: addonLinks.map(({ addon, ...terms }) => terms),
    "": other,
  };
}

/** Returns the IDs of the variants whose price changed, without new and removed ones. */
export const repricedVariants = (before: PublicService, after: PublicService): string[] =>
  changedKeys(
    new Map(before.variants.map((variant) => [variant.id, variant.priceCents])),
    new Map(after.variants.map((variant) => [variant.id, variant.priceCents])),
  );

/** Returns the IDs of new, changed and removed variants. */
export function changedVariants(before: PublicService, after: PublicService): string[] {
  const previous = new Map(before.variants.map((variant) => [variant.id, variant]));
  const changed = after.variants.filter(
    (variant) => !deepEqual(previous.get(variant.id), variant, VERSION_FIELDS),
  );
  const idsAfter = new Set(after.variants.map((variant) => variant.id));
  return [
    ...changed.map((variant) => variant.id),
    ...[...previous.keys()].filter((id) => !idsAfter.has(id)),
  ];
}

/**
 * Returns the listed fields of each facet. The facet with the name `rest` has all other fields,
 * except `sortOrder`, which events about the order of a list report.
 */
function facetsOf<T extends object>(
  object: T,
  lists: Record<string, readonly (keyof T & string)[]>,
  rest: string,
): Facets {
  const listed = new Set<string>(["sortOrder", ...Object.values(lists).flat()]);
  const otherFields = Object.entries(object).filter(([name]) => !listed.has(name));
  return {
    ...Object.fromEntries(
      Object.entries(lists).map(([flag, names]) => [flag, names.map((name) => object[name])]),
    ),
    [rest]: Object.fromEntries(otherFields),
  };
}

/**
 * Returns the facets of a menu item. An added size sets the flag `price`, because no flag covers
 * sizes.
 */
function menuItemFacets({ sizes, ...item }: PublicMenuItem): Facets {
  const facets = facetsOf(
    item,
    {
      price: ["priceCents", "currency", "priceType"],
      availability: ["availability", "soldOut"],
      images: ["images"],
      modifiers: ["modifierGroupIds"],
      category: ["categoryIds"],
    },
    "details",
  );
  return {
    ...facets,
    price: [facets.price, sizes.map((size) => [size.id, size.priceCents])],
    details: [facets.details, sizes.map((size) => size.name)],
  };
}

const eventFacets = ({ ticketTypes, availability, ...event }: PublicEvent): Facets => ({
  ...facetsOf(
    event,
    {
      schedule: ["startsAt", "endsAt", "doorsAt", "timezone"],
      venue: ["venue", "attendanceMode"],
      status: ["status"],
    },
    "details",
  ),
  // The number of tickets left is not reported, only a change of the sale state.
  ticketTypes: ticketTypes.map(({ availability: _state, priceCents, ...terms }) => terms),
  price: new Map(ticketTypes.map((type) => [type.id, [type.priceCents, type.currency]])),
  availability: [availability.state, ticketTypes.map((type) => [type.id, type.availability.state])],
});

const FACETS = {
  service: serviceFacets,
  addon: (addon: PublicAddon) =>
    facetsOf(addon, { price: ["priceCents", "currency"], duration: ["durationMin"] }, "details"),
  service_category: (category: PublicServiceCategory) => facetsOf(category, {}, "details"),
  staff: (person: PublicStaff) =>
    facetsOf(
      person,
      { services: ["serviceIds", "serviceOverrides"], status: ["bookable"], images: ["images"] },
      "profile",
    ),
  menu_category: (category: PublicMenuCategory) =>
    facetsOf(category, { availability: ["availability"], images: ["images"] }, "details"),
  menu_item: menuItemFacets,
  promotion: (promotion: PublicPromotion) =>
    facetsOf(
      promotion,
      { benefit: ["benefit"], schedule: ["schedule"], scope: ["appliesTo"], status: ["active"] },
      "details",
    ),
  event: eventFacets,
};

/**
 * Returns the names of the facets that differ: the flags to set. If only values without a flag
 * differ, the one name is "", which sets no flag. The list is empty if no event is due.
 */
export function changedFlags(
  prefix: keyof typeof FACETS,
  before: PublicObject,
  after: PublicObject,
): string[] {
  const facets = FACETS[prefix] as (object: PublicObject) => Facets;
  const from = facets(before);
  const to = facets(after);
  return Object.keys(to).filter((name) => !sameFacet(from[name], to[name]));
}
