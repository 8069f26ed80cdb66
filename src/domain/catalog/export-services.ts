import type {
  AddonDoc,
  AddonLinkDoc,
  ResourceDoc,
  ServiceCategoryDoc,
  ServiceDoc,
  StaffDoc,
  TableDoc,
  VariantDoc,
} from "./catalog.ts";
import {
  said,
  unless,
  writeCommon,
  writeException,
  writeHoursRule,
  type Writer,
  writeWindow,
} from "./export-values.ts";
import { addDays, localDateOf, startOfDay } from "./instants.ts";
import type {
  AuthoredAddon,
  AuthoredAddonLink,
  AuthoredResource,
  AuthoredService,
  AuthoredServiceCategory,
  AuthoredStaff,
  AuthoredTable,
  AuthoredVariant,
} from "./schema.ts";

export const writeServiceCategory = (
  _writer: Writer,
  doc: ServiceCategoryDoc,
): AuthoredServiceCategory =>
  said(writeCommon(doc, { description: doc.description, color: doc.color, parent: doc.parent }));

export const writeAddon = (writer: Writer, doc: AddonDoc): AuthoredAddon =>
  said(
    writeCommon(doc, {
      description: doc.description,
      price: writer.money(doc.priceCents),
      durationMin: unless(0, doc.durationMin),
      maxQuantity: unless(1, doc.maxQuantity),
    }),
  );

export function writeService(writer: Writer, doc: ServiceDoc): AuthoredService {
  const priced = doc.priceType === "FIXED" || doc.priceType === "FROM";
  return said(
    writeCommon(doc, {
      description: doc.description,
      category: doc.category,
      durationMin: doc.durationMin,
      price: priced ? writer.money(doc.priceCents) : undefined,
      priceType: unless<ServiceDoc["priceType"]>("FIXED", doc.priceType),
      capacity: unless(1, doc.capacity),
      bookable: unless(true, doc.bookable),
      locationType: unless<ServiceDoc["locationType"]>("ON_SITE", doc.locationType),
      bufferBeforeMin: unless(0, doc.bufferBeforeMin),
      bufferAfterMin: unless(0, doc.bufferAfterMin),
      resources: doc.resources.map(({ resource, units }) =>
        units === 1 ? resource : { resource, units },
      ),
      bookingRules: said(doc.bookingRules),
      deposit: doc.depositCents === null ? null : writer.money(doc.depositCents),
      staff: doc.staff,
      tags: doc.tags,
      variants: doc.variants.map((variant) => writeVariant(writer, variant, doc)),
      addons: doc.addons.map((link) => writeAddonLink(writer, link)),
    }),
  );
}

const writeVariant = (writer: Writer, doc: VariantDoc, service: ServiceDoc): AuthoredVariant => ({
  ...said(
    writeCommon(doc, {
      description: doc.description,
      durationMin: unless(service.durationMin, doc.durationMin),
      price: doc.priceCents === service.priceCents ? undefined : writer.money(doc.priceCents),
      default: unless(false, doc.isDefault),
      attributes: doc.attributes,
    }),
  ),
  // An empty list says that nobody performs it.
  ...(doc.staff && { staff: doc.staff }),
});

function writeAddonLink(writer: Writer, link: AddonLinkDoc): AuthoredAddonLink {
  const { addon, required, minQuantity, maxQuantity, defaultQuantity, priceCents, durationMin } =
    link;
  const terms = said({
    required: unless(false, required),
    min: unless(required ? 1 : 0, minQuantity),
    max: unless(Math.max(minQuantity, writer.maxQuantityOf(addon) ?? 1), maxQuantity),
    default: unless(minQuantity, defaultQuantity),
    price: priceCents === null ? null : writer.money(priceCents),
    durationMin,
  });
  return Object.keys(terms).length === 0 ? addon : { addon, ...terms };
}

export const writeResource = (_writer: Writer, doc: ResourceDoc): AuthoredResource =>
  said(writeCommon(doc, { capacity: unless(1, doc.capacity) }));

export const writeStaff = (writer: Writer, doc: StaffDoc): AuthoredStaff => ({
  ...said(
    writeCommon(doc, {
      title: doc.title,
      bio: doc.bio,
      languages: doc.languages,
      public: unless(true, doc.public),
      bookable: unless(true, doc.bookable),
      breaks: doc.breaks.map(writeWindow),
      timeOff: doc.timeOff.map((span) => writeTimeOff(writer, span)),
      exceptions: doc.exceptions.map(writeException),
      serviceOverrides: doc.serviceOverrides.map(({ service, durationMin, priceCents }) =>
        said({
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
function writeTimeOff({ timezone, instant }: Writer, { from, to }: StaffDoc["timeOff"][number]) {
  const first = localDateOf(from, timezone);
  const last = addDays(localDateOf(to, timezone), -1);
  return {
    from: startOfDay(first, timezone) === from ? first : instant(from),
    to: startOfDay(addDays(last, 1), timezone) === to ? last : instant(to),
  };
}

export const writeTable = (_writer: Writer, doc: TableDoc): AuthoredTable => {
  const { name, ...common } = writeCommon(doc, {
    area: doc.area,
    minSeats: unless(1, doc.minSeats),
    maxSeats: doc.maxSeats,
  });
  return said({ ...common, name: unless(doc.key, name) });
};
