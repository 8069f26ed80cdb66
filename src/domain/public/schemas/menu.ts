import { z } from "zod";
import { ALLERGENS } from "../../catalog/catalog.ts";
import { active, cents, commonFields, count, currency, id, weeklyWindow } from "./values.ts";

const allergens = z.array(z.enum(ALLERGENS));

export const menuCategory = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  parentId: id.nullable(),
  availability: z
    .array(weeklyWindow)
    .nullable()
    .describe("When its dishes are served; null: always"),
  status: active,
  ...commonFields,
});

export const menuItem = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  categoryIds: z.array(id).describe("It may stand in several"),
  priceCents: cents.describe("0 where priceType is FREE or MARKET"),
  currency,
  priceType: z
    .enum(["FIXED", "FROM", "MARKET", "FREE"])
    .describe("FROM: the price, or more; MARKET: the price of the day, asked for at the business"),
  sizes: z
    .array(
      z.strictObject({
        id,
        name: z.string(),
        priceCents: cents.describe("In place of the dish's"),
      }),
    )
    .describe("One of them is chosen; empty: there is one size"),
  modifierGroupIds: z.array(id),
  allergens: z
    .strictObject({ contains: allergens, mayContain: allergens })
    .describe("Regulation (EU) No 1169/2011, Annex II"),
  dietary: z.array(z.string()).describe("In the business's own words, such as vegan"),
  spicyLevel: z.int().min(0).max(5).nullable(),
  calories: count.nullable().describe("In kcal"),
  containsAlcohol: z.boolean(),
  availability: z.array(weeklyWindow).nullable().describe("When it is served; null: always"),
  soldOut: z.boolean().describe("At this moment"),
  tags: z.array(z.string()),
  sku: z.string().nullable(),
  status: active,
  ...commonFields,
});

export const modifierGroup = z.strictObject({
  id,
  name: z.string(),
  minSelections: count.describe("So many options have to be chosen"),
  maxSelections: count.describe("So many may be"),
  options: z.array(
    z.strictObject({
      id,
      name: z.string(),
      priceCents: cents.describe("On top of the dish's"),
      isDefault: z.boolean().describe("Whether it is chosen unless a guest says otherwise"),
      allergens,
      soldOut: z.boolean(),
    }),
  ),
  status: active,
  ...commonFields,
});
