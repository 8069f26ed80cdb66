import { z } from "zod";
import {
  active,
  cents,
  commonFields,
  count,
  currency,
  description,
  flag,
  id,
  includedBy,
  minutes,
  orNull,
  parentId,
} from "./values.ts";

export const serviceVariant = z.strictObject({
  id,
  serviceId: id,
  name: z.string(),
  description,
  durationMin: minutes.describe("Duration in minutes, instead of the service's duration"),
  priceCents: cents.describe("Price in minor units, instead of the service's price"),
  currency,
  status: active,
  isDefault: flag("Whether it is booked if the request names no variant"),
  staffIds: z
    .array(id)
    .nullable()
    .describe("Staff members who perform it; null if all of the service's do"),
  attributes: z
    .record(z.string(), z.string())
    .describe("Names and values that the business defines"),
  ...commonFields,
});

const { sortOrder: _omitted, ...addonCommonFields } = commonFields;

export const addon = z.strictObject({
  id,
  name: z.string(),
  description,
  priceCents: cents,
  currency,
  durationMin: minutes,
  maxQuantity: z.int().min(1).describe("Maximum quantity per booking"),
  status: active,
  ...addonCommonFields,
});

export const addonLink = z.strictObject({
  id,
  addonId: id,
  required: flag("Whether the service cannot be booked without the add-on"),
  minQuantity: count,
  maxQuantity: count,
  defaultQuantity: count.describe(
    "Quantity to preselect. If a request does not name a required add-on, this quantity of it is booked, and at least 1",
  ),
  priceCents: orNull(
    cents,
    "Price with this service, in minor units; null if the add-on's own price applies",
  ),
  durationMin: orNull(
    minutes,
    "Duration with this service, in minutes; null if the add-on's own applies",
  ),
  addon,
  status: active,
  ...commonFields,
});

/** The fields of the "Service object" in the specification that deskbell implements come first. */
export const service = z.strictObject({
  id,
  name: z.string(),
  durationMin: minutes,
  priceCents: cents.describe("Price in minor units; 0 if `priceType` is FREE or ON_REQUEST"),
  currency,
  status: active,
  variants: includedBy("includeVariants", z.array(serviceVariant)),
  addonLinks: includedBy("includeAddons", z.array(addonLink)),
  description,
  categoryId: orNull(id, "Category of the service; null if it has none"),
  priceType: z
    .enum(["FIXED", "FROM", "FREE", "ON_REQUEST"])
    .describe("FROM: the lowest price; ON_REQUEST: ask the business"),
  priceFromCents: cents.describe(
    "Lowest price of the variants, in minor units; the service's price if it has none",
  ),
  durationFromMin: minutes.describe(
    "Shortest duration of the variants, in minutes; the service's duration if it has none",
  ),
  bookable: flag("Whether `/availability` offers slots for the service"),
  capacity: z
    .int()
    .min(1)
    .describe(
      "Maximum number of guests in one session, which is one time with one staff member; of a service without staff and resources, at the same time",
    ),
  staffIds: z.array(id).describe("Staff members with a public profile who perform the service"),
  locationType: z.enum(["ON_SITE", "AT_CUSTOMER", "ONLINE"]),
  depositCents: orNull(cents, "Deposit to pay in advance, in minor units; null if there is none"),
  bookingRules: z
    .strictObject({
      slotIntervalMin: orNull(z.int(), "Minutes between possible starts"),
      minNoticeMin: orNull(z.int(), "Minimum notice in minutes"),
      maxAdvanceDays: orNull(z.int(), "Booking horizon in days"),
      requiresApproval: orNull(
        z.boolean(),
        "Whether a booking is PENDING until the business approves it",
      ),
      cancelUntilMin: orNull(
        z.int(),
        "Minutes before its start until which a guest can cancel or move a booking",
      ),
    })
    .describe("Rules of this service; null means the business's default applies"),
  tags: z.array(z.string()),
  ...commonFields,
});

export const serviceCategory = z.strictObject({
  id,
  name: z.string(),
  description,
  color: orNull(z.string(), "CSS hex color such as #aa3366; null if there is none"),
  parentId,
  status: active,
  ...commonFields,
});

/** A staff member, without contact details, working hours and reasons for absence. */
export const staff = z.strictObject({
  id,
  name: z.string(),
  title: orNull(z.string(), "Job title; null if there is none"),
  bio: orNull(z.string(), "Biography; null if there is none"),
  languages: z.array(z.string()).describe("BCP 47 language tags such as en or pt-BR"),
  bookable: flag("Whether `/availability` offers slots with this person"),
  serviceIds: z.array(id).describe("Services that this person performs"),
  serviceOverrides: z
    .array(
      z.strictObject({
        serviceId: id,
        durationMin: orNull(minutes, "Duration in minutes; null if the service's duration applies"),
        priceCents: orNull(cents, "Price in minor units; null if the service's price applies"),
      }),
    )
    .describe(
      "Durations and prices that differ when this person performs the service, whichever variant is booked; those of add-ons are added to them",
    ),
  status: active,
  ...commonFields,
});
