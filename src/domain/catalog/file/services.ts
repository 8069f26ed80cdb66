import { z } from "zod";
import type {
  AddonDoc,
  AddonLinkDoc,
  ResourceDoc,
  ServiceCategoryDoc,
  ServiceDoc,
  StaffDoc,
  TableDoc,
  VariantDoc,
} from "../catalog.ts";
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
import { defaultsFor } from "./defaults.ts";
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

const minutes = integer(0, 1440);
const price = { price: money.optional(), priceCents: cents.optional() };

export const bookingRules = {
  slotIntervalMin: integer(5, 1440).optional(),
  minNoticeMin: integer(0, 525_600).optional(),
  maxAdvanceDays: integer(1, 1095).optional(),
};

/** For services: null stands for the value from the business's booking policy. */
export const BOOKING_RULE_DEFAULTS = defaultsFor<ServiceDoc["bookingRules"]>()({
  slotIntervalMin: null,
  minNoticeMin: null,
  maxAdvanceDays: null,
});

export const serviceCategory = fields({
  ...common,
  description,
  color: z
    .string("a colour such as #aa3366")
    .regex(/^#[0-9a-fA-F]{6}$/, "a colour such as #aa3366")
    .optional(),
  parent: key.optional(),
});

export const SERVICE_CATEGORY_DEFAULTS = defaultsFor<ServiceCategoryDoc>()({
  color: null,
  parent: null,
});

export const addon = fields({
  ...common,
  description,
  ...price,
  durationMin: minutes.optional(),
  maxQuantity: integer(1, 100).optional(),
});

export const ADDON_DEFAULTS = defaultsFor<AddonDoc>()({ durationMin: 0, maxQuantity: 1 });

const variant = fields({
  ...common,
  description,
  ...price,
  durationMin: integer(1, 1440).optional(),
  default: flag.optional(),
  staff: keys.optional(),
  attributes: z.record(line(80), line(200), "a group of names with texts").optional(),
});

export const VARIANT_DEFAULTS = defaultsFor<VariantDoc>()({ attributes: {} });

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

export const ADDON_LINK_DEFAULTS = defaultsFor<AddonLinkDoc>()({
  required: false,
  durationMin: null,
});

export const defaultLinkMin = (required: boolean): number => (required ? 1 : 0);

/** @param addonMax the maximum quantity of the add-on itself; undefined if it is not known */
export const defaultLinkMax = (min: number, addonMax = ADDON_DEFAULTS.maxQuantity): number =>
  Math.max(min, addonMax);

const neededResource = z.union(
  [key, fields({ resource: key, units: integer(1, 1000).optional() })],
  "a resource's key, or resource and units",
);

export const NEEDED_RESOURCE_DEFAULTS = { units: 1 };

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

export const SERVICE_DEFAULTS = defaultsFor<ServiceDoc>()({
  category: null,
  priceType: "FIXED",
  capacity: 1,
  bookable: true,
  locationType: "ON_SITE",
  bufferBeforeMin: 0,
  bufferAfterMin: 0,
  staff: [],
  tags: [],
});

export const resource = fields({ ...common, capacity: integer(1, 10_000).optional() });

export const RESOURCE_DEFAULTS = defaultsFor<ResourceDoc>()({ capacity: 1 });

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

export const STAFF_DEFAULTS = defaultsFor<StaffDoc>()({
  title: null,
  languages: [],
  public: true,
  bookable: true,
});

export const SERVICE_OVERRIDE_DEFAULTS = defaultsFor<StaffDoc["serviceOverrides"][number]>()({
  durationMin: null,
});

export const area = fields(common);

export const table = fields({
  ...common,
  name: keyed.name.optional(),
  area: key.optional(),
  minSeats: integer(1, 1000).optional(),
  maxSeats: integer(1, 1000),
});

export const TABLE_DEFAULTS = defaultsFor<TableDoc>()({ area: null, minSeats: 1 });
