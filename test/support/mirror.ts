import type { Envelope } from "../../src/domain/envelope.ts";
import type { PublicObject } from "../../src/domain/public/public-context.ts";
import type { PublicCatalog } from "../../src/domain/public/public-catalog.ts";
import type { PublicService } from "../../src/domain/public/service.ts";

type Lists = Record<keyof PublicCatalog, PublicObject[]>;

/** The list behind each resource type of the events, and the lists behind each route. */
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
const LISTS_OF_ROUTE: Record<string, (keyof PublicCatalog)[]> = {
  services: ["services"],
  "service-categories": ["serviceCategories"],
  staff: ["staff"],
  menu: ["menuCategories", "menuItems", "modifierGroups"],
  promotions: ["promotions"],
  "events/catalog": ["events"],
  availability: [],
};

/**
 * A partner's copy of a catalog, kept by the documented rules alone: created objects go in at their sortOrder, deleted ones
 * go out, updated ones are replaced where they stand, `*.reordered` gives the whole order, an add-on replaces itself inside
 * the links of services, and the routes that catalog.changed calls untold are read again.
 */
export function createMirror(readAll: () => PublicCatalog) {
  const copy = (): Lists => structuredClone(readAll()) as Lists;
  const lists = copy();

  function replaceInLinks(addon: PublicObject): void {
    for (const service of lists.services as PublicService[])
      for (const link of service.addonLinks)
        if (link.addonId === addon.id) {
          const { version, updatedAt } = addon;
          Object.assign(link, { addon: structuredClone(addon), version, updatedAt });
          Object.assign(service, { version, updatedAt });
        }
  }

  function follow({ data }: Envelope): void {
    const { resource, action } = data;
    if (resource.type === "catalog") {
      const { untold } = data.object as { untold: string[] };
      const fresh = copy();
      for (const list of untold.flatMap((route) => LISTS_OF_ROUTE[route] ?? []))
        lists[list] = fresh[list];
      return;
    }
    const name = LIST_OF[resource.type];
    if (name === undefined) return;
    const list = lists[name];
    const object = data.object as PublicObject;
    const index = list.findIndex(({ id }) => id === resource.id);
    if (action === "created") list.splice(object.sortOrder ?? list.length, 0, object);
    else if (action === "deleted") list.splice(index, 1);
    else if (action === "reordered") lists[name] = reorder(list, resource.ids);
    else list[index] = object;
    if (name === "addons" && action === "updated") replaceInLinks(object);
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
