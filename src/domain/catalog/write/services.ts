import {
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeCommon,
  writeException,
  writeFields,
  writeHoursRule,
  writeWindow,
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
import { addDays, localDateOf, startOfDay } from "../../local-time.ts";

export const writeServiceCategory = (
  _context: WriteContext,
  doc: ServiceCategoryDoc,
): AuthoredServiceCategory =>
  omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      ...writeFields(doc, SERVICE_CATEGORY_DEFAULTS),
    }),
  );

export const writeAddon = (context: WriteContext, doc: AddonDoc): AuthoredAddon =>
  omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      price: context.money(doc.priceCents),
      ...writeFields(doc, ADDON_DEFAULTS),
    }),
  );

export function writeService(context: WriteContext, doc: ServiceDoc): AuthoredService {
  const hasPrice = doc.priceType === "FIXED" || doc.priceType === "FROM";
  return omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      durationMin: doc.durationMin,
      price: hasPrice ? context.money(doc.priceCents) : undefined,
      ...writeFields(doc, SERVICE_DEFAULTS),
      resources: doc.resources.map(writeNeededResource),
      bookingRules: writeFields(doc.bookingRules, BOOKING_RULE_DEFAULTS),
      deposit: doc.depositCents === null ? null : context.money(doc.depositCents),
      variants: doc.variants.map((variant) => writeVariant(context, variant, doc)),
      addons: doc.addons.map((link) => writeAddonLink(context, link)),
    }),
  );
}

function writeNeededResource({ resource, units }: ServiceDoc["resources"][number]) {
  const more = writeFields({ units }, NEEDED_RESOURCE_DEFAULTS);
  return more.units === undefined ? resource : { resource, ...more };
}

const writeVariant = (
  context: WriteContext,
  doc: VariantDoc,
  service: ServiceDoc,
): AuthoredVariant => ({
  ...omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      durationMin: omitDefault(doc.durationMin, service.durationMin),
      price: doc.priceCents === service.priceCents ? undefined : context.money(doc.priceCents),
      default: doc.isDefault || undefined,
      ...writeFields(doc, VARIANT_DEFAULTS),
    }),
  ),
  // An empty list means that nobody performs the variant, and is kept.
  ...(doc.staff && { staff: doc.staff }),
});

function writeAddonLink(context: WriteContext, link: AddonLinkDoc): AuthoredAddonLink {
  const { addon, required, minQuantity, maxQuantity, defaultQuantity, priceCents } = link;
  const fields = omitEmpty({
    min: omitDefault(minQuantity, defaultLinkMin(required)),
    max: omitDefault(maxQuantity, defaultLinkMax(minQuantity, context.maxQuantityOf(addon))),
    default: omitDefault(defaultQuantity, minQuantity),
    price: priceCents === null ? null : context.money(priceCents),
    ...writeFields(link, ADDON_LINK_DEFAULTS),
  });
  return Object.keys(fields).length === 0 ? addon : { addon, ...fields };
}

export const writeResource = (_context: WriteContext, doc: ResourceDoc): AuthoredResource =>
  omitEmpty(writeCommon(doc, writeFields(doc, RESOURCE_DEFAULTS)));

export const writeStaff = (context: WriteContext, doc: StaffDoc): AuthoredStaff => ({
  ...omitEmpty(
    writeCommon(doc, {
      ...writeFields(doc, STAFF_DEFAULTS),
      bio: doc.bio,
      breaks: doc.breaks.map(writeWindow),
      timeOff: doc.timeOff.map((span) => writeTimeOff(context, span)),
      exceptions: doc.exceptions.map(writeException),
      serviceOverrides: doc.serviceOverrides.map((override) =>
        omitEmpty({
          service: override.service,
          ...writeFields(override, SERVICE_OVERRIDE_DEFAULTS),
          price: override.priceCents === null ? null : context.money(override.priceCents),
        }),
      ),
    }),
  ),
  // An empty list means no hours; null means the hours of the business and is omitted.
  ...(doc.hours && { hours: doc.hours.map(writeHoursRule) }),
});

/** Whole days are written as dates, of which the last is included. */
function writeTimeOff(
  { timezone, instant }: WriteContext,
  { from, to }: StaffDoc["timeOff"][number],
) {
  const first = localDateOf(from, timezone);
  const last = addDays(localDateOf(to, timezone), -1);
  return {
    from: startOfDay(first, timezone) === from ? first : instant(from),
    to: startOfDay(addDays(last, 1), timezone) === to ? last : instant(to),
  };
}

export const writeTable = (_context: WriteContext, doc: TableDoc): AuthoredTable => {
  const { name, ...common } = writeCommon(doc, {
    ...writeFields(doc, TABLE_DEFAULTS),
    maxSeats: doc.maxSeats,
  });
  return omitEmpty({ ...common, name: omitDefault(name, doc.key) });
};
