import type { z } from "zod";
import type { Envelope } from "../../src/domain/envelope.ts";
import type { PublicObject } from "../../src/domain/public/public-context.ts";
import type { PublicCatalog } from "../../src/domain/public/public-catalog.ts";
import type { catalogChange } from "../../src/domain/public/schemas/envelope.ts";

type Lists = Record<keyof PublicCatalog, PublicObject[]>;
type CatalogChange = z.infer<typeof catalogChange>;
type Refetch = CatalogChange["refetch"][number];

/** The list of each resource type, and the lists of each route. */
const LIST_OF: Record<string, keyof PublicCatalog> = {
  service: "services",
  service_category: "serviceCategories",
  addon: "addons",
  staff: "staff",
  menu_category: "menuCategories",
  menu_item: "menuItems",
  promotion: "promotions",
  event: "events",
};
const LISTS_OF_ROUTE: Record<Refetch["route"], (keyof PublicCatalog)[]> = {
  services: ["services"],
  "service-categories": ["serviceCategories"],
  staff: ["staff"],
  menu: ["menuCategories", "menuItems", "modifierGroups"],
  promotions: ["promotions"],
  "events/catalog": ["events"],
  profile: [],
  availability: [],
};

/**
 * A partner's copy of a catalog that follows only the documented rules. A created object is added,
 * a deleted one is removed, an updated one is replaced, and `*.reordered` gives the `sortOrder` of
 * each object. catalog.changed names in `refetch` what must be read again. Lists are sorted by
 * `sortOrder`.
 */
export function createMirror(readAll: () => PublicCatalog) {
  const copy = (): Lists => structuredClone(readAll()) as Lists;
  const lists = copy();

  function refetch({ route, ids, idsComplete }: Refetch): void {
    const fresh = copy();
    for (const name of LISTS_OF_ROUTE[route]) {
      if (!idsComplete) {
        lists[name] = fresh[name];
        continue;
      }
      const kept = lists[name].filter(({ id }) => !ids.includes(id));
      lists[name] = [...kept, ...fresh[name].filter(({ id }) => ids.includes(id))];
    }
  }

  function follow({ data }: Envelope): void {
    const { resource, action } = data;
    if (resource.type === "catalog") return (data.object as CatalogChange).refetch.forEach(refetch);
    const name = LIST_OF[resource.type];
    if (name === undefined) return;
    const list = lists[name];
    const object = data.object as PublicObject;
    const index = list.findIndex(({ id }) => id === resource.id);
    if (action === "created") list.push(object);
    else if (action === "deleted") list.splice(index, 1);
    else if (action === "reordered") reorder(list, (data.object as Reordered).order);
    else list[index] = object;
  }

  return {
    follow: (envelopes: Envelope[]): void => {
      envelopes.forEach(follow);
      for (const list of Object.values(lists))
        list.sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
    },
    lists: (): Lists => lists,
  };
}

type Reordered = { order: { id: string; sortOrder: number }[] };

function reorder(list: PublicObject[], order: Reordered["order"]): void {
  const byId = new Map(list.map((object) => [object.id, object]));
  for (const { id, sortOrder } of order) Object.assign(byId.get(id) ?? {}, { sortOrder });
}
