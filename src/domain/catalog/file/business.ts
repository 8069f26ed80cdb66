import { isoCurrency } from "../../money.ts";
import type { z } from "zod";
import type { BusinessDoc, Closure } from "../catalog.ts";
import {
  description,
  choice,
  currency,
  date,
  defaultsFor,
  email,
  fields,
  list,
  locale,
  optional,
  slug,
  text,
  timezone,
  webAddress,
  yearlyDate,
} from "./fields.ts";
import { type Reader, readFields, trimToNull, unique } from "./reader.ts";
import { publicFields, readPublicFields, writePublicFields } from "./public-page.ts";
import { bookingRules } from "./services.ts";
import { integer, line } from "../../basic-schemas.ts";
import { omitDefault, omitEmpty, writeFields } from "./writer.ts";

export const business = fields({
  slug,
  name: line(200),
  timezone,
  currency,
  ...optional({ locale, locales: list(locale, 50) }),
  description,
  ...optional({
    phone: line(50),
    email,
    websiteUrl: webAddress,
    address: text(1000),
    bookingPolicy: fields({
      ...bookingRules,
      ...optional({
        bufferPolicy: choice("MAX", "SUM"),
        grid: choice("CLOCK", "OPENING"),
        maxGapMin: integer(0, 1440),
      }),
    }),
    guestRetentionDays: integer(1, 3650),
  }),
  ...publicFields,
});
export type AuthoredBusiness = z.infer<typeof business>;

const DEFAULT_LOCALE = "en";
export const BUSINESS_DEFAULTS = defaultsFor<BusinessDoc>()({
  phone: null,
  email: null,
  websiteUrl: null,
  guestRetentionDays: 90,
});
export const BOOKING_POLICY_DEFAULTS: BusinessDoc["bookingPolicy"] = {
  slotIntervalMin: 15,
  minNoticeMin: 60,
  maxAdvanceDays: 90,
  bufferPolicy: "MAX",
  grid: "CLOCK",
  maxGapMin: 0,
  requiresApproval: false,
  cancelUntilMin: 0,
};

export function readBusiness(item: AuthoredBusiness): BusinessDoc {
  const { slug, name, timezone, currency, locale = DEFAULT_LOCALE, locales = [] } = item;
  return {
    slug,
    name,
    timezone,
    ...isoCurrency(currency),
    locale,
    locales: unique([locale, ...locales]),
    description: trimToNull(item.description),
    ...readFields(item, BUSINESS_DEFAULTS),
    address: trimToNull(item.address),
    bookingPolicy: readFields(item.bookingPolicy ?? {}, BOOKING_POLICY_DEFAULTS),
    ...readPublicFields(item),
  };
}

export const writeBusiness = (doc: BusinessDoc): AuthoredBusiness =>
  omitEmpty({
    slug: doc.slug,
    name: doc.name,
    timezone: doc.timezone,
    currency: doc.currency,
    locale: omitDefault(doc.locale, DEFAULT_LOCALE),
    // The first item of `locales` is always `locale`, so a list with a single item is omitted.
    locales: doc.locales.length === 1 ? undefined : doc.locales,
    description: doc.description,
    ...writeFields(doc, BUSINESS_DEFAULTS),
    address: doc.address,
    bookingPolicy: writeFields(doc.bookingPolicy, BOOKING_POLICY_DEFAULTS),
    ...writePublicFields(doc),
  });

export const closure = fields(
  optional({ name: line(200), date, from: date, to: date, yearly: yearlyDate }),
);
type AuthoredClosure = z.infer<typeof closure>;

export function readClosure(reader: Reader, item: AuthoredClosure): Closure {
  const { name = null, date, from, to, yearly } = item;
  const formCount = [date, from ?? to, yearly].filter((form) => form !== undefined).length;
  if (formCount !== 1)
    reader.addIssue(
      formCount === 0 ? "missing_field" : "contradiction",
      "A closure needs exactly one of: 'date'; 'from' and 'to'; 'yearly'.",
    );
  if (yearly !== undefined) return { name, yearly };
  if (date !== undefined) return { name, from: date, to: date };
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? "from" : "to";
    // A closure without any date has been reported above.
    if (from !== undefined || to !== undefined)
      reader.addMissing(missing, "a closure over several days has 'from' and 'to'");
    return { name, from: from ?? "", to: to ?? "" };
  }
  if (to < from) reader.addContradiction("to", `'to' ${to} is before 'from' ${from}.`);
  return { name, from, to };
}

export function writeClosure({ name, ...days }: Closure): AuthoredClosure {
  if ("yearly" in days) return omitEmpty({ name, ...days });
  return omitEmpty({ name, ...(days.from === days.to ? { date: days.from } : days) });
}
