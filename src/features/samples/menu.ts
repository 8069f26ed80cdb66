import type { Kind } from "../../domain/catalog/catalog.ts";
import type { Allergen } from "../../domain/catalog/menu.ts";
import { type Generator, keysOf, pairAt, type Complete, times } from "./generator.ts";
import type { AuthoredFile } from "../../domain/catalog/file/schema.ts";
import type { AuthoredMenuItem } from "../../domain/catalog/file/menu.ts";

type Menu = NonNullable<AuthoredFile["menu"]>;

export function generateMenu(generator: Generator, counts: Record<Kind, number>): Complete<Menu> {
  const { random, words, uniqueName } = generator;
  const categories = times(counts.menu_category, (i) => {
    const [family, occasion] = pairAt(i, words.menuFamilies, words.menuOccasions);
    const named = uniqueName("menu_category", occasion, family);
    // The sample words have the colon, for names such as "Lunch: Soups".
    return occasion === "Lunch:"
      ? { ...named, availability: [{ days: "tue-fri", start: "11:30", end: "14:00" }] }
      : named;
  });
  const modifierGroups = times(counts.modifier_group, () => generateModifierGroup(generator));
  const groupKeys = keysOf(modifierGroups);
  return {
    categories,
    modifierGroups,
    items: times(counts.menu_item, () => ({
      ...generateDish(generator),
      categories: random.sample(keysOf(categories), 1),
      modifierGroups: random.chance(0.3) ? random.sample(groupKeys, 2) : [],
    })),
  };
}

function generateModifierGroup({
  random,
  words,
  uniqueName,
  price,
}: Generator): NonNullable<Menu["modifierGroups"]>[number] {
  const { name, options } = random.pick(words.modifiers);
  return {
    ...uniqueName("modifier_group", name, random.pick(words.modifierPlaces)),
    max: random.integer(1, options.length),
    options: options.map((option) => ({
      key: option.toLowerCase().replaceAll(" ", "-"),
      name: option,
      ...(random.chance(0.5) && { price: price(1, 6) }),
    })),
  };
}

function generateDish({ random, words, uniqueName, price }: Generator): AuthoredMenuItem {
  const main = random.pick(words.mains);
  const [preparation, side] = [random.pick(words.preparations), random.pick(words.accompaniments)];
  const named = uniqueName("menu_item", preparation, main.name, "with", side);
  return {
    ...named,
    description: `${preparation} ${main.name}, served with ${side}, bread from our own oven on the side if you like.`,
    price: price(8, 48),
    // The accompaniment adds no allergens, and is vegan.
    allergens: main.allergens as Allergen[],
    dietary: main.dietary,
    ...(random.chance(0.3) && { calories: random.integer(18, 95) * 10 }),
    ...(random.chance(0.1) && { tags: ["house favourite"] }),
    ...(random.chance(0.1) && {
      sizes: [
        { key: "small", name: "Small", price: price(8, 20) },
        { key: "large", name: "Large", price: price(20, 48) },
      ],
    }),
    ...(random.chance(0.03) && { status: "INACTIVE" as const }),
  };
}

export function generateTables(
  { random, words, uniqueName }: Generator,
  counts: Record<Kind, number>,
): Complete<Pick<AuthoredFile, "areas" | "tables" | "turnTimes">> {
  const areas = times(counts.area, () => uniqueName("area", random.pick(words.areas)));
  return {
    areas,
    tables: times(counts.table, (i) => {
      const minSeats = random.integer(1, 4);
      return {
        ...uniqueName("table", `Table ${i + 1}`),
        ...(areas.length > 0 && { area: random.pick(areas).key }),
        minSeats,
        maxSeats: minSeats + random.integer(0, 4),
      };
    }),
    turnTimes: [
      { upTo: 2, min: 90 },
      { upTo: 20, min: 150 },
    ],
  };
}
