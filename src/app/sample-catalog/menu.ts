import type { Kind } from "../../domain/catalog/catalog.ts";
import { type Generator, keysOf, type Present, times } from "./generator.ts";
import {
  ACCOMPANIMENTS,
  AREAS,
  MAINS,
  MENU_FAMILIES,
  MENU_OCCASIONS,
  MODIFIER_PLACES,
  MODIFIERS,
  PREPARATIONS,
} from "./words.ts";
import type { AuthoredFile, AuthoredMenuItem } from "../../domain/catalog/file/schema.ts";

type Menu = NonNullable<AuthoredFile["menu"]>;

export function generateMenu(generator: Generator, counts: Record<Kind, number>): Present<Menu> {
  const { dice, call } = generator;
  const categories = times(counts.menu_category, (i) => {
    const occasion =
      MENU_OCCASIONS[Math.floor(i / MENU_FAMILIES.length) % MENU_OCCASIONS.length] ?? "";
    const naming = call("menu_category", occasion, MENU_FAMILIES[i % MENU_FAMILIES.length] ?? "");
    return occasion === "Lunch:"
      ? { ...naming, availability: [{ days: "tue-fri", start: "11:30", end: "14:00" }] }
      : naming;
  });
  const modifierGroups = times(counts.modifier_group, () => generateModifierGroup(generator));
  const groups = keysOf(modifierGroups);
  return {
    categories,
    modifierGroups,
    items: times(counts.menu_item, () => ({
      ...generateDish(generator),
      categories: dice.some(keysOf(categories), 1),
      modifierGroups: dice.chance(0.3) ? dice.some(groups, 2) : [],
    })),
  };
}

function generateModifierGroup({
  dice,
  call,
  price,
}: Generator): NonNullable<Menu["modifierGroups"]>[number] {
  const { name, options } = dice.pick(MODIFIERS);
  return {
    ...call("modifier_group", name, dice.pick(MODIFIER_PLACES)),
    max: dice.whole(1, options.length),
    options: options.map((option) => ({
      key: option.toLowerCase().replaceAll(" ", "-"),
      name: option,
      ...(dice.chance(0.5) && { price: price(1, 6) }),
    })),
  };
}

function generateDish({ dice, call, price }: Generator): AuthoredMenuItem {
  const main = dice.pick(MAINS);
  const [preparation, side] = [dice.pick(PREPARATIONS), dice.pick(ACCOMPANIMENTS)];
  const naming = call("menu_item", preparation, main.name, "with", side);
  return {
    ...naming,
    description: `${preparation} ${main.name}, served with ${side}, bread from our own oven on the side if you like.`,
    price: price(8, 48),
    allergens: main.allergens,
    dietary: main.dietary,
    ...(dice.chance(0.3) && { calories: dice.whole(18, 95) * 10 }),
    ...(dice.chance(0.1) && { tags: ["house favourite"] }),
    ...(dice.chance(0.1) && {
      sizes: [
        { key: "small", name: "Small", price: price(8, 20) },
        { key: "large", name: "Large", price: price(20, 48) },
      ],
    }),
    ...(dice.chance(0.03) && { status: "INACTIVE" as const }),
  };
}

export function generateTables(
  { dice, call }: Generator,
  counts: Record<Kind, number>,
): Present<Pick<AuthoredFile, "areas" | "tables" | "turnTimes">> {
  const areas = times(counts.area, () => call("area", dice.pick(AREAS)));
  return {
    areas,
    tables: times(counts.table, (i) => {
      const minSeats = dice.whole(1, 4);
      return {
        ...call("table", `Table ${i + 1}`),
        ...(areas.length > 0 && { area: dice.pick(areas).key }),
        minSeats,
        maxSeats: minSeats + dice.whole(0, 4),
      };
    }),
    turnTimes: [
      { upTo: 2, min: 90 },
      { upTo: 20, min: 150 },
    ],
  };
}
