import type { z } from "zod";
import type { MenuCategoryDoc, MenuItemDoc, ModifierGroupDoc } from "../catalog/menu.ts";
import { originalKey } from "../catalog/object-id.ts";
import { catalogId } from "../ids.ts";
import { toPublicCommon, idOf, type PublicContext } from "./public-context.ts";
import type * as schemas from "./schemas/menu.ts";

export type PublicMenuCategory = z.infer<typeof schemas.menuCategory>;
export type PublicMenuItem = z.infer<typeof schemas.menuItem>;
export type PublicModifierGroup = z.infer<typeof schemas.modifierGroup>;

export function toPublicMenuCategory(
  doc: MenuCategoryDoc,
  context: PublicContext,
): PublicMenuCategory {
  const id = idOf(context, "menu_category", doc);
  return {
    id,
    name: doc.name,
    description: doc.description,
    parentId: (doc.parent && context.visibleId("menu_category", doc.parent)) ?? null,
    availability: doc.availability,
    status: "ACTIVE",
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}

export function toPublicMenuItem(doc: MenuItemDoc, context: PublicContext): PublicMenuItem {
  const id = idOf(context, "menu_item", doc);
  return {
    id,
    name: doc.name,
    description: doc.description,
    categoryIds: context.visibleIds("menu_category", doc.categories),
    priceCents: doc.priceCents,
    currency: context.currency,
    priceType: doc.priceType,
    sizes: doc.sizes.map((size) => ({
      id: catalogId("msz", context.slug, originalKey(doc), originalKey(size)),
      name: size.name,
      priceCents: size.priceCents,
    })),
    modifierGroupIds: context.visibleIds("modifier_group", doc.modifierGroups),
    allergens: { contains: doc.allergens, mayContain: doc.mayContain },
    dietary: doc.dietary,
    spicyLevel: doc.spicyLevel,
    calories: doc.calories,
    containsAlcohol: doc.containsAlcohol,
    availability: doc.availability,
    soldOut: context.isSoldOut(id),
    tags: doc.tags,
    sku: doc.sku,
    status: "ACTIVE",
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}

export const modifierOptionId = (
  slug: string,
  group: ModifierGroupDoc,
  option: ModifierGroupDoc["options"][number],
): string => catalogId("mop", slug, originalKey(group), originalKey(option));

export function toPublicModifierGroup(
  doc: ModifierGroupDoc,
  context: PublicContext,
): PublicModifierGroup {
  const id = idOf(context, "modifier_group", doc);
  return {
    id,
    name: doc.name,
    minSelections: doc.minSelections,
    maxSelections: doc.maxSelections,
    options: doc.options.map((option) => {
      const optionId = modifierOptionId(context.slug, doc, option);
      return {
        id: optionId,
        name: option.name,
        priceCents: option.priceCents,
        isDefault: option.isDefault,
        allergens: option.allergens,
        soldOut: context.isSoldOut(optionId),
      };
    }),
    status: "ACTIVE",
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}
