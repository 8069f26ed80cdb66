import { z } from "zod";
import { ALLERGENS } from "../../catalog/menu.ts";
import {
  active,
  cents,
  commonFields,
  count,
  currency,
  description,
  flag,
  id,
  orNull,
  parentId,
  weeklyWindow,
} from "./values.ts";

const allergens = z.array(z.enum(ALLERGENS));

export const menuCategory = z.strictObject({
  id,
  name: z.string(),
  description,
  parentId,
  availability: orNull(
    z.array(weeklyWindow),
    "Weekly times when its items are served; null if always",
  ),
  status: active,
  ...commonFields,
});

export const menuItem = z.strictObject({
  id,
  name: z.string(),
  description,
  categoryIds: z.array(id).describe("Categories of the item; it can have several"),
  priceCents: cents.describe("Price in minor units; 0 if `priceType` is FREE or MARKET"),
  currency,
  priceType: z
    .enum(["FIXED", "FROM", "MARKET", "FREE"])
    .describe("FROM: the lowest price; MARKET: the price changes daily, ask the business"),
  sizes: z
    .array(
      z.strictObject({
        id,
        name: z.string(),
        priceCents: cents.describe("Price of this size, instead of the item's price"),
      }),
    )
    .describe("Sizes to choose from; empty if there is only one"),
  modifierGroupIds: z.array(id),
  allergens: z
    .strictObject({ contains: allergens, mayContain: allergens })
    .describe("Allergens as listed in Regulation (EU) No 1169/2011, Annex II"),
  dietary: z
    .array(z.string())
    .describe("Dietary labels such as vegan, as the business writes them"),
  spicyLevel: z.int().min(0).max(5).nullable().describe("0 to 5; null if unknown"),
  calories: orNull(count, "Energy in kcal; null if unknown"),
  containsAlcohol: z.boolean(),
  availability: orNull(
    z.array(weeklyWindow),
    "Weekly times when the item is served; null if always",
  ),
  soldOut: flag("Whether the item is sold out now"),
  tags: z.array(z.string()),
  sku: orNull(z.string(), "Stock keeping unit; null if there is none"),
  status: active,
  ...commonFields,
});

export const modifierGroup = z.strictObject({
  id,
  name: z.string(),
  minSelections: count.describe("Minimum number of options to choose"),
  maxSelections: count.describe("Maximum number of options to choose"),
  options: z.array(
    z.strictObject({
      id,
      name: z.string(),
      priceCents: cents.describe("Added to the item's price, in minor units"),
      isDefault: flag("Whether the option is preselected"),
      allergens,
      soldOut: flag("Whether the option is sold out now"),
    }),
  ),
  status: active,
  ...commonFields,
});
