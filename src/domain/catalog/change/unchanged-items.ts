import { ALL_KINDS, type Catalog, type DocOf, type Kind } from "../catalog.ts";
import { WRITE } from "../write/export.ts";
import { createWriteContext, type WriteContext } from "../write/values.ts";
import type { AuthoredFile } from "../file/schema.ts";
import { deepEqual } from "../../equality.ts";

/** Items of files that say word for word what the box would write, with the documents that they are. */
export type Unchanged = ReadonlyMap<unknown, DocOf[Kind]>;

/** Where a kind stands in a file. */
const SECTION_OF: { [K in Kind]: (file: AuthoredFile) => readonly unknown[] | undefined } = {
  service_category: (file) => file.serviceCategories,
  addon: (file) => file.addons,
  service: (file) => file.services,
  resource: (file) => file.resources,
  staff: (file) => file.staff,
  menu_category: (file) => file.menu?.categories,
  modifier_group: (file) => file.menu?.modifierGroups,
  menu_item: (file) => file.menu?.items,
  area: (file) => file.areas,
  table: (file) => file.tables,
  promotion: (file) => file.promotions,
  public_event: (file) => file.events,
};

/**
 * Most of a file is what it was yesterday. What was written by an export, or as tersely, needs no check and no reading: that
 * an export reads as the catalog that it was made of is what exports are for.
 * @param contents of files, not yet checked in any way
 */
export function findUnchanged(contents: readonly unknown[], current: Catalog | null): Unchanged {
  const unchanged = new Map<unknown, DocOf[Kind]>();
  const files = contents.filter(isRecord);
  if (current === null || !files.some((file) => isOf(current, file.business))) return unchanged;
  const writer = createWriteContext(current);
  for (const kind of ALL_KINDS) {
    if (
      kind === "service" &&
      sectionsIn(files, "addon").some((addon) => limitDiffers(addon, current))
    )
      continue;
    const docs = new Map(current.objects[kind].map((doc) => [doc.key, doc as DocOf[Kind]]));
    const write = WRITE[kind] as (writer: WriteContext, doc: DocOf[Kind]) => unknown;
    for (const item of sectionsIn(files, kind)) {
      const doc = isRecord(item) ? docs.get(item.key as string) : undefined;
      if (doc !== undefined && deepEqual(write(writer, doc), item)) unchanged.set(item, doc);
    }
  }
  return unchanged;
}

/** A service's link that is silent on how often its add-on may be chosen means what the add-on says. */
function limitDiffers(item: unknown, { objects }: Catalog): boolean {
  if (!isRecord(item)) return true;
  const before = objects.addon.find(({ key }) => key === item.key);
  return before !== undefined && before.maxQuantity !== (item.maxQuantity ?? 1);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The business whose prices, times and ids the file's are. */
const isOf = ({ business }: Catalog, described: unknown): boolean =>
  isRecord(described) &&
  described.slug === business.slug &&
  described.currency === business.currency &&
  described.timezone === business.timezone;

const sectionsIn = (files: readonly unknown[], kind: Kind): unknown[] =>
  files.flatMap((file) => {
    const items: unknown = SECTION_OF[kind](file as AuthoredFile);
    return Array.isArray(items) ? items : [];
  });
