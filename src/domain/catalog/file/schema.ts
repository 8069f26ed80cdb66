import { z } from "zod";
import { description, exceptions, hours } from "./common-fields.ts";
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

const closure = fields({
  name: line(200).optional(),
  date: date.optional(),
  from: date.optional(),
  to: date.optional(),
  yearly: yearlyDate.optional(),
});

/** Objects in one section. */
export const MAX_SECTION = 100_000;

const section = <T extends z.ZodType>(item: T) => list(item, MAX_SECTION).optional();

/** A catalog file as its author writes it. `deskbell catalog schema` publishes it for editors. */
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
type Item<T> = NonNullable<T> extends readonly (infer I)[] ? I : never;

export type AuthoredBusiness = NonNullable<AuthoredFile["business"]>;
export type AuthoredClosure = Item<AuthoredFile["closures"]>;
export type AuthoredHours = Item<AuthoredFile["hours"]>;
export type AuthoredException = Item<AuthoredFile["exceptions"]>;
export type AuthoredServiceCategory = Item<AuthoredFile["serviceCategories"]>;
export type AuthoredAddon = Item<AuthoredFile["addons"]>;
export type AuthoredService = Item<AuthoredFile["services"]>;
export type AuthoredVariant = Item<AuthoredService["variants"]>;
export type AuthoredAddonLink = Item<AuthoredService["addons"]>;
export type AuthoredResource = Item<AuthoredFile["resources"]>;
export type AuthoredStaff = Item<AuthoredFile["staff"]>;
type AuthoredMenu = NonNullable<AuthoredFile["menu"]>;
export type AuthoredMenuCategory = Item<AuthoredMenu["categories"]>;
export type AuthoredMenuItem = Item<AuthoredMenu["items"]>;
export type AuthoredModifierGroup = Item<AuthoredMenu["modifierGroups"]>;
export type AuthoredSize = Item<AuthoredMenuItem["sizes"]>;
export type AuthoredOption = Item<AuthoredModifierGroup["options"]>;
export type AuthoredArea = Item<AuthoredFile["areas"]>;
export type AuthoredTable = Item<AuthoredFile["tables"]>;
export type AuthoredPromotion = Item<AuthoredFile["promotions"]>;
export type AuthoredPublicEvent = Item<AuthoredFile["events"]>;
export type AuthoredTicketType = Item<AuthoredPublicEvent["ticketTypes"]>;
