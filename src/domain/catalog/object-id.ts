import { catalogId, type CatalogIdPrefix } from "../ids.ts";
import type { Kind } from "./catalog.ts";

/** What the ids of each kind begin with. */
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

type Named = { key: string; previousKeys: string[] };

/** The key that an object's id is made of: a rename keeps the first one. */
export const originalKey = (doc: Named): string => doc.previousKeys[0] ?? doc.key;

export const businessId = (slug: string): string => catalogId("biz", slug);

// A plan asks for the ids of the same ten thousand documents six times, and documents never change.
const idsOf = new WeakMap<object, { businessSlug: string; id: string }>();

export function objectId(kind: Kind, businessSlug: string, doc: Named): string {
  const known = idsOf.get(doc);
  if (known?.businessSlug === businessSlug) return known.id;
  const id = catalogId(ID_PREFIXES[kind], businessSlug, originalKey(doc));
  rememberId(doc, businessSlug, id);
  return id;
}

/** For whoever has the id at hand: the store. */
export const rememberId = (doc: object, businessSlug: string, id: string): void =>
  void idsOf.set(doc, { businessSlug, id });
