import { z } from "zod";
import { ALLERGENS } from "../../catalog/catalog.ts";
import { active, cents, common, count, currency, id, weeklyWindow } from "./values.ts";

const allergens = z.array(z.enum(ALLERGENS));

export const menuCategory = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  parentId: id.nullable(),
  availability: z.array(weeklyWindow).nullable().describe("When its dishes are served; null: always"),
  status: active,
  ...common,
});

export const menuItem = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  categoryIds: z.array(id),
  priceCents: cents.describe("0 where priceType is FREE or MARKET"),
  currency,
  priceType: z.enum(["FIXED", "FROM", "MARKET", "FREE"]),
  sizes: z.array(z.strictObject({ id, name: z.string(), priceCents: cents })),
  modifierGroupIds: z.array(id),
  allergens: z
    .strictObject({ contains: allergens, mayContain: allergens })
    .describe("Regulation (EU) No 1169/2011, Annex II"),
  dietary: z.array(z.string()),
  spicyLevel: z.int().nullable(),
  calories: z.int().nullable(),
  containsAlcohol: z.boolean(),
  availability: z.array(weeklyWindow).nullable().describe("When it is served; null: always"),
  soldOut: z.boolean(),
  tags: z.array(z.string()),
  sku: z.string().nullable(),
  status: active,
  ...common,
});

export const modifierGroup = z.strictObject({
  id,
  name: z.string(),
  minSelections: count,
  maxSelections: count,
  options: z.array(
    z.strictObject({
      id,
      name: z.string(),
      priceCents: cents,
      isDefault: z.boolean(),
      allergens,
      soldOut: z.boolean(),
    }),
  ),
  status: active,
  ...common,
});
