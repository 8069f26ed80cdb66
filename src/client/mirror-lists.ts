import type { Arguments, OperationId, Result, Schemas } from "./types.ts";

// What a mirror copies, as the guide "Keep a mirror" says: the lists, the events that change them,
// and which objects of a list are shown.

/** The lists that a mirror can keep, with the names that events have for them. */
export type MirrorLists = {
  profile: Schemas["BusinessProfile"] | undefined;
  services: Schemas["Service"][];
  "service-categories": Schemas["ServiceCategory"][];
  staff: Schemas["Staff"][];
  menu: Result<"getMenu">["data"];
  promotions: Schemas["Promotion"][];
  "events/catalog": Schemas["PublicEvent"][];
};
export type MirrorList = keyof MirrorLists;

type List<Id extends OperationId = OperationId> = {
  operation: Id;
  args: Arguments<Id>;
  /** The resource types of the list's objects. */
  resources: readonly string[];
  /** The event types that change the list's objects. */
  types: readonly string[];
};

const defineList = <Id extends OperationId>(
  operation: Id,
  args: Arguments<Id>,
  types: readonly string[] = [],
  resources: readonly string[] = [],
): List => ({ operation, args, types, resources }) as unknown as List;

/** Returns the types of the events of a resource. */
const eventsOf = (resource: string, ...moreActions: string[]): string[] =>
  ["created", "updated", "deleted", ...moreActions].map((action) => `${resource}.${action}`);

const includeTranslations = true;

export const LISTS: Readonly<Record<MirrorList, List>> = {
  profile: defineList("getBusiness", {}),
  services: defineList(
    "listServices",
    { includeVariants: true, includeAddons: true, includeTranslations },
    [...eventsOf("service", "reordered"), "service_price.updated", "service_variant.changed"],
    ["service"],
  ),
  "service-categories": defineList(
    "listServiceCategories",
    { includeTranslations },
    eventsOf("service_category", "reordered"),
    ["service_category"],
  ),
  staff: defineList("listStaff", { includeTranslations }, eventsOf("staff", "reordered"), [
    "staff",
  ]),
  menu: defineList(
    "getMenu",
    { includeTranslations },
    [...eventsOf("menu_item", "reordered"), ...eventsOf("menu_category", "reordered")],
    ["menu_item", "menu_category"],
  ),
  promotions: defineList(
    "listPromotions",
    { includeUpcoming: true, includeTranslations },
    eventsOf("promotion"),
    ["promotion"],
  ),
  "events/catalog": defineList(
    "listPublicEvents",
    { includeCancelled: true, includeTranslations },
    [...eventsOf("event"), "event_availability.updated"],
    ["event"],
  ),
};

/** The fields that a mirror uses of an object. */
export type MirroredObject = {
  id: string;
  sortOrder?: number;
  active?: boolean;
  schedule?: { startsAt: string | null };
  status?: string;
  endsAt?: string;
};

/** The parts of the menu. All other lists have one part, with the empty name. */
const MENU_PARTS = ["categories", "items", "modifierGroups"];

/** Returns the part of a list that has the objects of a resource type. */
export const partOf = (resource: string): string =>
  resource === "menu_category" ? "categories" : resource === "menu_item" ? "items" : "";

/** Returns the objects of a response, each with its part of the list. */
export function partsIn(list: MirrorList, data: unknown): [part: string, MirroredObject][] {
  const parts =
    list === "menu"
      ? (data as Record<string, MirroredObject[]>)
      : { "": [data].flat() as MirroredObject[] };
  return Object.entries(parts).flatMap(([part, objects]) =>
    objects.map((object): [string, MirroredObject] => [part, object]),
  );
}

/** Returns what a response with the whole list would contain at `now` (epoch milliseconds). */
export function toData(
  list: MirrorList,
  objects: readonly [part: string, MirroredObject][],
  now: number,
): unknown {
  const listShown = (wanted: string): MirroredObject[] =>
    objects
      .filter(([part, object]) => part === wanted && isShown(list, object, now))
      .map(([, object]) => object)
      .sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
  if (list === "profile") return listShown("")[0];
  if (list !== "menu") return listShown("");
  return Object.fromEntries(MENU_PARTS.map((part) => [part, listShown(part)]));
}

/**
 * Returns whether the API's list contains an object at `now`. Events also bring objects that the
 * list leaves out, such as ended public events.
 */
function isShown(list: MirrorList, object: MirroredObject, now: number): boolean {
  if (list === "promotions")
    return object.active === true || Date.parse(object.schedule?.startsAt ?? "") > now;
  if (list === "events/catalog")
    return object.status !== "ENDED" && Date.parse(object.endsAt ?? "") > now;
  return true;
}
