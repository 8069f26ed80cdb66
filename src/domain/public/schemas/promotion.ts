import { z } from "zod";
import { active, cents, common, id, instant, localDate, weeklyWindow } from "./values.ts";

const percentBps = z.int().describe("Basis points: 1250 is 12.5 %");

const benefit = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("PERCENT_OFF"), percentBps, maxAmountCents: cents.nullable() }),
  z.strictObject({ type: z.literal("AMOUNT_OFF"), amountCents: cents }),
  z.strictObject({ type: z.literal("FIXED_PRICE"), amountCents: cents }),
  z.strictObject({ type: z.literal("BUY_X_GET_Y"), buyQuantity: z.int(), getQuantity: z.int(), percentBps }),
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
    all: z.boolean(),
    serviceIds: z.array(id),
    serviceCategoryIds: z.array(id),
    menuItemIds: z.array(id),
    menuCategoryIds: z.array(id),
    eventIds: z.array(id),
    ticketTypeIds: z.array(id),
  }),
  conditions: z.strictObject({
    minSubtotalCents: cents.nullable(),
    minQuantity: z.int().nullable(),
    firstVisitOnly: z.boolean(),
    maxUses: z.int().nullable(),
    maxUsesPerCustomer: z.int().nullable(),
  }),
  schedule: z.strictObject({
    startsAt: instant.nullable(),
    endsAt: instant.nullable(),
    weekly: z.array(weeklyWindow),
    excludeDates: z.array(localDate),
  }),
  stackable: z.boolean(),
  priority: z.int(),
  active: z.boolean().describe("Has begun and is not over. Weekly windows are rules, not states"),
  status: active,
  ...common,
});
