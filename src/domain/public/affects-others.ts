import type { DocOf, Kind } from "../catalog/catalog.ts";
import { deepEqual } from "../equality.ts";
import { isVisible } from "./public-context.ts";

/**
 * What other objects embed or list of an object besides its ID, and what must agree with other
 * objects in a valid catalog.
 */
const SHARED: { [K in Kind]?: (doc: DocOf[K]) => unknown } = {
  addon: (doc) => doc,
  modifier_group: (doc) => doc,
  // A public staff member lists services, which no field of the document names.
  staff: (doc) => doc,
  service: ({ staff }) => staff,
  service_category: ({ parent }) => parent,
  menu_category: ({ parent }) => parent,
  public_event: ({ slug, ticketTypes }) => [
    slug,
    ticketTypes.map(({ key, previousKeys, status }) => [key, previousKeys, status]),
  ],
};

/** Whether an edit of one object can change or invalidate other objects. */
export function affectsOthers<K extends Kind>(kind: K, before: DocOf[K], after: DocOf[K]): boolean {
  const sharedOf = (doc: DocOf[K]): unknown => [
    doc.key,
    doc.previousKeys,
    isVisible(kind, doc),
    SHARED[kind]?.(doc),
  ];
  return !deepEqual(sharedOf(before), sharedOf(after));
}
