import { z } from "zod";
import { active, cents, commonFields, count, currency, id, includedBy, minutes } from "./values.ts";

export const serviceVariant = z.strictObject({
  id,
  serviceId: id,
  name: z.string(),
  description: z.string().nullable(),
  durationMin: minutes.describe("In place of the service's"),
  priceCents: cents.describe("In place of the service's"),
  currency,
  status: active,
  isDefault: z.boolean().describe("Whether it is meant where none is named"),
  staffIds: z.array(id).nullable().describe("null: whoever performs the service"),
  attributes: z.record(z.string(), z.string()).describe("The business's own, by their names"),
  ...commonFields,
});

const { sortOrder: _inNoList, ...commonOfAddon } = commonFields;

export const addon = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  priceCents: cents,
  currency,
  durationMin: minutes,
  maxQuantity: z.int().min(1),
  status: active,
  ...commonOfAddon,
});

export const addonLink = z.strictObject({
  id,
  addonId: id,
  required: z.boolean().describe("Whether it always comes with the service"),
  minQuantity: count,
  maxQuantity: count,
  defaultQuantity: count.describe("How many to propose"),
  priceCents: cents.nullable().describe("null: the add-on's own"),
  durationMin: minutes.nullable().describe("null: the add-on's own"),
  addon,
  status: active,
  ...commonFields,
});

/** The spec's "Service object" first, then ours. */
export const service = z.strictObject({
  id,
  name: z.string(),
  durationMin: minutes,
  priceCents: cents.describe("0 where priceType is FREE or ON_REQUEST"),
  currency,
  status: active,
  variants: includedBy("includeVariants", z.array(serviceVariant)),
  addonLinks: includedBy("includeAddons", z.array(addonLink)),
  description: z.string().nullable(),
  categoryId: id.nullable(),
  priceType: z
    .enum(["FIXED", "FROM", "FREE", "ON_REQUEST"])
    .describe("FROM: the price, or more; ON_REQUEST: the business tells it"),
  priceFromCents: cents.describe("The lowest that a variant, or the service itself, costs"),
  durationFromMin: minutes.describe("The shortest of a variant, or of the service itself"),
  bookable: z.boolean().describe("Whether `/availability` answers for it"),
  capacity: z.int().min(1).describe("How many guests at the same time"),
  staffIds: z.array(id).describe("Who performs it, of those with a public profile"),
  locationType: z.enum(["ON_SITE", "AT_CUSTOMER", "ONLINE"]),
  depositCents: cents.nullable().describe("What is asked for in advance; null: nothing"),
  bookingRules: z
    .strictObject({
      slotIntervalMin: z.int().nullable(),
      minNoticeMin: z.int().nullable(),
      maxAdvanceDays: z.int().nullable(),
    })
    .describe("null: as the business has it"),
  tags: z.array(z.string()),
  ...commonFields,
});

export const serviceCategory = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  color: z.string().nullable().describe("As in CSS: #aa3366"),
  parentId: id.nullable(),
  status: active,
  ...commonFields,
});
