import type { MenuCategoryDoc, MenuItemDoc, ModifierGroupDoc } from "../catalog.ts";
import type { Path } from "../validation-issue.ts";
import {
  commonFields,
  addContradiction,
  keyedFields,
  readAmount,
  readText,
  type ReadContext,
  readWindows,
  validateNoAmount,
  validateUnique,
  readRequiredAmount,
  unique,
  upper,
} from "./values.ts";
import type {
  AuthoredMenuCategory,
  AuthoredMenuItem,
  AuthoredModifierGroup,
  AuthoredOption,
  AuthoredSize,
} from "../file/schema.ts";

export const readMenuCategory = (
  reader: ReadContext,
  item: AuthoredMenuCategory,
  at: Path,
): MenuCategoryDoc => ({
  ...commonFields(item),
  description: readText(item.description),
  parent: item.parent ?? null,
  availability: readAvailability(reader, item, at),
});

export function readMenuItem(reader: ReadContext, item: AuthoredMenuItem, at: Path): MenuItemDoc {
  const sizes = (item.sizes ?? []).map((size, index) =>
    readSize(reader, size, [...at, "sizes", index]),
  );
  validateUnique(
    reader,
    sizes.map((size) => size.key),
    [...at, "sizes"],
    "key",
    "size",
  );
  const priceType = upper(item.priceType ?? "FIXED");
  return {
    ...commonFields(item),
    description: readText(item.description),
    categories: unique(item.categories),
    priceCents: readItemPrice(reader, item, at, priceType, sizes),
    priceType,
    sizes,
    modifierGroups: unique(item.modifierGroups),
    allergens: unique(item.allergens),
    mayContain: unique(item.mayContain),
    dietary: unique(item.dietary),
    spicyLevel: item.spicyLevel ?? null,
    calories: item.calories ?? null,
    containsAlcohol: item.containsAlcohol ?? false,
    availability: readAvailability(reader, item, at),
    tags: unique(item.tags),
    sku: item.sku ?? null,
  };
}

const readSize = (
  reader: ReadContext,
  size: AuthoredSize,
  at: Path,
): MenuItemDoc["sizes"][number] => ({
  ...keyedFields(size),
  priceCents: readRequiredAmount(reader, size, at, "price", "a size"),
});

/** A dish in sizes costs what its cheapest one does, unless it says otherwise. */
function readItemPrice(
  reader: ReadContext,
  item: AuthoredMenuItem,
  at: Path,
  priceType: MenuItemDoc["priceType"],
  sizes: { priceCents: number }[],
): number {
  if (priceType === "FREE" || priceType === "MARKET")
    return validateNoAmount(reader, item, at, "price", priceType);
  if (sizes.length === 0)
    return readRequiredAmount(
      reader,
      item,
      at,
      "price",
      "a menu item that is neither free nor market",
    );
  return readAmount(reader, item, at, "price") ?? Math.min(...sizes.map((size) => size.priceCents));
}

const readAvailability = (
  reader: ReadContext,
  item: AuthoredMenuCategory | AuthoredMenuItem,
  at: Path,
) =>
  item.availability === undefined
    ? null
    : readWindows(reader, item.availability, [...at, "availability"]);

export function readModifierGroup(
  reader: ReadContext,
  item: AuthoredModifierGroup,
  at: Path,
): ModifierGroupDoc {
  const options = item.options.map((option, index) =>
    readOption(reader, option, [...at, "options", index]),
  );
  validateUnique(
    reader,
    options.map((option) => option.key),
    [...at, "options"],
    "key",
    "option",
  );
  const minSelections = item.min ?? 0;
  const maxSelections = item.max ?? Math.max(minSelections, options.length, 1);
  const defaults = options.filter((option) => option.isDefault).length;
  if (minSelections > maxSelections)
    addContradiction(
      reader,
      [...at, "max"],
      `'max' ${maxSelections} is less than 'min' ${minSelections}.`,
    );
  else if (minSelections > options.length)
    addContradiction(
      reader,
      [...at, "min"],
      `'min' ${minSelections} is more than there are options, which is ${options.length}.`,
    );
  if (defaults > maxSelections)
    addContradiction(
      reader,
      [...at, "options"],
      `${defaults} options are the default, but only ${maxSelections} may be chosen.`,
    );
  return { ...commonFields(item), minSelections, maxSelections, options };
}

const readOption = (
  reader: ReadContext,
  option: AuthoredOption,
  at: Path,
): ModifierGroupDoc["options"][number] => ({
  ...keyedFields(option),
  priceCents: readAmount(reader, option, at, "price") ?? 0,
  isDefault: option.default ?? false,
  allergens: unique(option.allergens),
});
