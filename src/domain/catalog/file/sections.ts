import type { DocOf, Kind, Catalog } from "../catalog.ts";
import {
  readMenuCategory,
  readMenuItem,
  readModifierGroup,
  writeMenuCategory,
  writeMenuItem,
  writeModifierGroup,
} from "./menu.ts";
import { readPromotion, writePromotion } from "./promotions.ts";
import { readPublicEvent, writePublicEvent } from "./public-events.ts";
import type { Reader } from "./reader.ts";
import {
  readAddon,
  readService,
  readServiceCategory,
  writeAddon,
  writeService,
  writeServiceCategory,
} from "./services.ts";
import {
  readArea,
  readResource,
  readStaff,
  readTable,
  writeArea,
  writeResource,
  writeStaff,
  writeTable,
} from "./staff.ts";
import {
  type WriteContext,
  createWriteContext,
  writeOpeningException,
  writeHoursRule,
} from "./writer.ts";
import { writeBusiness, writeClosure } from "./business.ts";
import type { AuthoredFile } from "./schema.ts";

type Section<Doc> = {
  /** The field names that lead to the list in a file. */
  path: readonly string[];
  /** Converts an item, which must fit the schema of the section, to a document. */
  read: (reader: Reader, item: never) => Doc;
  write: (context: WriteContext, doc: Doc) => object;
};

/** The section of each kind, in the order of an exported file: add-ons before services. */
export const SECTIONS: { [K in Kind]: Section<DocOf[K]> } = {
  service_category: {
    path: ["serviceCategories"],
    read: readServiceCategory,
    write: writeServiceCategory,
  },
  addon: { path: ["addons"], read: readAddon, write: writeAddon },
  resource: { path: ["resources"], read: readResource, write: writeResource },
  staff: { path: ["staff"], read: readStaff, write: writeStaff },
  service: { path: ["services"], read: readService, write: writeService },
  menu_category: {
    path: ["menu", "categories"],
    read: readMenuCategory,
    write: writeMenuCategory,
  },
  modifier_group: {
    path: ["menu", "modifierGroups"],
    read: readModifierGroup,
    write: writeModifierGroup,
  },
  menu_item: { path: ["menu", "items"], read: readMenuItem, write: writeMenuItem },
  area: { path: ["areas"], read: readArea, write: writeArea },
  table: { path: ["tables"], read: readTable, write: writeTable },
  promotion: { path: ["promotions"], read: readPromotion, write: writePromotion },
  public_event: { path: ["events"], read: readPublicEvent, write: writePublicEvent },
};

export const SECTION_KINDS = Object.keys(SECTIONS) as Kind[];

/**
 * Returns the section of a kind, with a type that is the same for all kinds, as generic code needs.
 */
export const sectionOf = (kind: Kind) => SECTIONS[kind] as unknown as Section<DocOf[Kind]>;

/** Returns the list of a kind, which may be invalid; undefined if the file lacks it. */
export const listIn = (file: unknown, kind: Kind): unknown =>
  SECTIONS[kind].path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
    file,
  );

/** Sets the value at a path, and adds missing objects on the way. */
export function setAt(file: object, path: readonly string[], value: unknown): void {
  const holder = path
    .slice(0, -1)
    .reduce(
      (inner, name) => (inner[name] ??= {}) as Record<string, unknown>,
      file as Record<string, unknown>,
    );
  holder[path.at(-1) ?? ""] = value;
}

/**
 * Returns the catalog as a file that reads back as the same catalog. The file has all sections,
 * including empty ones, so that applying it with `--prune` always results in exactly this catalog.
 */
export function exportCatalog(catalog: Catalog): AuthoredFile {
  const context = createWriteContext(catalog);
  const file = writeBusinessFields(catalog);
  for (const kind of SECTION_KINDS) {
    const { path, write } = sectionOf(kind);
    setAt(
      file,
      path,
      catalog.objects[kind].map((doc) => write(context, doc)),
    );
  }
  return file;
}

/** Returns a catalog file without the objects of the catalog. */
export const writeBusinessFields = ({ business, schedule }: Catalog): AuthoredFile => ({
  catalog: 1,
  business: writeBusiness(business),
  hours: schedule.hours.map(writeHoursRule),
  closures: schedule.closures.map(writeClosure),
  exceptions: schedule.exceptions.map(writeOpeningException),
  turnTimes: schedule.turnTimes,
});
