import {
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeCommon,
  writeFields,
  writeNamed,
  writeWindow,
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
} from "../file/schema.ts";

export const writeMenuCategory = (
  _context: WriteContext,
  doc: MenuCategoryDoc,
): AuthoredMenuCategory => ({
  ...omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      ...writeFields(doc, MENU_CATEGORY_DEFAULTS),
    }),
  ),
  ...writeAvailability(doc),
});

export const writeMenuItem = (context: WriteContext, doc: MenuItemDoc): AuthoredMenuItem => ({
  ...omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      price: writePrice(context, doc),
      ...writeFields(doc, MENU_ITEM_DEFAULTS),
      sizes: doc.sizes.map((size) => ({
        ...omitEmpty(writeNamed(size)),
        price: context.money(size.priceCents),
      })),
    }),
  ),
  ...writeAvailability(doc),
});

function writePrice(
  { money }: WriteContext,
  { priceType, priceCents, sizes }: MenuItemDoc,
): string | undefined {
  if (priceType === "FREE" || priceType === "MARKET") return undefined;
  // Without sizes, the minimum is Infinity, which equals no price.
  return priceCents === Math.min(...sizes.map((size) => size.priceCents))
    ? undefined
    : money(priceCents);
}

/** null means always and is omitted; an empty list means never and is kept. */
const writeAvailability = ({ availability }: MenuCategoryDoc | MenuItemDoc) =>
  availability === null ? {} : { availability: availability.map(writeWindow) };

export const writeModifierGroup = (
  context: WriteContext,
  doc: ModifierGroupDoc,
): AuthoredModifierGroup => ({
  ...omitEmpty(
    writeCommon(doc, {
      ...writeFields({ min: doc.minSelections }, MODIFIER_GROUP_DEFAULTS),
      max: omitDefault(
        doc.maxSelections,
        defaultMaxSelections(doc.minSelections, doc.options.length),
      ),
    }),
  ),
  options: doc.options.map((option) =>
    omitEmpty({
      ...writeNamed(option),
      price: option.priceCents === 0 ? undefined : context.money(option.priceCents),
      default: option.isDefault || undefined,
      ...writeFields(option, OPTION_DEFAULTS),
    }),
  ),
});
