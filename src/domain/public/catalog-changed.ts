import type { z } from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import type { EventDraft } from "../envelope.ts";
import type { PublicObject } from "./public-context.ts";
import type { PublicCatalog } from "./public-catalog.ts";
import type { catalogChange } from "./schemas/envelope.ts";
import { deepEqual } from "../equality.ts";

/** One state of a catalog: what its author wrote and what partners see of it. */
export type CatalogState = { catalog: Catalog; publicCatalog: PublicCatalog };

/** A route that answers otherwise than before. */
export type ChangedRoute = {
  /** Its flag in `data.changed` of catalog.changed. */
  flag: string;
  route: CatalogRoute;
  /** Something in it differs that no other event of the same transaction tells: read it again. */
  isUntold: boolean;
};

type CatalogRoute = z.infer<typeof catalogChange>["endpoints"][number];

type List = keyof PublicCatalog;
type Lists = Record<List, PublicObject[]>;

const ROUTES: { flag: string; route: CatalogRoute; lists: List[] }[] = [
  { flag: "menu", route: "menu", lists: ["menuCategories", "menuItems", "modifierGroups"] },
  { flag: "services", route: "services", lists: ["services"] },
  { flag: "serviceCategories", route: "service-categories", lists: ["serviceCategories"] },
  { flag: "staff", route: "staff", lists: ["staff"] },
  { flag: "promotions", route: "promotions", lists: ["promotions"] },
  { flag: "events", route: "events/catalog", lists: ["events"] },
];

export const AVAILABILITY_ROUTE: ChangedRoute = {
  flag: "availability",
  route: "availability",
  isUntold: true,
};

const MAX_IDS = 500;

/** @param changedIds of the public objects whose representation is new or differs */
export function changedRoutes(
  before: CatalogState | null,
  after: CatalogState,
  changedIds: Set<string>,
): ChangedRoute[] {
  // The business's own name, zone, currency and languages stand in every answer.
  const isEverywhere =
    !before || !deepEqual(shownOfBusiness(before.catalog), shownOfBusiness(after.catalog));
  const isTouched = (list: List) =>
    isEverywhere || listDiffers(before.publicCatalog[list], after.publicCatalog[list], changedIds);
  return ROUTES.filter(({ lists }) => lists.some(isTouched)).map(({ flag, route, lists }) => ({
    flag,
    route,
    isUntold:
      isEverywhere ||
      lists.some((list) =>
        hasUntoldChange(list, before.publicCatalog, after.publicCatalog, changedIds),
      ),
  }));
}

/** Modifier groups have no events of their own, nor has the order of promotions and public events. */
function hasUntoldChange(
  list: List,
  before: Lists,
  after: Lists,
  changedIds: Set<string>,
): boolean {
  if (list === "modifierGroups") return listDiffers(before[list], after[list], changedIds);
  return (list === "promotions" || list === "events") && orderDiffers(before[list], after[list]);
}

const listDiffers = (
  before: PublicObject[],
  after: PublicObject[],
  changedIds: Set<string>,
): boolean =>
  before.length !== after.length ||
  after.some(({ id }, i) => id !== before[i]?.id || changedIds.has(id));

/** Whether those that are on both sides stand in another order. */
export function orderDiffers(before: PublicObject[], after: PublicObject[]): boolean {
  const kept = new Set(after.map(({ id }) => id));
  const then = before.filter(({ id }) => kept.has(id));
  const old = new Set(then.map(({ id }) => id));
  return after.filter(({ id }) => old.has(id)).some(({ id }, rank) => then[rank]?.id !== id);
}

const shownOfBusiness = ({
  business: { slug, name, timezone, currency, locale, locales },
}: Catalog) => ({
  slug,
  name,
  timezone,
  currency,
  locale,
  locales,
});

/**
 * The event that closes every change of a catalog. `endpoints` names the routes that answer otherwise now; `untold` those
 * among them that a partner who follows the granular events has to read again.
 * @param ids the business's, then those of the objects touched
 */
export const catalogChangedEvent = (
  touched: ChangedRoute[],
  ids: [string, ...string[]],
  version: { from: number; to: number },
): EventDraft => ({
  type: "catalog.changed",
  resource: { type: "catalog", id: ids[0], ids: ids.slice(0, MAX_IDS) },
  changed: touched.map(({ flag }) => flag),
  object: {
    catalogVersion: version.to,
    previousVersion: version.from,
    endpoints: touched.map(({ route }) => route),
    untold: touched.filter(({ isUntold }) => isUntold).map(({ route }) => route),
  },
});

/** Everything may be otherwise than a partner was told. */
export const fullRefetchEvent = (
  businessId: string,
  version: { from: number; to: number },
): EventDraft =>
  catalogChangedEvent(
    [...ROUTES.map(({ flag, route }) => ({ flag, route, isUntold: true })), AVAILABILITY_ROUTE],
    [businessId],
    version,
  );
