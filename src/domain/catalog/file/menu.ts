import type { z } from "zod";
import {
  ALLERGENS,
  type MenuCategoryDoc,
  type MenuItemDoc,
  type ModifierGroupDoc,
} from "../menu.ts";
import {
  common,
  described,
  keyed,
  keys,
  price,
  tags,
  windows,
  choice,
  defaultsFor,
  exactChoice,
  fields,
  flag,
  key,
  list,
  optional,
} from "./fields.ts";
import { readCommon, readDescribed, type Reader, readFields, readNamed } from "./reader.ts";
import { integer, line } from "../../basic-schemas.ts";
import {
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeCommon,
  writeDescribed,
  writeFields,
  writeNamed,
  writeWindow,
} from "./writer.ts";

const allergens = list(exactChoice(...ALLERGENS), 50);

const category = fields({ ...described, ...optional({ parent: key, availability: windows }) });
export type AuthoredMenuCategory = z.infer<typeof category>;

const CATEGORY_DEFAULTS = defaultsFor<MenuCategoryDoc>()({ parent: null });

export const readMenuCategory = (reader: Reader, item: AuthoredMenuCategory): MenuCategoryDoc => ({
  ...readDescribed(item),
  ...readFields(item, CATEGORY_DEFAULTS),
  availability: readAvailability(reader, item),
});

export const writeMenuCategory = (
  _context: WriteContext,
  doc: MenuCategoryDoc,
): AuthoredMenuCategory => ({
  ...writeDescribed(doc, writeFields(doc, CATEGORY_DEFAULTS)),
  ...writeAvailability(doc),
});

/**
 * Reads when an item is served: null means always and is omitted in a file, and an empty list means
 * never.
 */
const readAvailability = (reader: Reader, item: AuthoredMenuCategory | AuthoredMenuItem) =>
  item.availability === undefined ? null : reader.windows(item.availability, "availability");

const writeAvailability = ({ availability }: MenuCategoryDoc | MenuItemDoc) =>
  availability === null ? {} : { availability: availability.map(writeWindow) };

const size = fields({ ...keyed, ...price });

const item = fields({
  ...described,
  categories: keys.optional(),
  ...price,
  ...optional({
    priceType: choice("FIXED", "FROM", "MARKET", "FREE"),
    sizes: list(size, 50),
    modifierGroups: keys,
    allergens,
    mayContain: allergens,
    dietary: list(line(50), 50),
    spicyLevel: integer(0, 5),
    calories: integer(0, 20_000),
    containsAlcohol: flag,
    availability: windows,
    tags,
    sku: line(100),
  }),
});
export type AuthoredMenuItem = z.infer<typeof item>;

export const MENU_ITEM_DEFAULTS = defaultsFor<MenuItemDoc>()({
  categories: [],
  priceType: "FIXED",
  modifierGroups: [],
  allergens: [],
  mayContain: [],
  dietary: [],
  spicyLevel: null,
  calories: null,
  containsAlcohol: false,
  tags: [],
  sku: null,
});

export function readMenuItem(reader: Reader, item: AuthoredMenuItem): MenuItemDoc {
  const sizes = reader.uniqueList(item.sizes, "sizes", { key: "key", noun: "size" }, readSize);
  const fields = readFields(item, MENU_ITEM_DEFAULTS);
  return {
    ...readDescribed(item),
    priceCents: readItemPrice(reader, item, fields.priceType, sizes),
    ...fields,
    sizes,
    availability: readAvailability(reader, item),
  };
}

const readSize = (reader: Reader, item: z.infer<typeof size>): MenuItemDoc["sizes"][number] => ({
  ...readNamed(item),
  priceCents: reader.requiredAmount(item, "price", "a size"),
});

/** The price of an item with sizes defaults to that of its cheapest size. */
function readItemPrice(
  reader: Reader,
  item: AuthoredMenuItem,
  priceType: MenuItemDoc["priceType"],
  sizes: MenuItemDoc["sizes"],
): number {
  if (priceType === "FREE" || priceType === "MARKET") return reader.noPrice(item, priceType);
  if (sizes.length === 0)
    return reader.requiredAmount(item, "price", "a menu item that is neither free nor market");
  return reader.amount(item, "price") ?? lowestPrice(sizes);
}

/**
 * Returns the lowest price of the sizes. If there are no sizes, it returns Infinity, which is never
 * the price of an item.
 */
export const lowestPrice = (sizes: MenuItemDoc["sizes"]): number =>
  Math.min(...sizes.map(({ priceCents }) => priceCents));

/**
 * Returns whether a file can omit the price: the item has none, or its price is that of its
 * cheapest size.
 */
const isPriceOmitted = ({ priceType, priceCents, sizes }: MenuItemDoc): boolean =>
  priceType === "FREE" || priceType === "MARKET" || priceCents === lowestPrice(sizes);

export const writeMenuItem = (context: WriteContext, doc: MenuItemDoc): AuthoredMenuItem => ({
  ...writeDescribed(doc, {
    price: isPriceOmitted(doc) ? undefined : context.money(doc.priceCents),
    ...writeFields(doc, MENU_ITEM_DEFAULTS),
    sizes: doc.sizes.map((size) => ({
      ...omitEmpty(writeNamed(size)),
      price: context.money(size.priceCents),
    })),
  }),
  ...writeAvailability(doc),
});

const option = fields({ ...keyed, ...price, ...optional({ default: flag, allergens }) });

const modifierGroup = fields({
  ...common,
  ...optional({ min: integer(0, 100), max: integer(1, 100) }),
  options: list(option, 200),
});
export type AuthoredModifierGroup = z.infer<typeof modifierGroup>;

const DEFAULT_MIN_SELECTIONS = 0;
const OPTION_DEFAULTS = defaultsFor<ModifierGroupDoc["options"][number]>()({ allergens: [] });

/**
 * Returns the `max` of a group whose file sets none, so that guests can choose all of its options.
 * The result is at least `min`, and at least 1, because a file cannot set a `max` of 0.
 */
const defaultMaxSelections = (min: number, optionCount: number): number =>
  Math.max(min, optionCount, 1);

export function readModifierGroup(reader: Reader, item: AuthoredModifierGroup): ModifierGroupDoc {
  const options = reader.uniqueList(
    item.options,
    "options",
    { key: "key", noun: "option" },
    readOption,
  );
  const minSelections = item.min ?? DEFAULT_MIN_SELECTIONS;
  const maxSelections = item.max ?? defaultMaxSelections(minSelections, options.length);
  const defaultCount = options.filter((option) => option.isDefault).length;
  if (minSelections > maxSelections)
    reader.addContradiction("max", `'max' ${maxSelections} is less than 'min' ${minSelections}.`);
  else if (minSelections > options.length)
    reader.addContradiction(
      "min",
      `'min' ${minSelections} is more than the number of options, ${options.length}.`,
    );
  if (defaultCount > maxSelections)
    reader.addContradiction(
      "options",
      `${defaultCount} options are the default, but at most ${maxSelections} may be chosen.`,
    );
  return { ...readCommon(item), minSelections, maxSelections, options };
}

const readOption = (reader: Reader, option: AuthoredModifierGroup["options"][number]) => ({
  ...readNamed(option),
  priceCents: reader.amount(option, "price") ?? 0,
  isDefault: Boolean(option.default),
  ...readFields(option, OPTION_DEFAULTS),
});

export const writeModifierGroup = (
  context: WriteContext,
  doc: ModifierGroupDoc,
): AuthoredModifierGroup => ({
  ...writeCommon(doc, {
    min: omitDefault(doc.minSelections, DEFAULT_MIN_SELECTIONS),
    max: omitDefault(
      doc.maxSelections,
      defaultMaxSelections(doc.minSelections, doc.options.length),
    ),
  }),
  options: doc.options.map((option) =>
    omitEmpty({
      ...writeNamed(option),
      price: option.priceCents === 0 ? undefined : context.money(option.priceCents),
      default: option.isDefault || undefined,
      ...writeFields(option, OPTION_DEFAULTS),
    }),
  ),
});

/**
 * Each list is a section of its own: if a file lacks a list, applying the file leaves the stored
 * objects of that list unchanged.
 */
export const menu = fields(
  optional({
    categories: list(category, 100_000),
    items: list(item, 100_000),
    modifierGroups: list(modifierGroup, 100_000),
  }),
);
