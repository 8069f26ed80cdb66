import type { EventDraft } from "../envelope.ts";
import { actionOf, type EventPrefix, type EventType, prefixOf } from "../event-types.ts";
import type { PublicCatalog } from "../public/representation.ts";

/** Where the objects of an event's kind are to be found, and what the envelope calls them. */
const LISTS: Partial<Record<EventPrefix, { list: keyof PublicCatalog; resource: string }>> = {
  service: { list: "services", resource: "service" },
  service_price: { list: "services", resource: "service" },
  service_variant: { list: "services", resource: "service" },
  service_category: { list: "serviceCategories", resource: "service_category" },
  menu_item: { list: "menuItems", resource: "menu_item" },
  menu_category: { list: "menuCategories", resource: "menu_category" },
  promotion: { list: "promotions", resource: "promotion" },
  staff: { list: "staff", resource: "staff" },
  addon: { list: "addons", resource: "addon" },
  event: { list: "events", resource: "event" },
};

/**
 * An event of a type about an object that is really there; nothing has happened to it. Undefined when there is none.
 * @param now as text
 */
export function sampleEvent(
  type: EventType,
  shown: PublicCatalog,
  business: { id: string; catalogVersion: number },
  now: string,
): EventDraft | undefined {
  const prefix = prefixOf(type);
  if (prefix === "catalog") return sampleCatalogChange(business);
  const place = LISTS[prefix];
  const objects = place ? shown[place.list] : [];
  const [first] = objects;
  if (place === undefined || first === undefined) return undefined;
  const action = actionOf(type);
  if (action === "reordered") {
    const ids = objects.map(({ id }) => id);
    const object = { scope: prefix, order: ids.map((id, sortOrder) => ({ id, sortOrder })) };
    return { type, resource: { type: place.resource, id: first.id, ids }, changed: [], object };
  }
  const resource = { type: place.resource, id: first.id, ids: [first.id] };
  if (action === "deleted") return { type, resource, changed: [], object: { ...first, deletedAt: now } };
  return { type, resource, changed: "all", object: first };
}

const sampleCatalogChange = ({ id, catalogVersion }: { id: string; catalogVersion: number }): EventDraft => ({
  type: "catalog.changed",
  resource: { type: "catalog", id, ids: [id] },
  changed: [],
  object: { catalogVersion, previousVersion: catalogVersion, endpoints: [] },
});
