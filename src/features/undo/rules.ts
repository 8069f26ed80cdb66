import { ALL_KINDS, type Catalog, type Kind } from "../../domain/catalog/catalog.ts";
import {
  writeBusinessFields,
  SECTION_KINDS,
  sectionOf,
  setAt,
} from "../../domain/catalog/file/sections.ts";
import type { AuthoredFile } from "../../domain/catalog/file/schema.ts";
import { createWriteContext } from "../../domain/catalog/file/writer.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import type { CatalogDiff, SortOrderOf } from "../../domain/catalog/change/diff.ts";

/**
 * What a catalog change replaced, in the form of a catalog file. Later versions of deskbell can
 * read this form, whereas migrations change the form of stored documents.
 */
export type Replaced = {
  /** Whether the change created the business and therefore replaced nothing. */
  isNew: boolean;
  /** The replaced business and schedule; null if they did not change. */
  fields: AuthoredFile | null;
  /** Maps each changed field to whether it had local edits. */
  changedFields: Record<string, boolean>;
  objects: ReplacedObject[];
};

export type ReplacedObject = {
  id: string;
  kind: Kind;
  sortOrder: number;
  /** The replaced object; null if the change created it. */
  item: object | null;
  /** Whether the object had local edits before the change. */
  isEdited: boolean;
};

/**
 * Returns what a change from `before` to `after` replaced.
 * @param isEdited whether an object (by ID) or a field has local edits before the change
 */
export function findReplaced(
  before: Catalog | null,
  after: Catalog,
  { rows, businessFields }: CatalogDiff,
  sortOrderOf: SortOrderOf,
  isEdited: (idOrField: string) => boolean,
): Replaced {
  if (before === null) return { isNew: true, fields: null, changedFields: {}, objects: [] };
  const replacesAll = isWrittenOtherwise(before, after);
  const changed = new Set([...rows.written, ...rows.renumbered].map(({ id }) => id));
  for (const id of rows.removed) changed.add(id);
  const context = createWriteContext(before);
  const objects: ReplacedObject[] = [];
  for (const kind of ALL_KINDS) {
    const { write } = sectionOf(kind);
    for (const doc of before.objects[kind]) {
      const id = objectId(kind, before.business.slug, doc);
      const hasChanged = changed.delete(id);
      if (!hasChanged && !replacesAll) continue;
      const item = write(context, doc);
      objects.push({ id, kind, sortOrder: sortOrderOf(id), item, isEdited: isEdited(id) });
    }
  }
  // The loop above has removed the objects of `before` from `changed`, so the change created the
  // objects that remain.
  for (const { id, kind, sortOrder } of rows.written)
    if (changed.has(id)) objects.push({ id, kind, sortOrder, item: null, isEdited: false });
  const fields = businessFields.length === 0 ? null : writeBusinessFields(before);
  const changedFields = Object.fromEntries(businessFields.map((name) => [name, isEdited(name)]));
  return { isNew: false, fields, changedFields, objects };
}

/**
 * Returns whether a change alters how a catalog file writes objects that did not change themselves.
 */
function isWrittenOtherwise(before: Catalog, after: Catalog): boolean {
  const [old, next] = [before.business, after.business];
  if (old.timezone !== next.timezone || old.currency !== next.currency) return true;
  if (old.currencyDigits !== next.currencyDigits) return true;
  // A catalog file states the maximum quantity of an add-on at a service only if it differs from
  // the maximum of the add-on itself. A new maximum of an add-on thus alters the text of services.
  const { maxQuantities } = createWriteContext(before);
  return after.objects.addon.some(
    ({ key, maxQuantity }) => (maxQuantities.get(key) ?? maxQuantity) !== maxQuantity,
  );
}

/** A catalog as it was before some changes, in the form of a catalog file. */
export type Reverted = {
  file: AuthoredFile;
  /** Whether each replaced object and field had local edits. */
  edited: { objects: Map<string, boolean>; fields: Map<string, boolean> };
};

/**
 * Returns the catalog as it was before some changes; null if the business did not exist.
 * @param changes what each change replaced, newest first
 */
export function revertChanges(
  current: Catalog,
  sortOrderOf: SortOrderOf,
  changes: Iterable<Replaced>,
): Reverted | null {
  const edited: Reverted["edited"] = { objects: new Map(), fields: new Map() };
  const objects = new Map<string, ReplacedObject>();
  let fields = writeBusinessFields(current);
  const context = createWriteContext(current);
  for (const kind of ALL_KINDS) {
    const { write } = sectionOf(kind);
    for (const doc of current.objects[kind]) {
      const id = objectId(kind, current.business.slug, doc);
      const item = write(context, doc);
      objects.set(id, { id, kind, sortOrder: sortOrderOf(id), item, isEdited: false });
    }
  }
  for (const replaced of changes) {
    if (replaced.isNew) return null;
    fields = replaced.fields ?? fields;
    for (const [name, isEdited] of Object.entries(replaced.changedFields))
      edited.fields.set(name, isEdited);
    for (const object of replaced.objects) {
      objects.set(object.id, object);
      edited.objects.set(object.id, object.isEdited);
    }
  }
  return { file: toFile(fields, [...objects.values()]), edited };
}

function toFile(fields: AuthoredFile, objects: readonly ReplacedObject[]): AuthoredFile {
  const file = { ...fields };
  const byKind = Map.groupBy(objects, ({ kind }) => kind);
  for (const kind of SECTION_KINDS) {
    const inOrder = (byKind.get(kind) ?? []).sort((a, b) => a.sortOrder - b.sortOrder);
    setAt(
      file,
      sectionOf(kind).path,
      inOrder.flatMap(({ item }) => item ?? []),
    );
  }
  return file;
}
