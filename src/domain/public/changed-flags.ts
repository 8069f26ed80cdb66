import type { PublicObject } from "./public-context.ts";
import type { PublicMenuCategory, PublicMenuItem } from "./menu.ts";
import type { PublicPromotion } from "./promotion.ts";
import type { PublicEvent } from "./public-event.ts";
import { deepEqual } from "../equality.ts";
import type { PublicAddon, PublicService, PublicServiceCategory } from "./service.ts";
import type { PublicStaff } from "./staff.ts";

// Which flags of `data.changed` an update sets. Each type is divided into facets: the name of a flag
// and the values that it covers. Values without a flag are under "". A Map holds the prices of parts
// by ID; only parts on both sides are compared, since added and removed parts have their own flag.

type Facets = Record<string, unknown>;

const VERSION_FIELDS = new Set(["version", "updatedAt"]);
const sameFacet = (a: unknown, b: unknown): boolean =>
  a instanceof Map && b instanceof Map
    ? changedKeys(a, b).length === 0
    : deepEqual(a, b, VERSION_FIELDS);

const changedKeys = (a: Map<string, unknown>, b: Map<string, unknown>): string[] =>
  [...a.keys()].filter((key) => b.has(key) && !deepEqual(a.get(key), b.get(key)));

const servicePrices = (service: PublicService): Map<string, unknown> =>
  new Map<string, unknown>([
    [service.id, [service.priceCents, service.currency, service.priceType]],
    ...service.variants.map((variant) => [variant.id, variant.priceCents] as const),
    ...service.addonLinks.map((link) => [link.id, link.priceCents] as const),
  ]);

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

export const repricedVariants = (before: PublicService, after: PublicService): string[] =>
  changedKeys(
    new Map(before.variants.map((variant) => [variant.id, variant.priceCents])),
    new Map(after.variants.map((variant) => [variant.id, variant.priceCents])),
  );

export function changedVariants(before: PublicService, after: PublicService): string[] {
  const previous = new Map(before.variants.map((variant) => [variant.id, variant]));
  const changed = after.variants.filter(
    (variant) => !deepEqual(previous.get(variant.id), variant, VERSION_FIELDS),
  );
  const kept = new Set(after.variants.map((variant) => variant.id));
  return [
    ...changed.map((variant) => variant.id),
    ...[...previous.keys()].filter((id) => !kept.has(id)),
  ];
}

const addonFacets = ({ priceCents, currency, durationMin, ...details }: PublicAddon): Facets => ({
  price: [priceCents, currency],
  duration: durationMin,
  details,
});

const serviceCategoryFacets = ({ sortOrder, ...details }: PublicServiceCategory): Facets => ({
  details,
});

const staffFacets = ({
  serviceIds,
  serviceOverrides,
  bookable,
  images,
  sortOrder,
  ...profile
}: PublicStaff): Facets => ({
  services: [serviceIds, serviceOverrides],
  status: bookable,
  images,
  profile,
});

const menuCategoryFacets = ({
  availability,
  images,
  sortOrder,
  ...details
}: PublicMenuCategory): Facets => ({
  availability,
  images,
  details,
});

function menuItemFacets(item: PublicMenuItem): Facets {
  const {
    priceCents,
    currency,
    priceType,
    sizes,
    availability,
    soldOut,
    images,
    modifierGroupIds,
    categoryIds,
    sortOrder,
    ...other
  } = item;
  return {
    price: [priceCents, currency, priceType, sizes.map((size) => [size.id, size.priceCents])],
    availability: [availability, soldOut],
    images,
    modifiers: modifierGroupIds,
    category: categoryIds,
    details: [other, sizes.map((size) => size.name)],
  };
}

const promotionFacets = ({
  benefit,
  schedule,
  appliesTo,
  active,
  sortOrder,
  ...details
}: PublicPromotion): Facets => ({
  benefit,
  schedule,
  scope: appliesTo,
  status: active,
  details,
});

function eventFacets(event: PublicEvent): Facets {
  const {
    startsAt,
    endsAt,
    doorsAt,
    timezone,
    venue,
    attendanceMode,
    status,
    ticketTypes,
    availability,
    sortOrder,
    ...details
  } = event;
  return {
    schedule: [startsAt, endsAt, doorsAt, timezone],
    venue: [venue, attendanceMode],
    status,
    // The number of tickets left is not reported, only a change of the sale state.
    ticketTypes: ticketTypes.map(({ availability: _state, priceCents, ...terms }) => terms),
    price: new Map(ticketTypes.map((type) => [type.id, [type.priceCents, type.currency]])),
    availability: [
      availability.state,
      ticketTypes.map((type) => [type.id, type.availability.state]),
    ],
    details,
  };
}

const FACETS = {
  service: serviceFacets,
  addon: addonFacets,
  service_category: serviceCategoryFacets,
  staff: staffFacets,
  menu_category: menuCategoryFacets,
  menu_item: menuItemFacets,
  promotion: promotionFacets,
  event: eventFacets,
};

/** Names of the facets that differ, "" for values without a flag. Empty if no event is due. */
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
