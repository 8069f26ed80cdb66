import { type Generator, keysOf, times } from "./generator.ts";
import { ACTS, OCCASIONS, OFFER_SEASONS, OFFERS, TICKETS } from "./words.ts";
import type { AuthoredPromotion, AuthoredPublicEvent } from "../../domain/catalog/file/schema.ts";

export function generateEvents(
  { dice, call, price }: Generator,
  count: number,
): AuthoredPublicEvent[] {
  return times(count, (i) => {
    const kinds = dice.some(TICKETS, 3);
    const naming = call("public_event", dice.pick(ACTS), dice.pick(OCCASIONS));
    return {
      ...naming,
      description: `${naming.name} in the hall. Doors open an hour before.`,
      startsIn: `${3 + Math.floor(i / 2)}d ${dice.pick(["19:00", "19:30", "20:00", "21:00"])}`,
      durationMin: dice.pick([90, 120, 150, 180]),
      ...(dice.chance(0.04) && { status: "CANCELLED" as const }),
      ticketTypes: kinds.map((name) => ({
        key: name.toLowerCase().replaceAll(" ", "-"),
        name,
        price: price(15, 120),
      })),
      quotas: [{ key: "hall", size: dice.whole(4, 40) * 10 }],
    };
  });
}

type Keyed = { key: string };
type Goods = { services: Keyed[]; addons: Keyed[]; events: Keyed[]; menu: { items: Keyed[] } };

export const generatePromotions = (
  generator: Generator,
  count: number,
  goods: Goods,
): AuthoredPromotion[] =>
  times(count, () => {
    const { dice, call } = generator;
    return {
      ...call("promotion", dice.pick(OFFER_SEASONS), dice.pick(OFFERS)),
      benefit: generateBenefit(generator, keysOf(goods.addons)),
      ...generateScope(generator, goods),
      ...(dice.chance(0.3) && {
        schedule: { weekly: [{ days: "mon-thu", start: "15:00", end: "18:00" }] },
      }),
      ...(dice.chance(0.2) && { code: `HELLO${dice.whole(100, 999)}` }),
    };
  });

function generateBenefit(
  { dice, price }: Generator,
  addons: string[],
): AuthoredPromotion["benefit"] {
  const type = dice.pick(["PERCENT_OFF", "AMOUNT_OFF", "BUY_X_GET_Y", "FREE_ADDON"] as const);
  if (type === "AMOUNT_OFF") return { type, amount: price(3, 20) };
  if (type === "BUY_X_GET_Y") return { type, buyQuantity: dice.whole(1, 4) };
  if (type === "FREE_ADDON" && addons.length > 0) return { type, addon: dice.pick(addons) };
  return { type: "PERCENT_OFF", percent: `${dice.whole(1, 6) * 5}` };
}

function generateScope({ dice }: Generator, goods: Goods): Pick<AuthoredPromotion, "appliesTo"> {
  const listed = dice.pick([
    { services: dice.some(keysOf(goods.services), 4) },
    { menuItems: dice.some(keysOf(goods.menu.items), 6) },
    { events: dice.some(keysOf(goods.events), 2) },
  ]);
  return Object.values(listed).flat().length > 0 ? { appliesTo: listed } : {};
}
