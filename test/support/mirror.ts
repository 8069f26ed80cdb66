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
  availability: [],
};

/**
 * A partner's copy of a catalog that follows only the documented rules. A created object is
 * inserted at its `sortOrder`, a deleted one is removed, an updated one is replaced, and
 * `*.reordered` gives the order of the whole list. catalog.changed names in `refetch` what must be
 * read again.
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
      const list = lists[name].filter(({ id }) => !ids.includes(id));
      for (const object of fresh[name].filter(({ id }) => ids.includes(id)))
        list.splice(object.sortOrder ?? list.length, 0, object);
      lists[name] = list;
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
    if (action === "created") list.splice(object.sortOrder ?? list.length, 0, object);
    else if (action === "deleted") list.splice(index, 1);
    else if (action === "reordered") lists[name] = reorder(list, resource.ids);
    else list[index] = object;
  }

  return {
    follow: (envelopes: Envelope[]): void => {
      envelopes.forEach(follow);
      for (const list of Object.values(lists))
        list.forEach((object, index) => Object.assign(object, { sortOrder: index }));
    },
    lists: (): Lists => lists,
  };
}

function reorder(list: PublicObject[], ids: string[]): PublicObject[] {
  const byId = new Map(list.map((object) => [object.id, object]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
