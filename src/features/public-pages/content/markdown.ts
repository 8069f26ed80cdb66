import { showHidden } from "../../../domain/text.ts";
import { fillText } from "../../../pages/languages.ts";
import { addressLines } from "./address.ts";
import type { Dishes, Events, Services, Shop } from "./content.ts";
import { pathsOf } from "../paths.ts";
import type { BusinessContent } from "../view/business.tsx";
import { dishPrice } from "../view/menu.tsx";
import { durationOf, priceOf, priceText } from "../view/services.tsx";
import { hasTime } from "./event-time.ts";
import { hasHours, listWeeklyHours, writeDayHours } from "./weekly-hours.ts";

// Writes the page of a business as Markdown, which language models read more cheaply than HTML.

/** Returns text of the catalog as one line, in which Markdown finds no markup. */
const escape = (text: string): string =>
  showHidden(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\`*_{}[\]<>#|~!&]/g, "\\$&")
    .trim();

const heading = (level: number, text: string): string => `${"#".repeat(level)} ${escape(text)}`;

export function writeMarkdown(
  shop: Shop,
  { services, dishes, events, staff }: BusinessContent,
): string {
  const { profile, texts } = shop;
  const blocks = [
    heading(1, profile.name),
    ...(profile.description === null ? [] : [escape(profile.description)]),
    ...writeFacts(shop),
    ...writeHours(shop),
    ...(dishes.total > 0 ? [heading(2, texts.menu), ...writeDishes(shop, dishes)] : []),
    ...(services.total > 0 ? [heading(2, texts.services), ...writeServices(shop, services)] : []),
    ...(events.total > 0 ? [heading(2, texts.events), ...writeEventLines(shop, events)] : []),
    ...(staff.length > 0
      ? [
          heading(2, texts.team),
          staff
            .map(
              ({ name, title }) => `- ${escape(name)}${title === null ? "" : `, ${escape(title)}`}`,
            )
            .join("\n"),
        ]
      : []),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function writeFacts(shop: Shop): string[] {
  const { profile, texts, origin, path } = shop;
  const address = addressLines(shop.profile).join(", ");
  const facts = [
    [texts.address, address],
    [texts.phone, profile.phone],
    [texts.email, profile.email],
    [texts.website, profile.websiteUrl],
    [texts.priceRange, profile.priceRange],
  ].flatMap(([name, value]) => (name && value ? [`- ${name}: ${escape(value)}`] : []));
  return [[...facts, `- URL: ${origin}${path}`].join("\n")];
}

function writeHours(shop: Shop): string[] {
  const { texts, format, specialDays } = shop;
  if (!hasHours(shop)) return [];
  const lines = listWeeklyHours(shop).map(({ day, hours }) => {
    const lines = writeDayHours(shop, hours).map((line) =>
      line.validity === "" ? line.hours : `${line.hours} (${line.validity})`,
    );
    return `- ${format.weekday(day)}: ${lines.join(", ")}`;
  });
  const special = specialDays.map(({ from, to, name, hours }) => {
    const days = from === to ? from : `${from} – ${to}`;
    const open = hours.map(({ start, end }) => format.hours(start, end)).join(", ");
    return `- ${days}: ${open || texts.closed}${name === null ? "" : ` (${escape(name)})`}`;
  });
  return [heading(2, texts.hours), [...lines, ...special].join("\n")];
}

/** Returns the sections of a list, each with a line for each object. */
function writeSections<Item>(
  shop: Shop,
  { sections }: { sections: readonly { group: { name: string } | null; items: readonly Item[] }[] },
  toLine: (item: Item) => string,
): string[] {
  return sections.flatMap(({ group, items }) => {
    const lines = items.map(toLine).join("\n");
    if (group === null && sections.length === 1) return [lines];
    return [heading(3, group?.name ?? shop.texts.more), lines];
  });
}

/** Returns a line with the URL of a list of which only a part is shown; nothing if all is shown. */
const writeRest = (shop: Shop, listing: Dishes | Services | Events, path: string): string[] => {
  const shown = listing.sections.reduce((sum, { items }) => sum + items.length, 0);
  return shown >= listing.total ? [] : [`${shown} / ${listing.total}: ${shop.origin}${path}`];
};

const withDescription = (line: string, description: string | null): string =>
  description === null ? line : `${line}. ${escape(description)}`;

const writeDishes = (shop: Shop, dishes: Dishes): string[] => [
  ...writeSections(shop, dishes, (item) => {
    const price =
      item.sizes.length === 0
        ? dishPrice(shop, item)
        : item.sizes
            .map(({ name, priceCents }) => `${escape(name)} ${shop.format.money(priceCents)}`)
            .join(", ");
    const soldOut = item.soldOut ? ` (${shop.texts.soldOut})` : "";
    const { contains } = item.allergens;
    const list = shop.format.list(contains.map((one) => shop.texts.allergens[one]));
    const allergens = contains.length === 0 ? "" : ` ${fillText(shop.texts.contains, { list })}.`;
    return (
      withDescription(`- ${escape(item.name)}: ${price}${soldOut}`, item.description) + allergens
    );
  }),
  ...writeRest(shop, dishes, pathsOf(shop.path).menu),
];

const writeServices = (shop: Shop, services: Services): string[] => [
  ...writeSections(shop, services, (service) => {
    const line = `- ${escape(service.name)}: ${priceOf(shop, service)}, ${durationOf(shop, service)}`;
    const variants = service.variants.map(
      ({ name, priceCents, durationMin }) =>
        `  - ${escape(name)}: ${priceText(shop, service.priceType, priceCents)}, ${shop.format.duration(durationMin)}`,
    );
    return [withDescription(line, service.description), ...variants].join("\n");
  }),
  ...writeRest(shop, services, pathsOf(shop.path).services),
];

const writeEventLines = (shop: Shop, events: Events): string[] => [
  ...writeSections(shop, events, (event) => {
    const { status, availability, ticketTypes } = event;
    const state = status === "PUBLISHED" ? availability.state : status;
    const prices = ticketTypes.map(
      ({ name, priceCents }) => `${escape(name)} ${shop.format.money(priceCents)}`,
    );
    const startsAt = hasTime(event) ? event.startsAt : null;
    const facts = [startsAt, event.venue && escape(event.venue.name), state, ...prices];
    return withDescription(
      `- ${escape(event.name)}: ${facts.filter((fact) => fact !== null).join(", ")}`,
      event.description,
    );
  }),
  ...writeRest(shop, events, pathsOf(shop.path).events),
];
