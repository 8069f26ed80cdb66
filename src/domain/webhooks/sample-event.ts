import { formatInstant } from "../business-time.ts";
import type { EventDraft } from "../envelope.ts";
import {
  actionOf,
  type EventPrefix,
  type EventType,
  prefixOf,
  resourceTypeOf,
} from "../event-types.ts";
import { type CatalogState, catalogChangedEvent } from "../public/catalog-changed.ts";
import type { PublicCatalog } from "../public/public-catalog.ts";
import { sampleBookingEvent } from "./sample-booking-event.ts";

/** The list with the objects of an event's kind. */
const LISTS: Partial<Record<EventPrefix, keyof PublicCatalog>> = {
  service: "services",
  service_price: "services",
  service_variant: "services",
  service_category: "serviceCategories",
  menu_item: "menuItems",
  menu_category: "menuCategories",
  promotion: "promotions",
  staff: "staff",
  addon: "addons",
  event: "events",
};

/** A sample event for the first object of its kind; undefined if there is none. */
export function sampleEvent(
  type: EventType,
  state: CatalogState,
  business: { id: string; catalogVersion: number },
  now: number,
): EventDraft | undefined {
  const { id, catalogVersion } = business;
  if (type === "catalog.changed")
    return catalogChangedEvent([], [id], { from: catalogVersion, to: catalogVersion });
  const prefix = prefixOf(type);
  const list = LISTS[prefix];
  if (list === undefined) return sampleBookingEvent(type, state, now);
  const objects = state.publicCatalog[list];
  const [first] = objects;
  if (first === undefined) return undefined;
  const action = actionOf(type);
  if (action === "reordered") {
    const ids = objects.map(({ id }) => id);
    const object = { scope: prefix, order: ids.map((id, sortOrder) => ({ id, sortOrder })) };
    return {
      type,
      resource: { type: resourceTypeOf(prefix), id: first.id, ids },
      changed: [],
      object,
    };
  }
  const resource = { type: resourceTypeOf(prefix), id: first.id, ids: [first.id] };
  if (action !== "deleted") return { type, resource, changed: "all", object: first };
  const deletedAt = formatInstant(now, state.catalog.business.timezone);
  return { type, resource, changed: [], object: { ...first, deletedAt } };
}
