import { type Catalog, type DocOf, type Kind, KIND_NAMES } from "../../domain/catalog/catalog.ts";
import { findById, findByKey } from "../../domain/catalog/doc-index.ts";
import type { MenuItemDoc, ModifierGroupDoc } from "../../domain/catalog/menu.ts";
import { ID_PREFIXES, objectId } from "../../domain/catalog/object-id.ts";
import { quote } from "../../domain/text.ts";
import { modifierOptionId } from "../../domain/public/menu.ts";
import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";

export function getObject<K extends Kind>(
  { business, objects }: Catalog,
  kind: K,
  keyOrId: string,
): DocOf[K] {
  const { slug } = business;
  const docs: DocOf[K][] = objects[kind];
  const found = findByKey<K>(docs, keyOrId) ?? findById<K>(kind, slug, docs, keyOrId);
  if (found !== undefined) return found;
  const keys = docs.map(({ key }) => key);
  throw notFound(notFoundMessage(kind), keyOrId, keys, listCommandFor(kind));
}

const notFoundMessage = (kind: Kind): string => `There is no ${KIND_NAMES[kind]}`;

const NOUNS: Partial<Record<Kind, string>> = {
  service: "services",
  menu_item: "menu",
  staff: "staff",
  promotion: "promotions",
  public_event: "public-events",
};

export const listCommandFor = (kind: Kind): string =>
  NOUNS[kind] === undefined ? "deskbell catalog export" : `deskbell ${NOUNS[kind]} list`;

/**
 * Returns the object with a key or ID.
 * @param message the start of the error message, such as "There is no service"
 * @throws AppError resource_not_found
 */
export function getByKeyOrId<Doc extends { key: string }>(
  docs: readonly Doc[],
  message: string,
  keyOrId: string,
  idOf: (doc: Doc) => string,
  fix: string,
): Doc {
  const found = docs.find((doc) => doc.key === keyOrId || idOf(doc) === keyOrId);
  if (found) return found;
  throw notFound(
    message,
    keyOrId,
    docs.map(({ key }) => key),
    fix,
  );
}

export const notFound = (message: string, keyOrId: string, keys: string[], fix: string): AppError =>
  new AppError("resource_not_found", `${message} ${quote(keyOrId)}.${didYouMean(keyOrId, keys)}`, {
    fix,
  });

/**
 * Returns one object without loading the rest of the catalog, which may be large.
 * @throws AppError resource_not_found
 */
export function getStoredObject<K extends Kind>(
  rt: Runtime,
  { id }: BusinessRow,
  kind: K,
  keyOrId: string,
): DocOf[K] {
  const found = rt.store.catalog.findByKeyOrId(id, kind, keyOrId);
  if (found !== undefined) return found;
  throw notFound(
    notFoundMessage(kind),
    keyOrId,
    rt.store.catalog.listKeys(id, kind),
    listCommandFor(kind),
  );
}

/** A dish or modifier option, with the document of the dish or of the option's group. */
export type Dish = { id: string; key: string; name: string } & (
  | { kind: "menu_item"; doc: MenuItemDoc }
  | { kind: "modifier_group"; doc: ModifierGroupDoc }
);

/** Returns the dish or modifier option (`group/option`) with a key or ID. */
export function findDish(rt: Runtime, business: BusinessRow, keyOrId: string): Dish | undefined {
  const doc = rt.store.catalog.findByKeyOrId(business.id, "menu_item", keyOrId);
  if (doc !== undefined) {
    const id = objectId("menu_item", business.slug, doc);
    return { id, key: doc.key, name: doc.name, kind: "menu_item", doc };
  }
  // A group's key may contain slashes, so the group can be any part before a slash.
  const groupKeys = [...keyOrId.matchAll(/\//g)].map(({ index }) => keyOrId.slice(0, index));
  return listOptions(rt, business, groupKeys.length > 0 ? groupKeys : undefined).find(
    ({ id, key }) => id === keyOrId || key === keyOrId,
  );
}

/** @param groupKeys the keys of the modifier groups whose options are listed; absent for all */
export function listOptions(
  rt: Runtime,
  { id: businessId, slug }: BusinessRow,
  groupKeys?: readonly string[],
): Dish[] {
  const { listByKeys, listByKind } = rt.store.catalog;
  const groups = groupKeys
    ? listByKeys(businessId, "modifier_group", groupKeys)
    : listByKind(businessId, "modifier_group");
  return groups.flatMap((group) =>
    group.options.map((option) => ({
      id: modifierOptionId(slug, group, option),
      key: `${group.key}/${option.key}`,
      name: option.name,
      kind: "modifier_group" as const,
      doc: group,
    })),
  );
}

/**
 * Returns the ID of a public event. If an ID is given, it is returned without a check, because the
 * event may have been deleted.
 */
export const getPublicEventId = (rt: Runtime, business: BusinessRow, keyOrId: string): string =>
  keyOrId.startsWith(`${ID_PREFIXES.public_event}_`)
    ? keyOrId
    : objectId(
        "public_event",
        business.slug,
        getStoredObject(rt, business, "public_event", keyOrId),
      );
