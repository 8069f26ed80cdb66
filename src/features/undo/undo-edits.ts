import { applyEdits, loadForEdits, type ObjectEdit } from "../../app/catalog/load-part.ts";
import type { Replacement } from "../../app/catalog/changes/replace-catalog.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  ALL_KINDS,
  type CatalogObjects,
  type DocOf,
  emptyObjects,
  type Kind,
} from "../../domain/catalog/catalog.ts";
import { writeBusiness } from "../../domain/catalog/file/business.ts";
import { sectionOf, setAt } from "../../domain/catalog/file/sections.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { eventKeysIn } from "../../domain/catalog/references.ts";
import { validateCatalog } from "../../domain/catalog/validate.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { ReplacedObject } from "./rules.ts";
import { createCatalogChangeStore } from "./store.ts";

/** An undo that changes more objects than this replaces the whole catalog. */
const MAX_OBJECTS = 100;
/**
 * Maximum size of the compressed changes to read. MAX_OBJECTS objects usually take about a tenth of
 * it.
 */
const MAX_REPLACED_BYTES = 200_000;

/** A replaced object (`item`), and the object that is stored now (`doc`). */
type StoredObject = ReplacedObject & { item: object; doc: DocOf[Kind] };

/**
 * Plans to restore a version of a catalog by editing the objects that differ, without reading the
 * others. Returns null if edits are not enough: if objects were created, deleted or moved since, or
 * if the difference affects other objects or the business itself.
 */
export function planUndoByEdits(
  rt: Runtime,
  business: BusinessRow,
  version: number,
): Pick<Replacement, "catalog" | "origin" | "loaded"> | null {
  const replaced = readReplaced(rt, business.id, version);
  const objects = replaced && findStored(rt, business, replaced);
  const edits = objects && readEdits(rt, business, objects);
  if (edits === null) return null;
  const stored = loadForEdits(rt, business, edits);
  // `loadForEdits` loads the whole catalog, and leaves `others` undefined, if the edits affect
  // other objects.
  if (stored.others === undefined) return null;
  return {
    catalog: applyEdits(stored.catalog, edits),
    origin: {
      // A restored object is a local edit again if it was one before it was replaced.
      restored: new Map(replaced?.map(({ id, isEdited }) => [id, isEdited])),
      restoredFields: new Map(),
    },
    loaded: { business, stored },
  };
}

/**
 * Returns the objects that have changed since a version, as they were at that version. Returns null
 * if there are too many, or if a change also created the business or edited its fields.
 */
function readReplaced(rt: Runtime, businessId: string, version: number): ReplacedObject[] | null {
  const history = rt.openStore(createCatalogChangeStore);
  if (history.countReplacedBytes(businessId, version) > MAX_REPLACED_BYTES) return null;
  const objects = new Map<string, ReplacedObject>();
  for (const change of history.iterateReplacedAfter(businessId, version)) {
    if (change.isNew || change.fields !== null) return null;
    for (const object of change.objects) objects.set(object.id, object);
    if (objects.size > MAX_OBJECTS) return null;
  }
  return [...objects.values()];
}

/**
 * Returns each replaced object with the object that is stored now. Returns null if an object was
 * created, deleted or moved.
 */
function findStored(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  replaced: readonly ReplacedObject[],
): StoredObject[] | null {
  const { catalog } = rt.store;
  const objects: StoredObject[] = [];
  for (const object of replaced) {
    const { id, kind, item } = object;
    const doc = catalog.findByKeyOrId(businessId, kind, id);
    // An object that was created and deleted since needs no edit.
    if (doc === undefined && item === null) continue;
    if (doc === undefined || item === null) return null;
    if (catalog.findSortOrder(id) !== object.sortOrder) return null;
    objects.push({ ...object, item, doc });
  }
  return objects;
}

/**
 * Validates the objects as a small catalog file, and returns the edits that restore them. Returns
 * null if an object is not valid.
 */
function readEdits(
  rt: Runtime,
  business: BusinessRow,
  objects: readonly StoredObject[],
): ObjectEdit[] | null {
  const file = { catalog: 1, business: writeBusiness(business.doc) };
  for (const [kind, ofKind] of Map.groupBy(objects, ({ kind }) => kind))
    setAt(
      file,
      sectionOf(kind).path,
      ofKind.map(({ item }) => item),
    );
  const mentioned = loadMentioned(rt, business, objects);
  const { merged, issues } = validateCatalog([file], {
    current: () => ({ business: business.doc, schedule: business.schedule, objects: mentioned }),
    prune: false,
    seedingAt: null,
    isPartial: true,
    isRestored: true,
  });
  if (merged === null || issues.length > 0) return null;
  const restored = new Map(
    ALL_KINDS.flatMap((kind) =>
      merged.catalog.objects[kind].map((doc) => [objectId(kind, business.slug, doc), doc] as const),
    ),
  );
  const edits = objects.flatMap(({ id, kind, doc }) => {
    const edited = restored.get(id);
    return edited === undefined ? [] : [{ kind, doc, edited }];
  });
  return edits.length === objects.length ? edits : null;
}

/**
 * Returns the stored objects whose keys occur as texts in the edited items, except the edited
 * objects themselves. Every object to which an item refers is among them.
 */
function loadMentioned(
  rt: Runtime,
  business: BusinessRow,
  edited: readonly StoredObject[],
): CatalogObjects {
  const texts = new Set(edited.flatMap(({ item }) => textsIn(item)));
  const editedIds = new Set(edited.map(({ id }) => id));
  const objects = emptyObjects();
  function load<K extends Kind>(kind: K): void {
    const docs = rt.store.catalog.listByKeys(business.id, kind, [...texts]);
    objects[kind] = docs.filter(
      (doc) => !editedIds.has(objectId(kind, business.slug, doc)),
    ) as CatalogObjects[K];
  }
  ALL_KINDS.forEach(load);
  return objects;
}

/**
 * Returns all texts in a value at any depth. A text that is the key of a ticket type also yields
 * the key of its event.
 */
const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value, ...eventKeysIn(value)]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];
