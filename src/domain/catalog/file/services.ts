import { z } from "zod";
import type {
  AddonDoc,
  AddonLinkDoc,
  ServiceCategoryDoc,
  ServiceDoc,
  VariantDoc,
} from "../catalog.ts";
import {
  described,
  keys,
  price,
  tags,
  cents,
  choice,
  colour,
  defaultsFor,
  fields,
  flag,
  key,
  list,
  money,
  optional,
} from "./fields.ts";
import { type ReadContext, readDescribed, type Reader, readFields, unique } from "./reader.ts";
import { integer, line } from "../../basic-schemas.ts";
import {
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeDescribed,
  writeFields,
} from "./writer.ts";

const minutes = integer(0, 1440);
const duration = integer(1, 1440);

export const bookingRules = optional({
  slotIntervalMin: integer(5, 1440),
  minNoticeMin: integer(0, 525_600),
  maxAdvanceDays: integer(1, 1095),
  requiresApproval: flag,
  cancelUntilMin: integer(0, 525_600),
});

/** null means that the service uses the value from the business's booking policy. */
export const BOOKING_RULE_DEFAULTS = defaultsFor<ServiceDoc["bookingRules"]>()({
  slotIntervalMin: null,
  minNoticeMin: null,
  maxAdvanceDays: null,
  requiresApproval: null,
  cancelUntilMin: null,
});

export const serviceCategory = fields({
  ...described,
  ...optional({
    color: colour,
    parent: key,
  }),
});
type AuthoredServiceCategory = z.infer<typeof serviceCategory>;

export const SERVICE_CATEGORY_DEFAULTS = defaultsFor<ServiceCategoryDoc>()({
  color: null,
  parent: null,
});

export const readServiceCategory = (
  _reader: Reader,
  item: AuthoredServiceCategory,
): ServiceCategoryDoc => ({
  ...readDescribed(item),
  ...readFields(item, SERVICE_CATEGORY_DEFAULTS),
});

export const writeServiceCategory = (
  _context: WriteContext,
  doc: ServiceCategoryDoc,
): AuthoredServiceCategory => writeDescribed(doc, writeFields(doc, SERVICE_CATEGORY_DEFAULTS));

export const addon = fields({
  ...described,
  ...price,
  ...optional({ durationMin: minutes, maxQuantity: integer(1, 100) }),
});
export type AuthoredAddon = z.infer<typeof addon>;

export const ADDON_DEFAULTS = defaultsFor<AddonDoc>()({ durationMin: 0, maxQuantity: 1 });

export const readAddon = (reader: Reader, item: AuthoredAddon): AddonDoc => ({
  ...readDescribed(item),
  priceCents: reader.requiredAmount(item, "price", "an add-on"),
  ...readFields(item, ADDON_DEFAULTS),
});

export const writeAddon = (context: WriteContext, doc: AddonDoc): AuthoredAddon =>
  writeDescribed(doc, {
    price: context.money(doc.priceCents),
    ...writeFields(doc, ADDON_DEFAULTS),
  });

const variant = fields({
  ...described,
  ...price,
  ...optional({
    durationMin: duration,
    default: flag,
    staff: keys,
    attributes: z.record(line(80), line(200), "a group of names and texts, such as hair: long"),
  }),
});
type AuthoredVariant = z.infer<typeof variant>;

const VARIANT_DEFAULTS = defaultsFor<VariantDoc>()({ attributes: {} });

const addonLinkFields = fields({
  addon: key,
  ...optional({
    required: flag,
    min: integer(0, 100),
    max: integer(1, 100),
    default: integer(0, 100),
  }),
  ...price,
  durationMin: minutes.optional(),
});
const addonLink = z.union(
  [key, addonLinkFields],
  "an add-on's key, or a group of fields with addon",
);
type AuthoredAddonLink = z.infer<typeof addonLink>;

const ADDON_LINK_DEFAULTS = defaultsFor<AddonLinkDoc>()({ required: false, durationMin: null });

const defaultLinkMin = (required: boolean): number => (required ? 1 : 0);

/** Returns the default maximum of a link: that of the add-on, or `min` if `min` is larger. */
const defaultLinkMax = (
  min: number,
  { maxQuantities }: ReadContext | WriteContext,
  addon: string,
): number => Math.max(min, maxQuantities.get(addon) ?? ADDON_DEFAULTS.maxQuantity);

const neededResource = z.union(
  [key, fields({ resource: key, units: integer(1, 1000).optional() })],
  "a resource's key, or the fields resource and units",
);
const DEFAULT_UNITS = 1;

export const service = fields({
  ...described,
  category: key.optional(),
  durationMin: duration,
  ...price,
  ...optional({
    priceType: choice("FIXED", "FROM", "FREE", "ON_REQUEST"),
    capacity: integer(1, 10_000),
    bookable: flag,
    locationType: choice("ON_SITE", "AT_CUSTOMER", "ONLINE"),
    bufferBeforeMin: minutes,
    bufferAfterMin: minutes,
    resources: list(neededResource),
    bookingRules: fields(bookingRules),
    deposit: money,
    depositCents: cents,
    staff: keys,
    tags,
    variants: list(variant),
    addons: list(addonLink),
  }),
});
export type AuthoredService = z.infer<typeof service>;

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

const hasNoPrice = (priceType: ServiceDoc["priceType"]): boolean =>
  priceType === "FREE" || priceType === "ON_REQUEST";

export function readService(reader: Reader, item: AuthoredService): ServiceDoc {
  const fields = readFields(item, SERVICE_DEFAULTS);
  const { durationMin } = item;
  const priceCents = hasNoPrice(fields.priceType)
    ? reader.noPrice(item, fields.priceType)
    : reader.requiredAmount(item, "price", "a service that is neither free nor on_request");
  return {
    ...readDescribed(item),
    durationMin,
    priceCents,
    ...fields,
    resources: reader.uniqueList(
      item.resources,
      "resources",
      { key: "resource", noun: "resource" },
      (_reader, needed) =>
        typeof needed === "string"
          ? { resource: needed, units: DEFAULT_UNITS }
          : { resource: needed.resource, units: needed.units ?? DEFAULT_UNITS },
    ),
    bookingRules: readFields(item.bookingRules ?? {}, BOOKING_RULE_DEFAULTS),
    depositCents: reader.amount(item, "deposit"),
    variants: readVariants(reader, item, { durationMin, priceCents }),
    addons: reader.uniqueList(
      item.addons,
      "addons",
      { key: "addon", noun: "add-on" },
      readAddonLink,
    ),
  };
}

export const writeService = (context: WriteContext, doc: ServiceDoc): AuthoredService =>
  writeDescribed(doc, {
    durationMin: doc.durationMin,
    price: hasNoPrice(doc.priceType) ? undefined : context.money(doc.priceCents),
    ...writeFields(doc, SERVICE_DEFAULTS),
    resources: doc.resources.map(({ resource, units }) =>
      units === DEFAULT_UNITS ? resource : { resource, units },
    ),
    bookingRules: writeFields(doc.bookingRules, BOOKING_RULE_DEFAULTS),
    deposit: context.optionalMoney(doc.depositCents),
    variants: doc.variants.map((variant) =>
      writeVariant(context, variant, {
        durationMin: doc.durationMin,
        priceCents: hasNoPrice(doc.priceType) ? 0 : doc.priceCents,
      }),
    ),
    addons: doc.addons.map((link) => writeAddonLink(context, link)),
  });

function readVariants(
  reader: Reader,
  item: AuthoredService,
  service: { durationMin: number; priceCents: number },
): VariantDoc[] {
  const variants = reader.uniqueList(
    item.variants,
    "variants",
    { key: "key", noun: "variant" },
    (reader, variant): VariantDoc => ({
      ...readDescribed(variant),
      durationMin: variant.durationMin ?? service.durationMin,
      priceCents: reader.amount(variant, "price") ?? service.priceCents,
      isDefault: Boolean(variant.default),
      staff: variant.staff === undefined ? null : unique(variant.staff),
      ...readFields(variant, VARIANT_DEFAULTS),
    }),
  );
  const defaultIndexes = variants.flatMap((variant, index) => (variant.isDefault ? [index] : []));
  for (const index of defaultIndexes.slice(1))
    reader
      .at("variants", index)
      .addContradiction("default", "Another variant is already the default. Keep one.");
  return variants;
}

/** @param service the values that are the defaults of its variants, and are therefore omitted */
const writeVariant = (
  context: WriteContext,
  doc: VariantDoc,
  service: Pick<ServiceDoc, "durationMin" | "priceCents">,
): AuthoredVariant => ({
  ...writeDescribed(doc, {
    durationMin: omitDefault(doc.durationMin, service.durationMin),
    price: doc.priceCents === service.priceCents ? undefined : context.money(doc.priceCents),
    default: doc.isDefault || undefined,
    ...writeFields(doc, VARIANT_DEFAULTS),
  }),
  // An empty list means that nobody performs the variant, so the file gets it. null is omitted.
  ...(doc.staff && { staff: doc.staff }),
});

function readAddonLink(reader: Reader, item: AuthoredAddonLink): AddonLinkDoc {
  const link: z.infer<typeof addonLinkFields> = typeof item === "string" ? { addon: item } : item;
  const fields = readFields(link, ADDON_LINK_DEFAULTS);
  const minQuantity = link.min ?? defaultLinkMin(fields.required);
  const maxQuantity = link.max ?? defaultLinkMax(minQuantity, reader.context, link.addon);
  const defaultQuantity = link.default ?? minQuantity;
  if (fields.required && minQuantity === 0)
    reader.addContradiction("min", "'min' cannot be 0, because the add-on is required.");
  if (minQuantity > maxQuantity)
    reader.addContradiction("max", `'max' ${maxQuantity} is less than 'min' ${minQuantity}.`);
  else if (defaultQuantity < minQuantity || defaultQuantity > maxQuantity)
    reader.addContradiction(
      "default",
      `'default' ${defaultQuantity} is not between ${minQuantity} and ${maxQuantity}.`,
    );
  return {
    addon: link.addon,
    minQuantity,
    maxQuantity,
    defaultQuantity,
    priceCents: reader.amount(link, "price"),
    ...fields,
  };
}

function writeAddonLink(context: WriteContext, link: AddonLinkDoc): AuthoredAddonLink {
  const { addon, minQuantity, maxQuantity } = link;
  const fields = omitEmpty({
    min: omitDefault(minQuantity, defaultLinkMin(link.required)),
    max: omitDefault(maxQuantity, defaultLinkMax(minQuantity, context, addon)),
    default: omitDefault(link.defaultQuantity, minQuantity),
    price: context.optionalMoney(link.priceCents),
    ...writeFields(link, ADDON_LINK_DEFAULTS),
  });
  return Object.keys(fields).length === 0 ? addon : { addon, ...fields };
}
