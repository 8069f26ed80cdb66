import { z } from "zod";
import {
  common,
  description,
  exceptions,
  hours,
  keyed,
  keys,
  tags,
  windows,
} from "./common-fields.ts";
import {
  cents,
  choice,
  fields,
  instantOrDate,
  key,
  line,
  list,
  locale,
  money,
  text,
  integer,
  flag,
} from "./values.ts";

/** Sections of a business that takes appointments. */

const minutes = integer(0, 1440);
const price = { price: money.optional(), priceCents: cents.optional() };

export const bookingRules = {
  slotIntervalMin: integer(5, 1440).optional(),
  minNoticeMin: integer(0, 525_600).optional(),
  maxAdvanceDays: integer(1, 1095).optional(),
};

export const serviceCategory = fields({
  ...common,
  description,
  color: z
    .string("a colour such as #aa3366")
    .regex(/^#[0-9a-fA-F]{6}$/, "a colour such as #aa3366")
    .optional(),
  parent: key.optional(),
});

export const addon = fields({
  ...common,
  description,
  ...price,
  durationMin: minutes.optional(),
  maxQuantity: integer(1, 100).optional(),
});

const variant = fields({
  ...common,
  description,
  ...price,
  durationMin: integer(1, 1440).optional(),
  default: flag.optional(),
  staff: keys.optional(),
  attributes: z.record(line(80), line(200), "a group of names with texts").optional(),
});

const addonLink = z.union(
  [
    key,
    fields({
      addon: key,
      required: flag.optional(),
      min: integer(0, 100).optional(),
      max: integer(1, 100).optional(),
      default: integer(0, 100).optional(),
      ...price,
      durationMin: minutes.optional(),
    }),
  ],
  "an add-on's key, or a group of fields with addon",
);

const neededResource = z.union(
  [key, fields({ resource: key, units: integer(1, 1000).optional() })],
  "a resource's key, or resource and units",
);

export const service = fields({
  ...common,
  description,
  category: key.optional(),
  durationMin: integer(1, 1440),
  ...price,
  priceType: choice("FIXED", "FROM", "FREE", "ON_REQUEST").optional(),
  capacity: integer(1, 10_000).optional(),
  bookable: flag.optional(),
  locationType: choice("ON_SITE", "AT_CUSTOMER", "ONLINE").optional(),
  bufferBeforeMin: minutes.optional(),
  bufferAfterMin: minutes.optional(),
  resources: list(neededResource).optional(),
  bookingRules: fields(bookingRules).optional(),
  deposit: money.optional(),
  depositCents: cents.optional(),
  staff: keys.optional(),
  tags,
  variants: list(variant).optional(),
  addons: list(addonLink).optional(),
});

export const resource = fields({ ...common, capacity: integer(1, 10_000).optional() });

export const staff = fields({
  ...common,
  title: line(200).optional(),
  bio: text(10_000).optional(),
  languages: list(locale, 50).optional(),
  public: flag.optional(),
  bookable: flag.optional(),
  hours: hours.optional(),
  breaks: windows.optional(),
  timeOff: list(fields({ from: instantOrDate, to: instantOrDate }), 1000).optional(),
  exceptions: exceptions.optional(),
  serviceOverrides: list(
    fields({ service: key, durationMin: integer(1, 1440).optional(), ...price }),
    1000,
  ).optional(),
});

export const area = fields(common);

export const table = fields({
  ...common,
  name: keyed.name.optional(),
  area: key.optional(),
  minSeats: integer(1, 1000).optional(),
  maxSeats: integer(1, 1000),
});
