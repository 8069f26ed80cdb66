import { z } from "zod";
import { active, cents, commonFields, id, instant, localDate, weeklyWindow } from "./values.ts";

const percentBps = z.int().min(1).max(10_000).describe("Basis points: 1250 is 12.5 %");

const benefit = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("PERCENT_OFF"),
    percentBps,
    maxAmountCents: cents.nullable().describe("No more is taken off; null: as much as it makes"),
  }),
  z.strictObject({ type: z.literal("AMOUNT_OFF"), amountCents: cents.describe("Is taken off") }),
  z.strictObject({
    type: z.literal("FIXED_PRICE"),
    amountCents: cents.describe("Is paid in place of the price"),
  }),
  z.strictObject({
    type: z.literal("BUY_X_GET_Y"),
    buyQuantity: z.int().min(1),
    getQuantity: z.int().min(1),
    percentBps: percentBps.describe("Off those that one gets, in basis points: 10000 is free"),
  }),
  z.strictObject({
    type: z.literal("FREE_ADDON"),
    addonId: id.nullable().describe("null: the add-on is not shown to partners"),
  }),
]);

export const promotion = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  requiresCode: z.boolean().describe("Whether a customer has to say a code, which is never served"),
  benefit,
  appliesTo: z.strictObject({
    all: z.boolean().describe("Whether it applies to everything; if not, to what the lists name"),
    serviceIds: z.array(id),
    serviceCategoryIds: z.array(id),
    menuItemIds: z.array(id),
    menuCategoryIds: z.array(id),
    eventIds: z.array(id),
    ticketTypeIds: z.array(id),
  }),
  conditions: z
    .strictObject({
      minSubtotalCents: cents.nullable(),
      minQuantity: z.int().nullable(),
      firstVisitOnly: z.boolean(),
      maxUses: z.int().nullable().describe("Over all customers"),
      maxUsesPerCustomer: z.int().nullable(),
    })
    .describe("All of them have to hold; null: it is none"),
  schedule: z.strictObject({
    startsAt: instant.nullable().describe("null: it has begun"),
    endsAt: instant.nullable().describe("null: it has no end"),
    weekly: z.array(weeklyWindow).describe("Only then; empty: at any time"),
    excludeDates: z.array(localDate).describe("Not on these days"),
  }),
  stackable: z.boolean().describe("Whether it holds together with other promotions"),
  priority: z.int().describe("The highest goes first"),
  active: z.boolean().describe("Has begun and is not over. Weekly windows are rules, not states"),
  status: active,
  ...commonFields,
});
