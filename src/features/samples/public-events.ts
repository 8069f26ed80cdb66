import { type Generator, keysOf, times } from "./generator.ts";
import type { AuthoredPromotion } from "../../domain/catalog/file/promotions.ts";
import type { AuthoredPublicEvent } from "../../domain/catalog/file/public-events.ts";

export function generateEvents(
  { random, words, uniqueName, price }: Generator,
  count: number,
): AuthoredPublicEvent[] {
  return times(count, (i) => {
    const ticketNames = random.sample(words.tickets, 3);
    const named = uniqueName("public_event", random.pick(words.acts), random.pick(words.occasions));
    return {
      ...named,
      description: `${named.name} in the hall. Doors open an hour before.`,
      // Two events are on each day, from the third day on.
      startsIn: `${3 + Math.floor(i / 2)}d ${random.pick(["19:00", "19:30", "20:00", "21:00"])}`,
      durationMin: random.pick([90, 120, 150, 180]),
      ...(random.chance(0.04) && { status: "CANCELLED" as const }),
      ticketTypes: ticketNames.map((name) => ({
        key: name.toLowerCase().replaceAll(" ", "-"),
        name,
        price: price(15, 120),
      })),
      quotas: [{ key: "hall", size: random.integer(4, 40) * 10 }],
    };
  });
}

type WithKey = { key: string };
type Targets = {
  services: WithKey[];
  addons: WithKey[];
  events: WithKey[];
  menu: { items: WithKey[] };
};

export const generatePromotions = (
  generator: Generator,
  count: number,
  targets: Targets,
): AuthoredPromotion[] =>
  times(count, () => {
    const { random, words, uniqueName } = generator;
    return {
      ...uniqueName("promotion", random.pick(words.offerSeasons), random.pick(words.offers)),
      benefit: generateBenefit(generator, keysOf(targets.addons)),
      ...generateAppliesTo(generator, targets),
      ...(random.chance(0.3) && {
        schedule: { weekly: [{ days: "mon-thu", start: "15:00", end: "18:00" }] },
      }),
      ...(random.chance(0.2) && { code: `HELLO${random.integer(100, 999)}` }),
    };
  });

function generateBenefit(
  { random, price }: Generator,
  addons: string[],
): AuthoredPromotion["benefit"] {
  const type = random.pick(["PERCENT_OFF", "AMOUNT_OFF", "BUY_X_GET_Y", "FREE_ADDON"] as const);
  if (type === "AMOUNT_OFF") return { type, amount: price(3, 20) };
  if (type === "BUY_X_GET_Y") return { type, buyQuantity: random.integer(1, 4) };
  if (type === "FREE_ADDON" && addons.length > 0) return { type, addon: random.pick(addons) };
  return { type: "PERCENT_OFF", percent: `${random.integer(1, 6) * 5}` };
}

function generateAppliesTo(
  { random }: Generator,
  targets: Targets,
): Pick<AuthoredPromotion, "appliesTo"> {
  const appliesTo = random.pick([
    { services: random.sample(keysOf(targets.services), 4) },
    { menuItems: random.sample(keysOf(targets.menu.items), 6) },
    { events: random.sample(keysOf(targets.events), 2) },
  ]);
  // If there are no objects of the chosen kind, the promotion applies to everything.
  return Object.values(appliesTo).flat().length > 0 ? { appliesTo } : {};
}
