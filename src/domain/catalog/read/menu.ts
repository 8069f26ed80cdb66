import {
  addContradiction,
  readAmount,
  readCommon,
  readFields,
  readNamed,
  readNoAmount,
  readRequiredAmount,
  readText,
  type ReadContext,
  readWindows,
  validateUnique,
} from "./values.ts";
import type { MenuCategoryDoc, MenuItemDoc, ModifierGroupDoc } from "../catalog.ts";
import {
  defaultMaxSelections,
  MENU_CATEGORY_DEFAULTS,
  MENU_ITEM_DEFAULTS,
  MODIFIER_GROUP_DEFAULTS,
  OPTION_DEFAULTS,
} from "../file/menu.ts";
import type {
  AuthoredMenuCategory,
  AuthoredMenuItem,
  AuthoredModifierGroup,
  AuthoredOption,
  AuthoredSize,
} from "../file/schema.ts";
import type { Path } from "../catalog-issue.ts";

export const readMenuCategory = (
  context: ReadContext,
  item: AuthoredMenuCategory,
  path: Path,
): MenuCategoryDoc => ({
  ...readCommon(item),
  description: readText(item.description),
  ...readFields(item, MENU_CATEGORY_DEFAULTS),
  availability: readAvailability(context, item, path),
});

export function readMenuItem(
  context: ReadContext,
  item: AuthoredMenuItem,
  path: Path,
): MenuItemDoc {
  const sizes = (item.sizes ?? []).map((size, index) =>
    readSize(context, size, [...path, "sizes", index]),
  );
  validateUnique(
    context,
    sizes.map(({ key }) => key),
    [...path, "sizes"],
    "key",
    "size",
  );
  const fields = readFields(item, MENU_ITEM_DEFAULTS);
  return {
    ...readCommon(item),
    description: readText(item.description),
    priceCents: readItemPrice(context, item, path, fields.priceType, sizes),
    ...fields,
    sizes,
    availability: readAvailability(context, item, path),
  };
}

const readSize = (
  context: ReadContext,
  size: AuthoredSize,
  path: Path,
): MenuItemDoc["sizes"][number] => ({
  ...readNamed(size),
  priceCents: readRequiredAmount(context, size, path, "price", "a size"),
});

/** The price of an item with sizes defaults to that of its cheapest size. */
function readItemPrice(
  context: ReadContext,
  item: AuthoredMenuItem,
  path: Path,
  priceType: MenuItemDoc["priceType"],
  sizes: { priceCents: number }[],
): number {
  if (priceType === "FREE" || priceType === "MARKET")
    return readNoAmount(context, item, path, "price", priceType);
  if (sizes.length === 0)
    return readRequiredAmount(
      context,
      item,
      path,
      "price",
      "a menu item that is neither free nor market",
    );
  return (
    readAmount(context, item, path, "price") ?? Math.min(...sizes.map((size) => size.priceCents))
  );
}

const readAvailability = (
  context: ReadContext,
  item: AuthoredMenuCategory | AuthoredMenuItem,
  path: Path,
) =>
  item.availability === undefined
    ? null
    : readWindows(context, item.availability, [...path, "availability"]);

export function readModifierGroup(
  context: ReadContext,
  item: AuthoredModifierGroup,
  path: Path,
): ModifierGroupDoc {
  const options = item.options.map((option, index) =>
    readOption(context, option, [...path, "options", index]),
  );
  validateUnique(
    context,
    options.map(({ key }) => key),
    [...path, "options"],
    "key",
    "option",
  );
  const { min: minSelections } = readFields(item, MODIFIER_GROUP_DEFAULTS);
  const maxSelections = item.max ?? defaultMaxSelections(minSelections, options.length);
  const defaults = options.filter((option) => option.isDefault).length;
  if (minSelections > maxSelections)
    addContradiction(
      context,
      [...path, "max"],
      `'max' ${maxSelections} is less than 'min' ${minSelections}.`,
    );
  else if (minSelections > options.length)
    addContradiction(
      context,
      [...path, "min"],
      `'min' ${minSelections} is more than the number of options, ${options.length}.`,
    );
  if (defaults > maxSelections)
    addContradiction(
      context,
      [...path, "options"],
      `${defaults} options are the default, but at most ${maxSelections} may be chosen.`,
    );
  return { ...readCommon(item), minSelections, maxSelections, options };
}

const readOption = (
  context: ReadContext,
  option: AuthoredOption,
  path: Path,
): ModifierGroupDoc["options"][number] => ({
  ...readNamed(option),
  priceCents: readAmount(context, option, path, "price") ?? 0,
  isDefault: Boolean(option.default),
  ...readFields(option, OPTION_DEFAULTS),
});
