import { z } from "zod";
import {
  active,
  cents,
  commonFields,
  description,
  flag,
  id,
  instant,
  localDate,
  orNull,
  weeklyWindow,
} from "./values.ts";

const percentBps = z.int().min(1).max(10_000).describe("Discount in basis points: 1250 is 12.5 %");

const benefit = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("PERCENT_OFF"),
    percentBps,
    maxAmountCents: orNull(cents, "Largest discount in minor units; null if there is no limit"),
  }),
  z.strictObject({
    type: z.literal("AMOUNT_OFF"),
    amountCents: cents.describe("Amount of the discount, in minor units"),
  }),
  z.strictObject({
    type: z.literal("FIXED_PRICE"),
    amountCents: cents.describe("Price to pay instead of the regular price, in minor units"),
  }),
  z.strictObject({
    type: z.literal("BUY_X_GET_Y"),
    buyQuantity: z.int().min(1).describe("Number of items bought at the regular price"),
    getQuantity: z.int().min(1).describe("Number of items that get the discount"),
    percentBps: percentBps.describe(
      "Discount on the `getQuantity` items, in basis points: 10000 is free",
    ),
  }),
  z.strictObject({
    type: z.literal("FREE_ADDON"),
    addonId: orNull(id, "The free add-on; null if the add-on is not public"),
  }),
]);

export const promotion = z.strictObject({
  id,
  name: z.string(),
  description,
  requiresCode: flag("Whether the customer must give a code; the API never returns the code"),
  benefit,
  appliesTo: z.strictObject({
    all: flag("true: applies to everything; false: applies to the objects in the lists below"),
    serviceIds: z.array(id),
    serviceCategoryIds: z.array(id),
    menuItemIds: z.array(id),
    menuCategoryIds: z.array(id),
    eventIds: z.array(id),
    ticketTypeIds: z.array(id),
  }),
  conditions: z
    .strictObject({
      minSubtotalCents: orNull(cents, "Smallest order value, in minor units"),
      minQuantity: orNull(z.int(), "Smallest number of items"),
      firstVisitOnly: flag("Whether only new customers get the promotion"),
      maxUses: orNull(z.int(), "Maximum number of uses by all customers together"),
      maxUsesPerCustomer: orNull(z.int(), "Maximum number of uses per customer"),
    })
    .describe("Conditions that must all be met; null means that there is no such condition"),
  schedule: z.strictObject({
    startsAt: orNull(instant, "When the promotion starts; null if it has no start"),
    endsAt: orNull(instant, "When the promotion ends; null if it has no end"),
    weekly: z
      .array(weeklyWindow)
      .describe("Weekly times when the promotion applies; empty if always"),
    excludeDates: z.array(localDate).describe("Days on which the promotion does not apply"),
  }),
  stackable: flag("Whether the promotion can be combined with others"),
  priority: z.int().describe("The promotion with the highest priority is applied first"),
  active: flag(
    "Whether the promotion has started and not ended; ignores `schedule.weekly` and `schedule.excludeDates`",
  ),
  status: active,
  ...commonFields,
});
