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
  omitEmpty,
  omitDefault,
  writeCommon,
  writeException,
  writeHoursRule,
  type WriteContext,
  writeWindow,
} from "./values.ts";
import { addDays, localDateOf, startOfDay } from "../../local-time.ts";
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

export const writeServiceCategory = (
  _writer: WriteContext,
  doc: ServiceCategoryDoc,
): AuthoredServiceCategory =>
  omitEmpty(
    writeCommon(doc, { description: doc.description, color: doc.color, parent: doc.parent }),
  );

export const writeAddon = (writer: WriteContext, doc: AddonDoc): AuthoredAddon =>
  omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      price: writer.money(doc.priceCents),
      durationMin: omitDefault(0, doc.durationMin),
      maxQuantity: omitDefault(1, doc.maxQuantity),
    }),
  );

export function writeService(writer: WriteContext, doc: ServiceDoc): AuthoredService {
  const priced = doc.priceType === "FIXED" || doc.priceType === "FROM";
  return omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      category: doc.category,
      durationMin: doc.durationMin,
      price: priced ? writer.money(doc.priceCents) : undefined,
      priceType: omitDefault<ServiceDoc["priceType"]>("FIXED", doc.priceType),
      capacity: omitDefault(1, doc.capacity),
      bookable: omitDefault(true, doc.bookable),
      locationType: omitDefault<ServiceDoc["locationType"]>("ON_SITE", doc.locationType),
      bufferBeforeMin: omitDefault(0, doc.bufferBeforeMin),
      bufferAfterMin: omitDefault(0, doc.bufferAfterMin),
      resources: doc.resources.map(({ resource, units }) =>
        units === 1 ? resource : { resource, units },
      ),
      bookingRules: omitEmpty(doc.bookingRules),
      deposit: doc.depositCents === null ? null : writer.money(doc.depositCents),
      staff: doc.staff,
      tags: doc.tags,
      variants: doc.variants.map((variant) => writeVariant(writer, variant, doc)),
      addons: doc.addons.map((link) => writeAddonLink(writer, link)),
    }),
  );
}

const writeVariant = (
  writer: WriteContext,
  doc: VariantDoc,
  service: ServiceDoc,
): AuthoredVariant => ({
  ...omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      durationMin: omitDefault(service.durationMin, doc.durationMin),
      price: doc.priceCents === service.priceCents ? undefined : writer.money(doc.priceCents),
      default: omitDefault(false, doc.isDefault),
      attributes: doc.attributes,
    }),
  ),
  // An empty list says that nobody performs it.
  ...(doc.staff && { staff: doc.staff }),
});

function writeAddonLink(writer: WriteContext, link: AddonLinkDoc): AuthoredAddonLink {
  const { addon, required, minQuantity, maxQuantity, defaultQuantity, priceCents, durationMin } =
    link;
  const terms = omitEmpty({
    required: omitDefault(false, required),
    min: omitDefault(required ? 1 : 0, minQuantity),
    max: omitDefault(Math.max(minQuantity, writer.maxQuantityOf(addon) ?? 1), maxQuantity),
    default: omitDefault(minQuantity, defaultQuantity),
    price: priceCents === null ? null : writer.money(priceCents),
    durationMin,
  });
  return Object.keys(terms).length === 0 ? addon : { addon, ...terms };
}

export const writeResource = (_writer: WriteContext, doc: ResourceDoc): AuthoredResource =>
  omitEmpty(writeCommon(doc, { capacity: omitDefault(1, doc.capacity) }));

export const writeStaff = (writer: WriteContext, doc: StaffDoc): AuthoredStaff => ({
  ...omitEmpty(
    writeCommon(doc, {
      title: doc.title,
      bio: doc.bio,
      languages: doc.languages,
      public: omitDefault(true, doc.public),
      bookable: omitDefault(true, doc.bookable),
      breaks: doc.breaks.map(writeWindow),
      timeOff: doc.timeOff.map((span) => writeTimeOff(writer, span)),
      exceptions: doc.exceptions.map(writeException),
      serviceOverrides: doc.serviceOverrides.map(({ service, durationMin, priceCents }) =>
        omitEmpty({
          service,
          durationMin,
          price: priceCents === null ? null : writer.money(priceCents),
        }),
      ),
    }),
  ),
  // An empty list says that this person has no hours, not those of the business.
  ...(doc.hours && { hours: doc.hours.map(writeHoursRule) }),
});

/** Whole days as their dates, the last one included. */
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

export const writeTable = (_writer: WriteContext, doc: TableDoc): AuthoredTable => {
  const { name, ...common } = writeCommon(doc, {
    area: doc.area,
    minSeats: omitDefault(1, doc.minSeats),
    maxSeats: doc.maxSeats,
  });
  return omitEmpty({ ...common, name: omitDefault(doc.key, name) });
};
