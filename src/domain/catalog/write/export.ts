import type { AreaDoc, BusinessDoc, Catalog, Closure, DocOf, Kind } from "../catalog.ts";
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
  omitEmpty,
  omitDefault,
  writeCommon,
  writeException,
  writeHoursRule,
  type WriteContext,
} from "./values.ts";
import type {
  AuthoredArea,
  AuthoredBusiness,
  AuthoredClosure,
  AuthoredFile,
} from "../file/schema.ts";

/**
 * The catalog as its author would write it, so that reading it again gives the same catalog. Every section is named, an empty
 * one too: with `--prune` the file then brings any box to exactly this state.
 */
export function exportCatalog(catalog: Catalog): AuthoredFile {
  const { business, schedule, objects } = catalog;
  const writer = createWriteContext(catalog);
  return {
    catalog: 1,
    business: writeBusiness(business),
    hours: schedule.hours.map(writeHoursRule),
    closures: schedule.closures.map(writeClosure),
    exceptions: schedule.exceptions.map(writeException),
    turnTimes: schedule.turnTimes,
    serviceCategories: objects.service_category.map((doc) => WRITE.service_category(writer, doc)),
    addons: objects.addon.map((doc) => WRITE.addon(writer, doc)),
    resources: objects.resource.map((doc) => WRITE.resource(writer, doc)),
    staff: objects.staff.map((doc) => WRITE.staff(writer, doc)),
    services: objects.service.map((doc) => WRITE.service(writer, doc)),
    menu: {
      categories: objects.menu_category.map((doc) => WRITE.menu_category(writer, doc)),
      modifierGroups: objects.modifier_group.map((doc) => WRITE.modifier_group(writer, doc)),
      items: objects.menu_item.map((doc) => WRITE.menu_item(writer, doc)),
    },
    areas: objects.area.map((doc) => WRITE.area(writer, doc)),
    tables: objects.table.map((doc) => WRITE.table(writer, doc)),
    promotions: objects.promotion.map((doc) => WRITE.promotion(writer, doc)),
    events: objects.public_event.map((doc) => WRITE.public_event(writer, doc)),
  };
}

/** How an object of each kind is written. */
export const WRITE = {
  service_category: writeServiceCategory,
  addon: writeAddon,
  service: writeService,
  resource: writeResource,
  staff: writeStaff,
  menu_category: writeMenuCategory,
  modifier_group: writeModifierGroup,
  menu_item: writeMenuItem,
  area: (_writer: WriteContext, doc: AreaDoc): AuthoredArea => omitEmpty(writeCommon(doc, {})),
  table: writeTable,
  promotion: writePromotion,
  public_event: writePublicEvent,
} as const satisfies { [K in Kind]: (writer: WriteContext, doc: DocOf[K]) => unknown };

function writeBusiness({
  locale,
  locales,
  bookingPolicy,
  ...business
}: BusinessDoc): AuthoredBusiness {
  const { slotIntervalMin, minNoticeMin, maxAdvanceDays, bufferPolicy, grid, maxGapMin } =
    bookingPolicy;
  return omitEmpty({
    ...business,
    locale: omitDefault("en", locale),
    locales: locales.length === 1 ? undefined : locales,
    bookingPolicy: omitEmpty({
      slotIntervalMin: omitDefault(15, slotIntervalMin),
      minNoticeMin: omitDefault(60, minNoticeMin),
      maxAdvanceDays: omitDefault(90, maxAdvanceDays),
      bufferPolicy: omitDefault<typeof bufferPolicy>("MAX", bufferPolicy),
      grid: omitDefault<typeof grid>("CLOCK", grid),
      maxGapMin: omitDefault(0, maxGapMin),
    }),
  });
}

function writeClosure({ name, ...days }: Closure): AuthoredClosure {
  if ("yearly" in days) return omitEmpty({ name, ...days });
  return omitEmpty({ name, ...(days.from === days.to ? { date: days.from } : days) });
}
