import type { Kind } from "../../domain/catalog/catalog.ts";
import { generateEvents, generatePromotions } from "./public-events.ts";
import { generateMenu, generateTables } from "./menu.ts";
import { createGenerator, type Generator } from "./generator.ts";
import { createSeededRandom } from "../../domain/seeded-random.ts";
import { generateServices } from "./services.ts";
import type { AuthoredFile } from "../../domain/catalog/file/schema.ts";

/** The percentage of objects of each kind, in a business with treatments, a kitchen and a stage. */
const SHARES: Record<Kind, number> = {
  service_category: 2,
  addon: 5,
  service: 24,
  resource: 1,
  staff: 5,
  menu_category: 2,
  modifier_group: 4,
  menu_item: 44,
  area: 1,
  table: 4,
  promotion: 2,
  public_event: 6,
};

/**
 * Returns a catalog file with exactly `size` objects; the same seed returns the same file. No command
 * but `seed` can load the file, because its events have a `startsIn`.
 */
export function generateCatalog(size: number, seed: number): AuthoredFile {
  const generator = createGenerator(createSeededRandom(seed));
  const business = generateBusiness(generator);
  const counts = countsOf(size);
  const services = generateServices(generator, counts);
  const menu = generateMenu(generator, counts);
  const events = generateEvents(generator, counts.public_event);
  return {
    catalog: 1,
    business,
    hours: [
      { days: "tue-fri", start: "09:00", end: "22:00" },
      { days: ["sat", "sun"], start: "10:00", end: "26:00" },
    ],
    closures: [{ name: "New Year's Day", yearly: "01-01" }],
    ...services,
    menu,
    ...generateTables(generator, counts),
    promotions: generatePromotions(generator, counts.promotion, { ...services, menu, events }),
    events,
  };
}

function generateBusiness({
  random,
  words,
  uniqueName,
}: Generator): NonNullable<AuthoredFile["business"]> {
  const { key: slug, name } = uniqueName(
    "business",
    random.pick(words.businessNames),
    random.pick(words.businessTypes),
  );
  const region = random.pick([
    { timezone: "Europe/Zurich", currency: "CHF", locale: "de" },
    { timezone: "America/New_York", currency: "USD", locale: "en" },
    { timezone: "Europe/Lisbon", currency: "EUR", locale: "pt" },
    { timezone: "Australia/Melbourne", currency: "AUD", locale: "en" },
  ]);
  return {
    slug,
    name,
    ...region,
    description: `${name}: treatments by day, a kitchen, and music at night.`,
  };
}

/** Returns the number of objects of each kind, rounded so that the sum is `size`. */
function countsOf(size: number): Record<Kind, number> {
  const shares = Object.entries(SHARES).map(([kind, share]) => ({
    kind,
    exact: (size * share) / 100,
  }));
  const counts = new Map(shares.map(({ kind, exact }) => [kind, Math.floor(exact)]));
  const missing = size - [...counts.values()].reduce((sum, count) => sum + count, 0);
  const byRemainder = shares.toSorted((a, b) => (b.exact % 1) - (a.exact % 1));
  for (const { kind } of byRemainder.slice(0, missing))
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries(counts) as Record<Kind, number>;
}
