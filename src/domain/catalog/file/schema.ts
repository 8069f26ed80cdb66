import { z } from "zod";
import type { BusinessDoc } from "../catalog.ts";
import { description, exceptions, hours } from "./common-fields.ts";
import { defaultsFor } from "./defaults.ts";
import { menu } from "./menu.ts";
import { promotion, publicEvent } from "./offers.ts";
import {
  addon,
  area,
  bookingRules,
  resource,
  service,
  serviceCategory,
  staff,
  table,
} from "./services.ts";
import {
  choice,
  currency,
  date,
  email,
  fields,
  line,
  list,
  locale,
  slug,
  text,
  timezone,
  webAddress,
  integer,
  yearlyDate,
} from "./values.ts";

const business = fields({
  slug,
  name: line(200),
  timezone,
  currency,
  locale: locale.optional(),
  locales: list(locale, 50).optional(),
  description,
  phone: line(50).optional(),
  email: email.optional(),
  websiteUrl: webAddress.optional(),
  address: text(1000).optional(),
  bookingPolicy: fields({
    ...bookingRules,
    bufferPolicy: choice("MAX", "SUM").optional(),
    grid: choice("CLOCK", "OPENING").optional(),
    maxGapMin: integer(0, 1440).optional(),
  }).optional(),
});

export const DEFAULT_LOCALE = "en";
export const BUSINESS_DEFAULTS = defaultsFor<BusinessDoc>()({
  phone: null,
  email: null,
  websiteUrl: null,
});
export const BOOKING_POLICY_DEFAULTS: BusinessDoc["bookingPolicy"] = {
  slotIntervalMin: 15,
  minNoticeMin: 60,
  maxAdvanceDays: 90,
  bufferPolicy: "MAX",
  grid: "CLOCK",
  maxGapMin: 0,
};

const closure = fields({
  name: line(200).optional(),
  date: date.optional(),
  from: date.optional(),
  to: date.optional(),
  yearly: yearlyDate.optional(),
});

/** The maximum number of objects in a section. */
export const MAX_SECTION = 100_000;

const section = <T extends z.ZodType>(item: T) => list(item, MAX_SECTION).optional();

/** The format of catalog files. `deskbell catalog schema` prints it as JSON Schema for editors. */
export const catalogFileSchema = z.strictObject(
  {
    catalog: z.literal(1, "1, the version of this format"),
    business: business.optional(),
    hours: hours.optional(),
    closures: list(closure, 1000).optional(),
    exceptions: exceptions.optional(),
    turnTimes: list(fields({ upTo: integer(1, 1000), min: integer(1, 1440) }), 100).optional(),
    serviceCategories: section(serviceCategory),
    addons: section(addon),
    services: section(service),
    resources: section(resource),
    staff: section(staff),
    menu: menu.optional(),
    areas: section(area),
    tables: section(table),
    promotions: section(promotion),
    events: section(publicEvent),
  },
  "a map of sections that begins with 'catalog: 1'",
);

export type AuthoredFile = z.infer<typeof catalogFileSchema>;
type ItemOf<T> = NonNullable<T> extends readonly (infer I)[] ? I : never;

export type AuthoredBusiness = NonNullable<AuthoredFile["business"]>;
export type AuthoredClosure = ItemOf<AuthoredFile["closures"]>;
export type AuthoredHours = ItemOf<AuthoredFile["hours"]>;
export type AuthoredException = ItemOf<AuthoredFile["exceptions"]>;
export type AuthoredServiceCategory = ItemOf<AuthoredFile["serviceCategories"]>;
export type AuthoredAddon = ItemOf<AuthoredFile["addons"]>;
export type AuthoredService = ItemOf<AuthoredFile["services"]>;
export type AuthoredVariant = ItemOf<AuthoredService["variants"]>;
export type AuthoredAddonLink = ItemOf<AuthoredService["addons"]>;
export type AuthoredResource = ItemOf<AuthoredFile["resources"]>;
export type AuthoredStaff = ItemOf<AuthoredFile["staff"]>;
type AuthoredMenu = NonNullable<AuthoredFile["menu"]>;
export type AuthoredMenuCategory = ItemOf<AuthoredMenu["categories"]>;
export type AuthoredMenuItem = ItemOf<AuthoredMenu["items"]>;
export type AuthoredModifierGroup = ItemOf<AuthoredMenu["modifierGroups"]>;
export type AuthoredSize = ItemOf<AuthoredMenuItem["sizes"]>;
export type AuthoredOption = ItemOf<AuthoredModifierGroup["options"]>;
export type AuthoredArea = ItemOf<AuthoredFile["areas"]>;
export type AuthoredTable = ItemOf<AuthoredFile["tables"]>;
export type AuthoredPromotion = ItemOf<AuthoredFile["promotions"]>;
export type AuthoredPublicEvent = ItemOf<AuthoredFile["events"]>;
export type AuthoredTicketType = ItemOf<AuthoredPublicEvent["ticketTypes"]>;
