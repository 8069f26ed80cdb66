import {
  addContradiction,
  readAmount,
  readCommon,
  readException,
  readFields,
  readHoursRule,
  readInstant,
  readNoAmount,
  readRequiredAmount,
  readText,
  type ReadContext,
  readWindows,
  unique,
  validateUnique,
} from "./values.ts";
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
import type {
  AuthoredAddon,
  AuthoredAddonLink,
  AuthoredResource,
  AuthoredService,
  AuthoredServiceCategory,
  AuthoredStaff,
  AuthoredTable,
  AuthoredVariant,
} from "../file/schema.ts";
import {
  ADDON_DEFAULTS,
  ADDON_LINK_DEFAULTS,
  BOOKING_RULE_DEFAULTS,
  defaultLinkMax,
  defaultLinkMin,
  NEEDED_RESOURCE_DEFAULTS,
  RESOURCE_DEFAULTS,
  SERVICE_CATEGORY_DEFAULTS,
  SERVICE_DEFAULTS,
  SERVICE_OVERRIDE_DEFAULTS,
  STAFF_DEFAULTS,
  TABLE_DEFAULTS,
  VARIANT_DEFAULTS,
} from "../file/services.ts";
import type { Path } from "../catalog-issue.ts";
import { addDays, isLocalDate, startOfDay } from "../../local-time.ts";

export const readServiceCategory = (
  _context: ReadContext,
  item: AuthoredServiceCategory,
): ServiceCategoryDoc => ({
  ...readCommon(item),
  description: readText(item.description),
  ...readFields(item, SERVICE_CATEGORY_DEFAULTS),
});

export const readAddon = (context: ReadContext, item: AuthoredAddon, path: Path): AddonDoc => ({
  ...readCommon(item),
  description: readText(item.description),
  priceCents: readRequiredAmount(context, item, path, "price", "an add-on"),
  ...readFields(item, ADDON_DEFAULTS),
});

/** @param maxQuantityOf finds an add-on's maximum, by its key, in the files and the stored catalog */
export function readService(
  context: ReadContext,
  item: AuthoredService,
  path: Path,
  maxQuantityOf: (addon: string) => number | undefined,
): ServiceDoc {
  const fields = readFields(item, SERVICE_DEFAULTS);
  const { priceType } = fields;
  const priceCents =
    priceType === "FREE" || priceType === "ON_REQUEST"
      ? readNoAmount(context, item, path, "price", priceType)
      : readRequiredAmount(
          context,
          item,
          path,
          "price",
          "a service that is neither free nor on_request",
        );
  const { durationMin } = item;
  return {
    ...readCommon(item),
    description: readText(item.description),
    durationMin,
    priceCents,
    ...fields,
    resources: readResources(context, item, path),
    bookingRules: readFields(item.bookingRules ?? {}, BOOKING_RULE_DEFAULTS),
    depositCents: readAmount(context, item, path, "deposit"),
    variants: readVariants(context, item, path, { priceCents, durationMin }),
    addons: readAddonLinks(context, item, path, maxQuantityOf),
  };
}

function readResources(
  context: ReadContext,
  item: AuthoredService,
  path: Path,
): ServiceDoc["resources"] {
  const resources = (item.resources ?? []).map((needed) =>
    typeof needed === "string"
      ? { resource: needed, ...NEEDED_RESOURCE_DEFAULTS }
      : { resource: needed.resource, ...readFields(needed, NEEDED_RESOURCE_DEFAULTS) },
  );
  validateUnique(
    context,
    resources.map(({ resource }) => resource),
    [...path, "resources"],
    "resource",
    "resource",
  );
  return resources;
}

function readVariants(
  context: ReadContext,
  item: AuthoredService,
  path: Path,
  service: { priceCents: number; durationMin: number },
): VariantDoc[] {
  const variants = (item.variants ?? []).map((variant, index) =>
    readVariant(context, variant, [...path, "variants", index], service),
  );
  validateUnique(
    context,
    variants.map(({ key }) => key),
    [...path, "variants"],
    "key",
    "variant",
  );
  const defaults = variants.flatMap((variant, index) => (variant.isDefault ? [index] : []));
  for (const index of defaults.slice(1))
    addContradiction(
      context,
      [...path, "variants", index, "default"],
      "Another variant is already the default. Keep one.",
    );
  return variants;
}

const readVariant = (
  context: ReadContext,
  item: AuthoredVariant,
  path: Path,
  service: { priceCents: number; durationMin: number },
): VariantDoc => ({
  ...readCommon(item),
  description: readText(item.description),
  durationMin: item.durationMin ?? service.durationMin,
  priceCents: readAmount(context, item, path, "price") ?? service.priceCents,
  isDefault: Boolean(item.default),
  staff: item.staff === undefined ? null : unique(item.staff),
  ...readFields(item, VARIANT_DEFAULTS),
});

function readAddonLinks(
  context: ReadContext,
  item: AuthoredService,
  path: Path,
  maxQuantityOf: (addon: string) => number | undefined,
): AddonLinkDoc[] {
  const links = (item.addons ?? []).map((link, index) =>
    readAddonLink(
      context,
      typeof link === "string" ? { addon: link } : link,
      [...path, "addons", index],
      maxQuantityOf,
    ),
  );
  validateUnique(
    context,
    links.map(({ addon }) => addon),
    [...path, "addons"],
    "addon",
    "add-on",
  );
  return links;
}

function readAddonLink(
  context: ReadContext,
  link: Exclude<AuthoredAddonLink, string>,
  path: Path,
  maxQuantityOf: (addon: string) => number | undefined,
): AddonLinkDoc {
  const fields = readFields(link, ADDON_LINK_DEFAULTS);
  const minQuantity = link.min ?? defaultLinkMin(fields.required);
  const maxQuantity = link.max ?? defaultLinkMax(minQuantity, maxQuantityOf(link.addon));
  const defaultQuantity = link.default ?? minQuantity;
  if (fields.required && minQuantity === 0)
    addContradiction(
      context,
      [...path, "min"],
      "'min' cannot be 0, because the add-on is required.",
    );
  if (minQuantity > maxQuantity)
    addContradiction(
      context,
      [...path, "max"],
      `'max' ${maxQuantity} is less than 'min' ${minQuantity}.`,
    );
  else if (defaultQuantity < minQuantity || defaultQuantity > maxQuantity)
    addContradiction(
      context,
      [...path, "default"],
      `'default' ${defaultQuantity} is not between ${minQuantity} and ${maxQuantity}.`,
    );
  return {
    addon: link.addon,
    minQuantity,
    maxQuantity,
    defaultQuantity,
    priceCents: readAmount(context, link, path, "price"),
    ...fields,
  };
}

export const readResource = (_context: ReadContext, item: AuthoredResource): ResourceDoc => ({
  ...readCommon(item),
  ...readFields(item, RESOURCE_DEFAULTS),
});

export function readStaff(context: ReadContext, item: AuthoredStaff, path: Path): StaffDoc {
  const overrides = item.serviceOverrides ?? [];
  validateUnique(
    context,
    overrides.map(({ service }) => service),
    [...path, "serviceOverrides"],
    "service",
    "service",
  );
  return {
    ...readCommon(item),
    ...readFields(item, STAFF_DEFAULTS),
    bio: readText(item.bio),
    hours:
      item.hours?.map((rule, index) => readHoursRule(context, rule, [...path, "hours", index])) ??
      null,
    breaks: readWindows(context, item.breaks, [...path, "breaks"]),
    timeOff: (item.timeOff ?? []).map((span, index) =>
      readTimeOff(context, span, [...path, "timeOff", index]),
    ),
    exceptions: (item.exceptions ?? []).map((exception, index) =>
      readException(context, exception, [...path, "exceptions", index]),
    ),
    serviceOverrides: overrides.map((override, index) => ({
      service: override.service,
      ...readFields(override, SERVICE_OVERRIDE_DEFAULTS),
      priceCents: readAmount(context, override, [...path, "serviceOverrides", index], "price"),
    })),
  };
}

/** Dates are whole days, including the last one. */
function readTimeOff(
  context: ReadContext,
  span: { from: string; to: string },
  path: Path,
): { from: number; to: number } {
  const { timezone } = context;
  const from = isLocalDate(span.from)
    ? startOfDay(span.from, timezone)
    : readInstant(context, span.from, [...path, "from"]);
  const to = isLocalDate(span.to)
    ? startOfDay(addDays(span.to, 1), timezone)
    : readInstant(context, span.to, [...path, "to"]);
  if (to <= from)
    addContradiction(context, [...path, "to"], `'to' ${span.to} is not after 'from' ${span.from}.`);
  return { from, to };
}

export function readTable(context: ReadContext, item: AuthoredTable, path: Path): TableDoc {
  const fields = readFields(item, TABLE_DEFAULTS);
  if (item.maxSeats < fields.minSeats)
    addContradiction(
      context,
      [...path, "maxSeats"],
      `'maxSeats' ${item.maxSeats} is less than 'minSeats' ${fields.minSeats}.`,
    );
  return {
    ...readCommon({ ...item, name: item.name ?? item.key }),
    ...fields,
    maxSeats: item.maxSeats,
  };
}
