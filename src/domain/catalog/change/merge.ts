import {
  ALL_KINDS,
  type Catalog,
  type CatalogObjects,
  type DocOf,
  emptyObjects,
  emptySchedule,
  type Kind,
} from "../catalog.ts";
import type { Keyed } from "../common.ts";
import { originalKey } from "../object-id.ts";
import type { CatalogPatch } from "../file/normalise.ts";
import { hasParts, PARTS, partsOf } from "../parts.ts";
import { shallowEqual } from "../../equality.ts";
import { followRenames, objectRef, ticketTypeKeys } from "../references.ts";

export type MergedCatalog = {
  catalog: Catalog;
  /** The objects and sections that come from the files. */
  listed: ReadonlySet<object>;
};

/**
 * Returns the catalog after files are applied. The objects of the files come first in their
 * sections, in the order of the files; the other stored objects of these sections follow, or are
 * deleted if `prune` is set. Sections that the files lack stay unchanged.
 */
export function mergeCatalog(
  current: Catalog | null,
  patch: CatalogPatch,
  prune: boolean,
): MergedCatalog {
  const before = current?.objects ?? emptyObjects();
  const renamed = new Map<string, string>();
  const listed: Partial<CatalogObjects> = {};
  const unlisted = emptyObjects();

  function mergeKind<K extends Kind>(kind: K): void {
    const docs: DocOf[K][] | undefined = patch.objects[kind];
    if (docs === undefined) {
      unlisted[kind] = before[kind];
      return;
    }
    if (shallowEqual(docs, before[kind])) {
      listed[kind] = before[kind];
      return;
    }
    const find = createFinder<DocOf[K]>(before[kind]);
    const matched = new Set<DocOf[K]>();
    listed[kind] = docs.map((doc) => {
      const old = find(doc);
      if (old === undefined) return doc;
      matched.add(old);
      const identified = keepIdentity(kind, old, doc);
      addRenames(renamed, kind, old, identified);
      return identified;
    }) as CatalogObjects[K];
    if (!prune)
      unlisted[kind] = before[kind].filter((doc) => !matched.has(doc)) as CatalogObjects[K];
  }
  // The renames of all kinds must be known before the references of unlisted objects are renamed.
  ALL_KINDS.forEach(mergeKind);

  const objects = emptyObjects();
  function joinKind<K extends Kind>(kind: K): void {
    const unlistedDocs = unlisted[kind].map((doc) => followRenames(kind, doc, renamed));
    objects[kind] = [...(listed[kind] ?? []), ...unlistedDocs] as CatalogObjects[K];
  }
  ALL_KINDS.forEach(joinKind);
  return {
    catalog: {
      business: patch.business,
      schedule: { ...(current?.schedule ?? emptySchedule()), ...patch.schedule },
      objects,
    },
    listed: new Set([
      ...Object.values(listed).flat(),
      ...Object.values(patch.schedule),
      patch.business.legal,
      patch.business.publicPage,
    ]),
  };
}

/**
 * Returns a function that finds the stored object that a document describes: by the document's key,
 * which in an older file may be the object's original key, or else by a previous key.
 */
function createFinder<D extends Keyed>(before: readonly D[]): (doc: Keyed) => D | undefined {
  const byKey = new Map(before.map((doc) => [doc.key, doc]));
  const byOriginalKey = new Map(before.map((doc) => [originalKey(doc), doc]));
  const byFormerKey = new Map(before.flatMap((doc) => doc.previousKeys.map((key) => [key, doc])));
  return ({ key, previousKeys }) =>
    byKey.get(key) ??
    byOriginalKey.get(key) ??
    previousKeys
      .map((former) => byKey.get(former) ?? byFormerKey.get(former))
      .find((doc) => doc !== undefined);
}

/**
 * Returns the document with the previous keys that a file omits. The ID of the object is derived
 * from the first of its keys, and so stays the same.
 */
function keepIdentity<K extends Kind>(kind: K, old: DocOf[K], doc: DocOf[K]): DocOf[K] {
  const identified = withPreviousKeysOf(old, doc);
  if (!hasParts(kind)) return identified;
  const find = createFinder(partsOf(kind, old));
  return {
    ...identified,
    [PARTS[kind]]: partsOf(kind, doc).map((part) => withPreviousKeysOf(find(part), part)),
  };
}

const withPreviousKeysOf = <D extends Keyed>(old: Keyed | undefined, doc: D): D =>
  old === undefined || old.previousKeys.length === 0
    ? doc
    : { ...doc, previousKeys: [...new Set([...old.previousKeys, ...doc.previousKeys])] };

/**
 * Adds the new key of a renamed object to `renamed`, under the reference to its old key. The ticket
 * types of a public event are added in the same way.
 */
function addRenames<K extends Kind>(
  renamed: Map<string, string>,
  kind: K,
  old: DocOf[K],
  doc: DocOf[K],
): void {
  if (old.key !== doc.key) renamed.set(objectRef(kind, old.key), doc.key);
  if (kind !== "public_event") return;
  const [before, after] = [old, doc] as unknown as [DocOf["public_event"], DocOf["public_event"]];
  const find = createFinder(before.ticketTypes);
  const keys = ticketTypeKeys(after);
  for (const [index, type] of after.ticketTypes.entries()) {
    const oldType = find(type);
    const key = keys[index];
    if (oldType && key && `${before.key}/${oldType.key}` !== key)
      renamed.set(objectRef("ticket_type", `${before.key}/${oldType.key}`), key);
  }
}
