import { writeMenuCategory, writeMenuItem, writeModifierGroup } from "./menu.ts";
import { writePromotion, writePublicEvent } from "./offers.ts";
import {
  writeAddon,
  writeResource,
  writeService,
  writeServiceCategory,
  writeStaff,
  writeTable,
} from "./services.ts";
import {
  createWriteContext,
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeCommon,
  writeException,
  writeFields,
  writeHoursRule,
} from "./values.ts";
import type { AreaDoc, BusinessDoc, Catalog, Closure, DocOf, Kind } from "../catalog.ts";
import {
  type AuthoredArea,
  type AuthoredBusiness,
  type AuthoredClosure,
  type AuthoredFile,
  BOOKING_POLICY_DEFAULTS,
  BUSINESS_DEFAULTS,
  DEFAULT_LOCALE,
} from "../file/schema.ts";

/**
 * The catalog as a file that reads back as the same catalog. It has all sections, including empty
 * ones, so that applying it with `--prune` always results in exactly this catalog.
 */
export function exportCatalog(catalog: Catalog): AuthoredFile {
  const { business, schedule, objects } = catalog;
  const context = createWriteContext(catalog);
  return {
    catalog: 1,
    business: writeBusiness(business),
    hours: schedule.hours.map(writeHoursRule),
    closures: schedule.closures.map(writeClosure),
    exceptions: schedule.exceptions.map(writeException),
    turnTimes: schedule.turnTimes,
    serviceCategories: objects.service_category.map((doc) => WRITE.service_category(context, doc)),
    addons: objects.addon.map((doc) => WRITE.addon(context, doc)),
    resources: objects.resource.map((doc) => WRITE.resource(context, doc)),
    staff: objects.staff.map((doc) => WRITE.staff(context, doc)),
    services: objects.service.map((doc) => WRITE.service(context, doc)),
    menu: {
      categories: objects.menu_category.map((doc) => WRITE.menu_category(context, doc)),
      modifierGroups: objects.modifier_group.map((doc) => WRITE.modifier_group(context, doc)),
      items: objects.menu_item.map((doc) => WRITE.menu_item(context, doc)),
    },
    areas: objects.area.map((doc) => WRITE.area(context, doc)),
    tables: objects.table.map((doc) => WRITE.table(context, doc)),
    promotions: objects.promotion.map((doc) => WRITE.promotion(context, doc)),
    events: objects.public_event.map((doc) => WRITE.public_event(context, doc)),
  };
}

export const WRITE = {
  service_category: writeServiceCategory,
  addon: writeAddon,
  service: writeService,
  resource: writeResource,
  staff: writeStaff,
  menu_category: writeMenuCategory,
  modifier_group: writeModifierGroup,
  menu_item: writeMenuItem,
  area: (_context: WriteContext, doc: AreaDoc): AuthoredArea => omitEmpty(writeCommon(doc, {})),
  table: writeTable,
  promotion: writePromotion,
  public_event: writePublicEvent,
} as const satisfies { [K in Kind]: (context: WriteContext, doc: DocOf[K]) => unknown };

const writeBusiness = (doc: BusinessDoc): AuthoredBusiness =>
  omitEmpty({
    slug: doc.slug,
    name: doc.name,
    timezone: doc.timezone,
    currency: doc.currency,
    locale: omitDefault(doc.locale, DEFAULT_LOCALE),
    locales: doc.locales.length === 1 ? undefined : doc.locales,
    description: doc.description,
    ...writeFields(doc, BUSINESS_DEFAULTS),
    address: doc.address,
    bookingPolicy: writeFields(doc.bookingPolicy, BOOKING_POLICY_DEFAULTS),
  });

function writeClosure({ name, ...days }: Closure): AuthoredClosure {
  if ("yearly" in days) return omitEmpty({ name, ...days });
  return omitEmpty({ name, ...(days.from === days.to ? { date: days.from } : days) });
}
