import { minutesOf } from "../../../domain/local-time.ts";
import { formatMoney } from "../../../domain/money.ts";
import type { PublicMenuItem } from "../../../domain/public/menu.ts";
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import type { PublicService } from "../../../domain/public/service.ts";
import { showHidden } from "../../../domain/text.ts";
import type { Dishes, Events, Services, Shop } from "./content.ts";
import { hasTime } from "./event-time.ts";
import { MAX_PARTS } from "../layout.ts";
import { pathsOf } from "../paths.ts";

// JSON-LD with the words of schema.org, as search engines read it. A field without a value is left
// out.

type Node = { [name: string]: unknown };

const CONTEXT = "https://schema.org";

/**
 * Returns a node without null fields and empty lists. Hidden characters in its texts are made
 * visible.
 */
function compact(node: Node): Node {
  const compacted: Node = {};
  for (const [name, value] of Object.entries(node)) {
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
      continue;
    compacted[name] = typeof value === "string" ? showHidden(value) : value;
  }
  return compacted;
}

export const toGraph = (nodes: readonly Node[]): Node => ({
  "@context": CONTEXT,
  "@graph": nodes.filter((node) => Object.keys(node).length > 0),
});

const idOf = (shop: Shop): string => `${shop.origin}${shop.path}#business`;

/** The types of schema.org that can have a menu. */
const FOOD_TYPES = new Set([
  "Bakery",
  "BarOrPub",
  "Brewery",
  "CafeOrCoffeeShop",
  "Distillery",
  "FastFoodRestaurant",
  "FoodEstablishment",
  "IceCreamShop",
  "Restaurant",
  "Winery",
]);

/**
 * Returns the type that the business states. If it states none, a business with dishes is a
 * `FoodEstablishment`.
 */
const typeOf = ({ profile: { type }, counts }: Shop): string =>
  type ?? (counts.dishes > 0 ? "FoodEstablishment" : "LocalBusiness");

export function toBusiness(shop: Shop): Node {
  const { profile, theme, path, origin, counts } = shop;
  const paths = pathsOf(path);
  return compact({
    "@type": typeOf(shop),
    "@id": idOf(shop),
    name: profile.name,
    description: profile.description,
    url: `${origin}${path}`,
    image: profile.images.map(({ url }) => url),
    logo: theme.logo,
    telephone: profile.phone,
    email: profile.email,
    address: toAddress(shop),
    geo: profile.geo && { "@type": "GeoCoordinates", ...profile.geo },
    priceRange: profile.priceRange,
    currenciesAccepted: profile.currency,
    openingHoursSpecification: [...toRegularHours(shop), ...toSpecialHours(shop)],
    sameAs: [profile.websiteUrl, ...profile.links.map(({ url }) => url)].filter(
      (url) => url !== null,
    ),
    hasMenu: counts.dishes > 0 && FOOD_TYPES.has(typeOf(shop)) ? `${origin}${paths.menu}` : null,
    potentialAction: shop.bookUrl
      ? {
          "@type": "ReserveAction",
          target: { "@type": "EntryPoint", urlTemplate: `${origin}${shop.bookUrl}` },
        }
      : null,
  });
}

function toAddress({ profile: { postalAddress, address } }: Shop): Node | string | null {
  if (postalAddress === null) return address;
  return compact({
    "@type": "PostalAddress",
    streetAddress: postalAddress.street,
    addressLocality: postalAddress.locality,
    addressRegion: postalAddress.region,
    postalCode: postalAddress.postalCode,
    addressCountry: postalAddress.country,
  });
}

const DAY_NAMES = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
} as const;

const DAY_MIN = 1440;

/** Returns a time of schema.org; the end of a day is 23:59, since 00:00 would be its start. */
function toTime(minute: number): string {
  const within = minute === DAY_MIN ? DAY_MIN - 1 : minute % DAY_MIN;
  const [hours, minutes] = [Math.floor(within / 60), within % 60];
  return `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

const toRegularHours = ({ profile }: Shop): Node[] =>
  profile.openingHours.regular.map(({ days, start, end, validFrom, validTo }) =>
    compact({
      "@type": "OpeningHoursSpecification",
      dayOfWeek: days.map((day) => DAY_NAMES[day]),
      opens: toTime(minutesOf(start)),
      closes: toTime(minutesOf(end)),
      validFrom,
      validThrough: validTo,
    }),
  );

/** A closed day opens and closes at midnight. */
const CLOSED = [{ start: 0, end: 0 }];

const toSpecialHours = ({ specialDays }: Shop): Node[] =>
  specialDays.flatMap(({ from, to, hours }) =>
    (hours.length === 0 ? CLOSED : hours).map(({ start, end }) => ({
      "@type": "OpeningHoursSpecification",
      opens: toTime(start),
      closes: toTime(end),
      validFrom: from,
      validThrough: to,
    })),
  );

const toOffer = (shop: Shop, priceCents: number, fields: Node = {}): Node =>
  compact({
    "@type": "Offer",
    price: formatMoney(priceCents, shop.profile),
    priceCurrency: shop.profile.currency,
    ...fields,
  });

export const toServices = (shop: Shop, { sections }: Services): Node =>
  compact({
    "@type": "OfferCatalog",
    "@id": `${shop.origin}${pathsOf(shop.path).services}#catalog`,
    name: shop.texts.services,
    itemListElement: sections.map(({ group, items }) =>
      compact({
        "@type": "OfferCatalog",
        name: group?.name ?? shop.texts.more,
        itemListElement: items.map((service) => toServiceOffer(shop, service)),
      }),
    ),
  });

function toServiceOffer(shop: Shop, service: PublicService): Node {
  const { id, name, description, priceType } = service;
  const itemOffered = compact({
    "@type": "Service",
    "@id": `${shop.origin}${pathsOf(shop.path).services}#${id}`,
    name,
    description,
    provider: { "@id": idOf(shop) },
  });
  if (priceType === "ON_REQUEST") return compact({ "@type": "Offer", itemOffered });
  const lowestPrice = formatMoney(service.priceFromCents, shop.profile);
  const isExact = priceType !== "FROM" && service.variants.length === 0;
  if (isExact) return toOffer(shop, service.priceCents, { itemOffered });
  return {
    "@type": "Offer",
    itemOffered,
    priceSpecification: {
      "@type": "PriceSpecification",
      price: lowestPrice,
      minPrice: lowestPrice,
      priceCurrency: shop.profile.currency,
    },
  };
}

export const toMenu = (shop: Shop, { sections, page }: Dishes): Node => {
  const url = `${shop.origin}${pathsOf(shop.path).menu}`;
  return compact({
    "@type": "Menu",
    "@id": page === 1 ? `${url}#menu` : `${url}?page=${page}#menu`,
    name: shop.texts.menu,
    url,
    inLanguage: shop.locale,
    provider: { "@id": idOf(shop) },
    hasMenuSection: sections.map(({ group, items }) =>
      compact({
        "@type": "MenuSection",
        name: group?.name ?? shop.texts.more,
        description: group?.description,
        hasMenuItem: items.map((item) => toMenuItem(shop, item)),
      }),
    ),
  });
};

const DIETS: Record<string, string> = {
  vegan: "https://schema.org/VeganDiet",
  vegetarian: "https://schema.org/VegetarianDiet",
  "gluten-free": "https://schema.org/GlutenFreeDiet",
  halal: "https://schema.org/HalalDiet",
  kosher: "https://schema.org/KosherDiet",
};

function toMenuItem(shop: Shop, item: PublicMenuItem): Node {
  const offers =
    item.sizes.length > 0
      ? item.sizes
          .slice(0, MAX_PARTS)
          .map(({ name, priceCents }) => toOffer(shop, priceCents, { name: showHidden(name) }))
      : item.priceType === "MARKET"
        ? []
        : [toOffer(shop, item.priceCents)];
  const availability = item.soldOut ? { availability: "https://schema.org/SoldOut" } : {};
  return compact({
    "@type": "MenuItem",
    "@id": `${shop.origin}${pathsOf(shop.path).menu}#${item.id}`,
    name: item.name,
    description: item.description,
    image: item.images[0]?.url,
    offers: offers.map((offer) => ({ ...offer, ...availability })),
    suitableForDiet: item.dietary.flatMap((label) => DIETS[label.toLowerCase()] ?? []),
    nutrition:
      item.calories === null
        ? null
        : { "@type": "NutritionInformation", calories: `${item.calories} calories` },
  });
}

const EVENT_STATUS = {
  PUBLISHED: "EventScheduled",
  ENDED: "EventScheduled",
  CANCELLED: "EventCancelled",
  POSTPONED: "EventPostponed",
} as const;

const ATTENDANCE = {
  IN_PERSON: "OfflineEventAttendanceMode",
  ONLINE: "OnlineEventAttendanceMode",
  MIXED: "MixedEventAttendanceMode",
} as const;

const AVAILABILITY = {
  ON_SALE: "InStock",
  FEW_LEFT: "LimitedAvailability",
  NOT_YET: "PreOrder",
  SOLD_OUT: "SoldOut",
  ENDED: "Discontinued",
} as const;

export const toEvents = (shop: Shop, { sections }: Events): Node[] =>
  sections.flatMap(({ items }) => items.map((event) => toEvent(shop, event)));

export function toEvent(shop: Shop, event: PublicEvent): Node {
  const url = `${shop.origin}${pathsOf(shop.path).event(event.slug)}`;
  return compact({
    "@type": "Event",
    "@id": `${url}#event`,
    name: event.name,
    description: event.description,
    url,
    // Google requires the start even of a postponed event, whose status says that it is void.
    startDate: event.startsAt,
    endDate: hasTime(event) ? event.endsAt : null,
    doorTime: hasTime(event) ? event.doorsAt : null,
    eventStatus: `${CONTEXT}/${EVENT_STATUS[event.status]}`,
    eventAttendanceMode: `${CONTEXT}/${ATTENDANCE[event.attendanceMode]}`,
    location: toLocations(shop, event, url),
    image: event.images.map((image) => image.url),
    organizer: {
      "@type": "Organization",
      name: showHidden(shop.profile.name),
      url: `${shop.origin}${shop.path}`,
    },
    offers: event.ticketTypes
      .slice(0, MAX_PARTS)
      .map(({ name, priceCents, availability, salesStartAt, salesEndAt }) =>
        toOffer(shop, priceCents, {
          name,
          url,
          availability: `${CONTEXT}/${AVAILABILITY[availability.state]}`,
          validFrom: salesStartAt,
          validThrough: salesEndAt,
        }),
      ),
  });
}

function toLocations(shop: Shop, { venue, attendanceMode }: PublicEvent, url: string): unknown {
  // Google requires an address, so the name of the place replaces an unknown address.
  const place = compact({
    "@type": "Place",
    name: venue?.name ?? shop.profile.name,
    address:
      venue === null ? (toAddress(shop) ?? shop.profile.name) : (venue.address ?? venue.name),
  });
  const online = { "@type": "VirtualLocation", url };
  if (attendanceMode === "ONLINE") return online;
  return attendanceMode === "MIXED" ? [place, online] : place;
}
