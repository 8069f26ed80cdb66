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
import { addDays, isLocalDate, startOfDay } from "../../local-time.ts";
import type { Path } from "../validation-issue.ts";
import {
  commonFields,
  addContradiction,
  readAmount,
  readException,
  readHoursRule,
  readInstant,
  readText,
  type ReadContext,
  readWindows,
  validateNoAmount,
  validateUnique,
  readRequiredAmount,
  unique,
  upper,
} from "./values.ts";
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

export const readServiceCategory = (
  _reader: ReadContext,
  item: AuthoredServiceCategory,
): ServiceCategoryDoc => ({
  ...commonFields(item),
  description: readText(item.description),
  color: item.color ?? null,
  parent: item.parent ?? null,
});

export const readAddon = (reader: ReadContext, item: AuthoredAddon, at: Path): AddonDoc => ({
  ...commonFields(item),
  description: readText(item.description),
  priceCents: readRequiredAmount(reader, item, at, "price", "an add-on"),
  durationMin: item.durationMin ?? 0,
  maxQuantity: item.maxQuantity ?? 1,
});

/** @param maxQuantityOf of an add-on in this file or on the box, by its key */
export function readService(
  reader: ReadContext,
  item: AuthoredService,
  at: Path,
  maxQuantityOf: (addon: string) => number | undefined,
): ServiceDoc {
  const priceType = upper(item.priceType ?? "FIXED");
  const free = priceType === "FREE" || priceType === "ON_REQUEST";
  const priceCents = free
    ? validateNoAmount(reader, item, at, "price", priceType)
    : readRequiredAmount(
        reader,
        item,
        at,
        "price",
        "a service that is neither free nor on_request",
      );
  const { durationMin } = item;

  const variants = (item.variants ?? []).map((variant, index) =>
    readVariant(reader, variant, [...at, "variants", index], { priceCents, durationMin }),
  );
  validateUnique(
    reader,
    variants.map((variant) => variant.key),
    [...at, "variants"],
    "key",
    "variant",
  );
  const defaults = variants.flatMap((variant, index) => (variant.isDefault ? [index] : []));
  for (const index of defaults.slice(1))
    addContradiction(
      reader,
      [...at, "variants", index, "default"],
      "Another variant is the default already. Keep one.",
    );

  const addons = (item.addons ?? []).map((link, index) =>
    readAddonLink(
      reader,
      typeof link === "string" ? { addon: link } : link,
      [...at, "addons", index],
      maxQuantityOf,
    ),
  );
  validateUnique(
    reader,
    addons.map((link) => link.addon),
    [...at, "addons"],
    "addon",
    "add-on",
  );

  const resources = (item.resources ?? []).map((needed) =>
    typeof needed === "string"
      ? { resource: needed, units: 1 }
      : { resource: needed.resource, units: needed.units ?? 1 },
  );
  validateUnique(
    reader,
    resources.map((needed) => needed.resource),
    [...at, "resources"],
    "resource",
    "resource",
  );

  return {
    ...commonFields(item),
    description: readText(item.description),
    category: item.category ?? null,
    durationMin,
    priceCents,
    priceType,
    capacity: item.capacity ?? 1,
    bookable: item.bookable ?? true,
    locationType: upper(item.locationType ?? "ON_SITE"),
    bufferBeforeMin: item.bufferBeforeMin ?? 0,
    bufferAfterMin: item.bufferAfterMin ?? 0,
    resources,
    bookingRules: {
      slotIntervalMin: item.bookingRules?.slotIntervalMin ?? null,
      minNoticeMin: item.bookingRules?.minNoticeMin ?? null,
      maxAdvanceDays: item.bookingRules?.maxAdvanceDays ?? null,
    },
    depositCents: readAmount(reader, item, at, "deposit"),
    staff: unique(item.staff),
    tags: unique(item.tags),
    variants,
    addons,
  };
}

const readVariant = (
  reader: ReadContext,
  item: AuthoredVariant,
  at: Path,
  service: { priceCents: number; durationMin: number },
): VariantDoc => ({
  ...commonFields(item),
  description: readText(item.description),
  durationMin: item.durationMin ?? service.durationMin,
  priceCents: readAmount(reader, item, at, "price") ?? service.priceCents,
  isDefault: item.default ?? false,
  staff: item.staff === undefined ? null : unique(item.staff),
  attributes: item.attributes ?? {},
});

function readAddonLink(
  reader: ReadContext,
  link: Exclude<AuthoredAddonLink, string>,
  at: Path,
  maxQuantityOf: (addon: string) => number | undefined,
): AddonLinkDoc {
  const required = link.required ?? false;
  const minQuantity = link.min ?? (required ? 1 : 0);
  const maxQuantity = link.max ?? Math.max(minQuantity, maxQuantityOf(link.addon) ?? 1);
  const defaultQuantity = link.default ?? minQuantity;
  if (required && minQuantity === 0)
    addContradiction(reader, [...at, "min"], "'min' cannot be 0 where the add-on is required.");
  if (minQuantity > maxQuantity)
    addContradiction(
      reader,
      [...at, "max"],
      `'max' ${maxQuantity} is less than 'min' ${minQuantity}.`,
    );
  else if (defaultQuantity < minQuantity || defaultQuantity > maxQuantity)
    addContradiction(
      reader,
      [...at, "default"],
      `'default' ${defaultQuantity} is not between ${minQuantity} and ${maxQuantity}.`,
    );
  return {
    addon: link.addon,
    required,
    minQuantity,
    maxQuantity,
    defaultQuantity,
    priceCents: readAmount(reader, link, at, "price"),
    durationMin: link.durationMin ?? null,
  };
}

export const readResource = (_reader: ReadContext, item: AuthoredResource): ResourceDoc => ({
  ...commonFields(item),
  capacity: item.capacity ?? 1,
});

export function readStaff(reader: ReadContext, item: AuthoredStaff, at: Path): StaffDoc {
  const overrides = item.serviceOverrides ?? [];
  validateUnique(
    reader,
    overrides.map((override) => override.service),
    [...at, "serviceOverrides"],
    "service",
    "service",
  );
  return {
    ...commonFields(item),
    title: item.title ?? null,
    bio: readText(item.bio),
    languages: unique(item.languages),
    public: item.public ?? true,
    bookable: item.bookable ?? true,
    hours:
      item.hours?.map((rule, index) => readHoursRule(reader, rule, [...at, "hours", index])) ??
      null,
    breaks: readWindows(reader, item.breaks, [...at, "breaks"]),
    timeOff: (item.timeOff ?? []).map((span, index) =>
      readTimeOff(reader, span, [...at, "timeOff", index]),
    ),
    exceptions: (item.exceptions ?? []).map((one, index) =>
      readException(reader, one, [...at, "exceptions", index]),
    ),
    serviceOverrides: overrides.map((override, index) => ({
      service: override.service,
      durationMin: override.durationMin ?? null,
      priceCents: readAmount(reader, override, [...at, "serviceOverrides", index], "price"),
    })),
  };
}

/** Dates are whole days, the last one included. */
function readTimeOff(
  reader: ReadContext,
  span: { from: string; to: string },
  at: Path,
): { from: number; to: number } {
  const { timezone } = reader;
  const from = isLocalDate(span.from)
    ? startOfDay(span.from, timezone)
    : readInstant(reader, span.from, [...at, "from"]);
  const to = isLocalDate(span.to)
    ? startOfDay(addDays(span.to, 1), timezone)
    : readInstant(reader, span.to, [...at, "to"]);
  if (to <= from)
    addContradiction(reader, [...at, "to"], `'to' ${span.to} is not after 'from' ${span.from}.`);
  return { from, to };
}

export function readTable(reader: ReadContext, item: AuthoredTable, at: Path): TableDoc {
  const minSeats = item.minSeats ?? 1;
  if (item.maxSeats < minSeats)
    addContradiction(
      reader,
      [...at, "maxSeats"],
      `'maxSeats' ${item.maxSeats} is less than 'minSeats' ${minSeats}.`,
    );
  return {
    ...commonFields({ ...item, name: item.name ?? item.key }),
    area: item.area ?? null,
    minSeats,
    maxSeats: item.maxSeats,
  };
}
