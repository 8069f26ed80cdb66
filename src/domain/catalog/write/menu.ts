import type { MenuCategoryDoc, MenuItemDoc, ModifierGroupDoc } from "../catalog.ts";
import {
  omitEmpty,
  omitDefault,
  writeCommon,
  writeKeyed,
  type WriteContext,
  writeWindow,
} from "./values.ts";
import type {
  AuthoredMenuCategory,
  AuthoredMenuItem,
  AuthoredModifierGroup,
} from "../file/schema.ts";

export const writeMenuCategory = (
  _writer: WriteContext,
  doc: MenuCategoryDoc,
): AuthoredMenuCategory => ({
  ...omitEmpty(writeCommon(doc, { description: doc.description, parent: doc.parent })),
  ...writeAvailability(doc),
});

export const writeMenuItem = (writer: WriteContext, doc: MenuItemDoc): AuthoredMenuItem => ({
  ...omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      categories: doc.categories,
      price: writePrice(writer, doc),
      priceType: omitDefault<MenuItemDoc["priceType"]>("FIXED", doc.priceType),
      sizes: doc.sizes.map((size) => ({
        ...omitEmpty(writeKeyed(size)),
        price: writer.money(size.priceCents),
      })),
      modifierGroups: doc.modifierGroups,
      allergens: doc.allergens,
      mayContain: doc.mayContain,
      dietary: doc.dietary,
      spicyLevel: doc.spicyLevel,
      calories: doc.calories,
      containsAlcohol: omitDefault(false, doc.containsAlcohol),
      tags: doc.tags,
      sku: doc.sku,
    }),
  ),
  ...writeAvailability(doc),
});

function writePrice(
  { money }: WriteContext,
  { priceType, priceCents, sizes }: MenuItemDoc,
): string | undefined {
  if (priceType === "FREE" || priceType === "MARKET") return undefined;
  // With no sizes the least of them is Infinity, which no price is.
  return priceCents === Math.min(...sizes.map((size) => size.priceCents))
    ? undefined
    : money(priceCents);
}

/** An empty list says never; silence says always. */
const writeAvailability = ({ availability }: MenuCategoryDoc | MenuItemDoc) =>
  availability === null ? {} : { availability: availability.map(writeWindow) };

export const writeModifierGroup = (
  writer: WriteContext,
  doc: ModifierGroupDoc,
): AuthoredModifierGroup => ({
  ...omitEmpty(
    writeCommon(doc, {
      min: omitDefault(0, doc.minSelections),
      max: omitDefault(Math.max(doc.minSelections, doc.options.length, 1), doc.maxSelections),
    }),
  ),
  options: doc.options.map((option) =>
    omitEmpty({
      ...writeKeyed(option),
      price: option.priceCents === 0 ? undefined : writer.money(option.priceCents),
      default: omitDefault(false, option.isDefault),
      allergens: option.allergens,
    }),
  ),
});
