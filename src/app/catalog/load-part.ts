import {
  ALL_KINDS,
  type Catalog,
  type CatalogObjects,
  type DocOf,
  emptyObjects,
  type Kind,
} from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { referredKeys } from "../../domain/catalog/references.ts";
import { affectsOthers, nextTransition } from "../../domain/public/public-catalog.ts";
import type { StoredCatalog, Stock } from "../../domain/public/public-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { loadCatalog, toStoredCatalog } from "./load-catalog.ts";

/** The stored document of an object, and the document that replaces it. */
export type ObjectEdit = { kind: Kind; doc: DocOf[Kind]; edited: DocOf[Kind] };

/**
 * Returns the objects to edit and the objects that these refer to. Returns the whole catalog if an
 * edit affects other objects or the time of the next transition. Returns the whole catalog, too, if
 * an object refers to an object that does not exist, because the error suggests other objects.
 */
export function loadForEdits(
  rt: Runtime,
  business: BusinessRow,
  edits: readonly ObjectEdit[],
): StoredCatalog {
  const isWhole = edits.some(({ kind, doc, edited }) => affectsOthers(kind, doc, edited));
  const objects = isWhole ? null : loadReferred(rt, business, edits);
  if (objects === null) return loadCatalog(rt, business);
  const stored = toStoredCatalog(rt, business, objects, loadStock(rt, business, edits));
  const { nextTransitionAt } = business;
  // If the next transition is that of a loaded object, the edit can move it. The transition of an
  // object that is not loaded may then come first, so the whole catalog is needed.
  const hasNext =
    nextTransitionAt !== null && nextTransition(stored, rt.now()) === nextTransitionAt;
  // `others` stands for the objects that are not loaded, and has the time of their next transition.
  return hasNext ? loadCatalog(rt, business) : { ...stored, others: { nextTransitionAt } };
}

/**
 * Returns the objects to edit and the objects that these refer to; null if any of them does not
 * exist.
 */
export function loadReferred(
  rt: Runtime,
  business: BusinessRow,
  edits: readonly ObjectEdit[],
): CatalogObjects | null {
  const wanted = new Map<Kind, Set<string>>();
  const want = (kind: Kind, keys: Iterable<string>) =>
    wanted.set(kind, (wanted.get(kind) ?? new Set()).union(new Set(keys)));
  for (const { kind, doc, edited } of edits) {
    want(kind, [doc.key]);
    for (const state of [doc, edited])
      for (const [target, keys] of referredKeys(kind, state)) want(target, keys);
  }
  const objects = emptyObjects();
  function load<K extends Kind>(kind: K): boolean {
    const keys = [...(wanted.get(kind) ?? [])];
    if (keys.length === 0) return true;
    const found = rt.store.catalog.listByKeys(business.id, kind, keys);
    objects[kind] = found as CatalogObjects[K];
    return found.length === keys.length;
  }
  return ALL_KINDS.every(load) ? objects : null;
}

/**
 * Returns the sold-out marks of the edited dishes and, if a public event is edited, the taken tickets
 * of the business.
 */
function loadStock(rt: Runtime, business: BusinessRow, edits: readonly ObjectEdit[]): Stock {
  const kinds = new Set(edits.map(({ kind }) => kind));
  const dishes = new Set(
    edits.flatMap(({ kind, doc }) =>
      kind === "menu_item" ? [objectId(kind, business.slug, doc)] : [],
    ),
  );
  const soldOut = dishes.size > 0 ? rt.store.soldOut.list(business.id) : new Map();
  return {
    soldOut: new Map([...soldOut].filter(([id]) => dishes.has(id))),
    taken: kinds.has("public_event") ? rt.store.takenTickets.count(business.id) : new Map(),
  };
}

/** Returns the catalog with the edited documents in the places of the stored ones. */
export function applyEdits(catalog: Catalog, edits: readonly ObjectEdit[]): Catalog {
  const objects = { ...catalog.objects };
  for (const [kind, editsOfKind] of Map.groupBy(edits, ({ kind }) => kind)) {
    const edited = new Map(editsOfKind.map((edit) => [edit.doc.key, edit.edited]));
    const docs = objects[kind].map((doc) => edited.get(doc.key) ?? doc);
    Object.assign(objects, { [kind]: docs });
  }
  return { ...catalog, objects };
}
