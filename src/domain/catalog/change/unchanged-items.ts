import { ALL_KINDS, type Catalog, type DocOf, type Kind } from "../catalog.ts";
import { listIn, sectionOf } from "../file/sections.ts";
import { createWriteContext } from "../file/writer.ts";
import { ADDON_DEFAULTS } from "../file/services.ts";
import { isoCurrency } from "../../money.ts";
import { deepEqual } from "../../equality.ts";

/**
 * The items of catalog files that equal what an export would write, each with its stored document.
 */
export type Unchanged = ReadonlyMap<unknown, DocOf[Kind]>;

/**
 * Returns the file items that equal their stored objects, and therefore need neither validation nor
 * conversion. Most items of a file are usually unchanged.
 * @param contents parsed files that are not validated yet
 */
export function findUnchanged(contents: readonly unknown[], current: Catalog | null): Unchanged {
  const unchanged = new Map<unknown, DocOf[Kind]>();
  const files = contents.filter(isRecord);
  if (current === null || !files.some((file) => isSameBusiness(current, file.business)))
    return unchanged;
  const context = createWriteContext(current);
  for (const kind of ALL_KINDS) {
    if (
      kind === "service" &&
      itemsIn(files, "addon").some((addon) => maxQuantityDiffers(addon, current))
    )
      continue;
    const docs = new Map(current.objects[kind].map((doc) => [doc.key, doc as DocOf[Kind]]));
    const { write } = sectionOf(kind);
    for (const item of itemsIn(files, kind)) {
      const doc = isRecord(item) ? docs.get(item.key as string) : undefined;
      if (doc !== undefined && deepEqual(write(context, doc), item)) unchanged.set(item, doc);
    }
  }
  return unchanged;
}

/**
 * Returns whether a file may change the maximum quantity of an add-on. This quantity is the default
 * in the services that link to the add-on.
 */
function maxQuantityDiffers(item: unknown, { objects }: Catalog): boolean {
  if (!isRecord(item)) return true;
  const before = objects.addon.find(({ key }) => key === item.key);
  return (
    before !== undefined && before.maxQuantity !== (item.maxQuantity ?? ADDON_DEFAULTS.maxQuantity)
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Returns whether a file keeps the business's fields on which prices, times and IDs depend. */
const isSameBusiness = ({ business }: Catalog, described: unknown): boolean =>
  isRecord(described) &&
  described.slug === business.slug &&
  described.currency === business.currency &&
  isoCurrency(business.currency).currencyDigits === business.currencyDigits &&
  described.timezone === business.timezone;

const itemsIn = (files: readonly unknown[], kind: Kind): unknown[] =>
  files.flatMap((file) => {
    const items = listIn(file, kind);
    return Array.isArray(items) ? items : [];
  });
