import type { z } from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import { eventDraft, type EventDraft } from "../events/envelope.ts";
import { deepEqual } from "../equality.ts";
import type { PublicMenuItem } from "./menu.ts";
import type { ListName, PublicCatalog } from "./public-catalog.ts";
import type { PublicObject } from "./public-context.ts";
import type { catalogChange } from "./schemas/envelope.ts";

export type CatalogState = {
  catalog: Catalog;
  publicCatalog: PublicCatalog;
  /** The time of this state, in epoch milliseconds. */
  at: number;
};

type ChangeObject = z.infer<typeof catalogChange>;
type CatalogRoute = ChangeObject["routes"][number];
type Refetch = ChangeObject["refetch"][number];

type ChangedRoute = {
  /** The flag of this route in `data.changed` of the event `catalog.changed`. */
  flag: string;
  route: CatalogRoute;
  /** The objects that changed without an event of their own; absent if there are none. */
  refetch?: Refetch | undefined;
};

/** The IDs of objects that changed or were removed, and the events drafted for them so far. */
type Changes = { changedIds: Set<string>; removedIds: Set<string>; drafts: EventDraft[] };

type Lists = Record<ListName, PublicObject[]>;

const ROUTES: { flag: string; route: CatalogRoute; lists: ListName[] }[] = [
  { flag: "menu", route: "menu", lists: ["menuCategories", "menuItems", "modifierGroups"] },
  { flag: "services", route: "services", lists: ["services"] },
  { flag: "serviceCategories", route: "service-categories", lists: ["serviceCategories"] },
  { flag: "staff", route: "staff", lists: ["staff"] },
  { flag: "promotions", route: "promotions", lists: ["promotions"] },
  { flag: "events", route: "events/catalog", lists: ["events"] },
];

/** The maximum number of IDs in an event, as the schema of the event says. */
const MAX_IDS = 500;

const wholeList = (route: CatalogRoute): Refetch => ({ route, ids: [], idsComplete: false });

const wholeRoute = ({ flag, route }: ChangedRoute): ChangedRoute => ({
  flag,
  route,
  refetch: wholeList(route),
});

export const PROFILE_ROUTE = wholeRoute({ flag: "profile", route: "profile" });
export const AVAILABILITY_ROUTE = wholeRoute({ flag: "availability", route: "availability" });

/** Returns the routes of lists that changed, each with the objects that a partner must read again. */
export function changedRoutes(
  before: CatalogState | null,
  after: CatalogState,
  diff: Changes,
): ChangedRoute[] {
  // Every response of a list contains these fields of the business or depends on them.
  if (!before || !deepEqual(responseFields(before.catalog), responseFields(after.catalog)))
    return ROUTES.map(wholeRoute);
  const [from, to] = [before.publicCatalog, after.publicCatalog];
  const changes = { ...diff, changedIds: diff.changedIds.union(unlistedEvents(before, after)) };
  return ROUTES.filter(({ lists }) =>
    lists.some((list) => listDiffers(from[list], to[list], changes.changedIds)),
  ).map(({ flag, route, lists }) => ({
    flag,
    route,
    refetch: refetchOf(route, lists, from, to, changes),
  }));
}

const responseFields = ({
  business: { slug, name, timezone, currency, locale, locales },
}: Catalog) => ({ slug, name, timezone, currency, locale, locales });

/**
 * Returns the IDs of cancelled and postponed public events that have ended since `before`. Such an
 * event does not change, but the list with `includeCancelled` does: it has the event until its end.
 */
const unlistedEvents = (before: CatalogState, after: CatalogState): Set<string> =>
  new Set(
    after.publicCatalog.events
      .filter(({ status }) => status === "CANCELLED" || status === "POSTPONED")
      .filter(({ endsAt }) => before.at < Date.parse(endsAt) && Date.parse(endsAt) <= after.at)
      .map(({ id }) => id),
  );

const listDiffers = (
  before: PublicObject[],
  after: PublicObject[],
  changedIds: Set<string>,
): boolean =>
  before.length !== after.length ||
  after.some(({ id }, i) => id !== before[i]?.id || changedIds.has(id));

/** Returns the objects that even a partner who follows all other events must read again. */
function refetchOf(
  route: CatalogRoute,
  lists: ListName[],
  before: Lists,
  after: Lists,
  { changedIds, removedIds, drafts }: Changes,
): Refetch | undefined {
  // An event such as `service.reordered` does not contain the objects, so it does not announce how
  // they changed.
  const announced = new Set(
    drafts.filter(({ type }) => !type.endsWith(".reordered")).map(({ resource }) => resource.id),
  );
  const ids = lists
    .flatMap((list) => [
      ...after[list].filter(({ id }) => changedIds.has(id)),
      ...before[list].filter(({ id }) => removedIds.has(id)),
    ])
    .filter((object) => !announced.has(object.id) || usesChangedGroup(object, changedIds))
    .map(({ id }) => id);
  if (ids.length > MAX_IDS) return wholeList(route);
  return ids.length > 0 ? { route, ids, idsComplete: true } : undefined;
}

/**
 * Returns whether a menu item uses a modifier group that changed. The item's own event has only the
 * IDs of its modifier groups, not their content.
 */
export const usesChangedGroup = (object: PublicObject, changedIds: Set<string>): boolean =>
  (object as Partial<PublicMenuItem>).modifierGroupIds?.some((id) => changedIds.has(id)) ?? false;

/**
 * Returns the event `catalog.changed`, which is the last event of every change of a catalog.
 * @param ids the ID of the business, then those of the objects that changed
 */
export const catalogChangedEvent = (
  routes: ChangedRoute[],
  ids: [string, ...string[]],
  version: { from: number; to: number },
): EventDraft =>
  eventDraft(
    "catalog.changed",
    routes.map(({ flag }) => flag),
    {
      catalogVersion: version.to,
      previousVersion: version.from,
      routes: routes.map(({ route }) => route),
      refetch: routes.flatMap(({ refetch }) => refetch ?? []),
    } satisfies ChangeObject,
    ids.slice(0, MAX_IDS),
  );

/** Returns the event that makes partners read everything again, for example after a restore. */
export const fullRefetchEvent = (
  businessId: string,
  version: { from: number; to: number },
): EventDraft =>
  catalogChangedEvent(
    [...ROUTES.map(wholeRoute), PROFILE_ROUTE, AVAILABILITY_ROUTE],
    [businessId],
    version,
  );
