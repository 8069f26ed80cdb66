import { catalogId, type CatalogIdPrefix } from "../ids.ts";
import type { Kind } from "./catalog.ts";
import type { Keyed } from "./common.ts";

export const ID_PREFIXES = {
  service_category: "sct",
  addon: "adn",
  service: "svc",
  resource: "res",
  staff: "stf",
  menu_category: "mct",
  modifier_group: "mgr",
  menu_item: "mit",
  area: "are",
  table: "tbl",
  promotion: "prm",
  public_event: "pev",
} as const satisfies Record<Kind, CatalogIdPrefix>;

/** Returns the first key of an object. IDs are derived from it, so that a rename keeps the ID. */
export const originalKey = (doc: Keyed): string => doc.previousKeys[0] ?? doc.key;

export const businessId = (slug: string): string => catalogId("biz", slug);

// The IDs of documents are cached, because planning a change needs them several times. Documents
// are immutable, so a cached ID stays right.
const idsOf = new WeakMap<object, { businessSlug: string; id: string }>();

export function objectId(kind: Kind, businessSlug: string, doc: Keyed): string {
  const known = idsOf.get(doc);
  if (known?.businessSlug === businessSlug) return known.id;
  const id = catalogId(ID_PREFIXES[kind], businessSlug, originalKey(doc));
  rememberId(doc, businessSlug, id);
  return id;
}

/**
 * Stores the ID of a document, which saves `objectId` a hash. The store does so for each document
 * that it loads.
 */
export const rememberId = (doc: object, businessSlug: string, id: string): void =>
  void idsOf.set(doc, { businessSlug, id });
