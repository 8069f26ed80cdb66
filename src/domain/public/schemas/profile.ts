import { z } from "zod";
import { BUSINESS_TYPES } from "../../catalog/business-types.ts";
import {
  count,
  currency,
  description,
  flag,
  id,
  image,
  instant,
  localDate,
  orNull,
  wallTime,
  weeklyWindow,
} from "./values.ts";

const openingRule = weeklyWindow.extend({
  validFrom: orNull(localDate, "First day on which it applies; null if it always has"),
  validTo: orNull(localDate, "Last day on which it applies; null if it has no end"),
});

const openingException = z.strictObject({
  date: localDate,
  mode: z
    .enum(["REPLACE", "ADD", "REMOVE"])
    .describe(
      "What `intervals` do to the regular hours of that day: REPLACE them (closed if there are none), ADD to them, or REMOVE from them. They apply in this order",
    ),
  intervals: z.array(z.strictObject({ start: wallTime, end: weeklyWindow.shape.end })),
});

const closure = z
  .strictObject({
    name: orNull(z.string(), "Reason, such as a public holiday; null if not specified"),
    from: orNull(localDate, "First closed day; null if it is yearly"),
    to: orNull(localDate, "Last closed day; null if it is yearly"),
    yearly: orNull(
      z.string(),
      "MM-DD of a day that is closed every year; null if it is not yearly",
    ),
  })
  .describe(
    "Days on which the business is closed, from midnight to midnight, whatever the other hours say",
  );

const openingHours = z
  .strictObject({
    regular: z.array(openingRule).describe("Weekly hours; days in none of them are closed"),
    exceptions: z.array(openingException).describe("Single days with different hours"),
    closures: z.array(closure),
  })
  .describe("Opening hours in the business's time zone");

const postalAddress = orNull(
  z.strictObject({
    street: z.string().describe("Street and number"),
    locality: z.string().describe("Town"),
    region: orNull(z.string(), "State, province or canton; null if not specified"),
    postalCode: orNull(z.string(), "Postal code; null if not specified"),
    country: z.string().length(2).describe("ISO 3166-1 code"),
  }),
  "Postal address in parts; null if not specified",
);

const legal = z
  .strictObject({
    privacyUrl: orNull(z.string(), "URL of the privacy policy; null if not specified"),
    imprintUrl: orNull(z.string(), "URL of the imprint; null if not specified"),
    imprint: orNull(z.string(), "Text of the imprint; null if not specified"),
  })
  .describe("Legal texts");

export const profile = z.strictObject({
  id,
  slug: z.string().describe("The business's name in URLs"),
  name: z.string(),
  description,
  address: orNull(z.string(), "Postal address in one line or more; null if not specified"),
  phone: orNull(z.string(), "Telephone number; null if not specified"),
  email: orNull(z.string(), "E-mail address; null if not specified"),
  websiteUrl: orNull(z.string(), "URL of the business's own website; null if not specified"),
  timezone: z.string().describe("IANA time zone"),
  currency,
  currencyDigits: count.describe(
    "Decimals of every amount in minor units: with 2, 4500 means 45.00",
  ),
  locale: z.string().describe("Language of texts without a translation"),
  locales: z.array(z.string()).describe("Languages of the texts; request one with `locale`"),
  openingHours,
  bookingPolicy: z
    .strictObject({
      slotIntervalMin: z.int().describe("Minutes between possible starts"),
      minNoticeMin: z.int().describe("Minimum notice in minutes"),
      maxAdvanceDays: z.int().describe("Booking horizon in days"),
      requiresApproval: flag("Whether a booking is PENDING until the business approves it"),
      cancelUntilMin: z
        .int()
        .describe("Minutes before its start until which a guest can cancel or move a booking"),
    })
    .describe("Rules of tables, and of all services whose own `bookingRules` have null"),
  guestRetentionDays: z
    .int()
    .describe("Days after a visit until the guest's personal data is erased"),
  type: orNull(z.enum(BUSINESS_TYPES), "Type of schema.org; null if not specified"),
  postalAddress,
  geo: orNull(
    z.strictObject({ latitude: z.number(), longitude: z.number() }),
    "Where the business is, in degrees; null if not specified",
  ),
  images: z.array(image),
  priceRange: orNull(z.string(), "Such as `$$` or `CHF 20-60`; null if not specified"),
  links: z
    .array(
      z.strictObject({
        url: z.string(),
        name: orNull(z.string(), "Text of the link; null if there is none"),
      }),
    )
    .describe("Profiles and other pages of the business"),
  legal,
  publicPage: orNull(
    z.strictObject({
      booking: z
        .enum(["OFF", "REQUEST", "CONFIRM"])
        .describe("Whether guests can book on the page, and whether a visit is PENDING at first"),
    }),
    "The business's page for guests, at the path `/b/{slug}` of this server; null if there is none",
  ),
  version: z.int().describe("`catalogVersion` when one of these fields last changed"),
  updatedAt: instant,
});
