import { bookabilityDiffers } from "../catalog/change/bookability.ts";
import {
  AVAILABILITY_ROUTE,
  type CatalogState,
  orderDiffers,
  catalogChangedEvent,
  changedRoutes,
} from "./catalog-changed.ts";
import { changedFlags, repricedVariants, changedVariants } from "./changed-flags.ts";
import type { EventDraft } from "../envelope.ts";
import type { ObjectVersion, PublicObject } from "./public-context.ts";
import type { PublicMenuItem } from "./menu.ts";
import type { ListName, PublicCatalog } from "./public-catalog.ts";
import { deepEqual } from "../equality.ts";
import type { PublicService } from "./service.ts";

export type PublicDiff = {
  drafts: EventDraft[];
  /** Ids of public objects, embedded ones included, whose representation is new or differs. */
  changedIds: Set<string>;
  removedIds: Set<string>;
  /** false: at most a count differs, which no event tells. */
  isSignificant: boolean;
};

const VERSIONS = new Set(["version", "updatedAt"]);
// Where an object stands is told by `*.reordered`, and by the place of what was created or deleted.
const PLACE = new Set(["sortOrder"]);

/** The types with events of their own, in the order in which they are told: what is referred to before what refers. */
const TOLD = [
  { list: "serviceCategories", prefix: "service_category", ordered: true },
  { list: "addons", prefix: "addon", ordered: false },
  { list: "services", prefix: "service", ordered: true },
  { list: "staff", prefix: "staff", ordered: true },
  { list: "menuCategories", prefix: "menu_category", ordered: true },
  { list: "menuItems", prefix: "menu_item", ordered: true },
  { list: "promotions", prefix: "promotion", ordered: false },
  { list: "events", prefix: "event", ordered: false },
] as const satisfies { list: ListName; prefix: string; ordered: boolean }[];

/**
 * The events that bring a partner from one state to the next ("Diff -> events"), the closing catalog.changed included.
 * Stamps the objects of `after.shown` that changed with `mark`, before they go into the events.
 * @param before null for a business that is new
 * @param isAvailabilityTouched beyond what the two catalogs tell
 */
export function diffPublicCatalogs(
  before: CatalogState | null,
  after: CatalogState,
  business: { id: string; version: number },
  mark: ObjectVersion & { text: string },
  isAvailabilityTouched = false,
): PublicDiff {
  const diff: PublicDiff = {
    drafts: [],
    changedIds: new Set(),
    removedIds: new Set(),
    isSignificant: false,
  };
  for (const list of Object.keys(after.publicCatalog) as ListName[])
    compareList(before?.publicCatalog[list] ?? [], after.publicCatalog[list], diff);
  raiseDishesOfChangedGroups(after.publicCatalog, diff);
  for (const list of Object.keys(after.publicCatalog) as ListName[])
    for (const object of after.publicCatalog[list].flatMap(withEmbedded))
      if (diff.changedIds.has(object.id))
        Object.assign(object, { version: mark.version, updatedAt: mark.text });

  for (const telling of TOLD)
    tellList(
      before?.publicCatalog[telling.list] ?? [],
      after.publicCatalog[telling.list],
      telling,
      mark,
      diff,
    );
  const availability =
    isAvailabilityTouched || !before || bookabilityDiffers(before.catalog, after.catalog);
  const touched = changedRoutes(before, after, diff.changedIds);
  diff.isSignificant =
    diff.drafts.length > 0 || availability || touched.some(({ flag }) => flag !== "events");
  if (availability) touched.push(AVAILABILITY_ROUTE);
  const ids: [string, ...string[]] = [business.id, ...diff.changedIds, ...diff.removedIds];
  diff.drafts.push(catalogChangedEvent(touched, ids, { from: business.version, to: mark.version }));
  return diff;
}

/** An object and the public objects inside it that have ids and versions of their own. */
function withEmbedded(object: PublicObject): PublicObject[] {
  const {
    variants = [],
    addonLinks = [],
    ticketTypes = [],
  } = object as { [list: string]: unknown } as Record<string, PublicObject[] | undefined>;
  return [object, ...variants, ...addonLinks, ...ticketTypes];
}

function compareList(
  before: PublicObject[],
  after: PublicObject[],
  { changedIds, removedIds }: PublicDiff,
): void {
  const old = new Map(before.map((object) => [object.id, object]));
  const gone = new Set<string>();
  for (const object of after) {
    const from = old.get(object.id);
    old.delete(object.id);
    if (from && deepEqual(from, object, VERSIONS, PLACE)) continue;
    changedIds.add(object.id);
    const parts = new Map(from ? withEmbedded(from).map((part) => [part.id, part]) : []);
    for (const part of withEmbedded(object)) {
      if (!deepEqual(parts.get(part.id), part, VERSIONS)) changedIds.add(part.id);
      parts.delete(part.id);
    }
    for (const id of parts.keys()) gone.add(id);
  }
  for (const object of old.values()) for (const part of withEmbedded(object)) gone.add(part.id);
  for (const id of gone) removedIds.add(id);
}

/** A dish carries only the ids of its modifier groups, but its guests see what is in them. */
function raiseDishesOfChangedGroups(shown: PublicCatalog, { changedIds }: PublicDiff): void {
  for (const item of shown.menuItems)
    if (item.modifierGroupIds.some((id) => changedIds.has(id))) changedIds.add(item.id);
}

type Telling = (typeof TOLD)[number];

function tellList(
  before: PublicObject[],
  after: PublicObject[],
  { prefix, ordered }: Telling,
  mark: ObjectVersion & { text: string },
  { drafts, changedIds }: PublicDiff,
): void {
  const old = new Map(before.map((object) => [object.id, object]));
  const kept = new Set(after.map((object) => object.id));
  const resource = (id: string) => ({ type: prefix, id, ids: [id] });

  for (const object of before)
    if (!kept.has(object.id))
      drafts.push({
        type: `${prefix}.deleted`,
        resource: resource(object.id),
        changed: [],
        object: { ...object, deletedAt: mark.text },
      });
  for (const object of after)
    if (!old.has(object.id))
      drafts.push({
        type: `${prefix}.created`,
        resource: resource(object.id),
        changed: "all",
        object,
      });
  for (const object of after) {
    const from = old.get(object.id);
    if (!from || !changedIds.has(object.id)) continue;
    const raised = changedFlags(prefix, from, object);
    if (prefix === "menu_item" && hasChangedGroup(object, changedIds)) raised.push("modifiers");
    if (raised.length === 0) continue;
    drafts.push({
      type: `${prefix}.updated`,
      resource: resource(object.id),
      changed: raised,
      object,
    });
    if (prefix === "service")
      tellService(from as PublicService, object as PublicService, raised, drafts);
  }
  if (ordered && orderDiffers(before, after)) drafts.push(tellOrder(prefix, after));
}

const hasChangedGroup = (item: PublicObject, changedIds: Set<string>): boolean =>
  (item as PublicMenuItem).modifierGroupIds.some((id) => changedIds.has(id));

function tellService(
  before: PublicService,
  after: PublicService,
  changed: string[],
  drafts: EventDraft[],
): void {
  const about = (variantIds: string[]) => ({
    type: "service",
    id: after.id,
    ids: [after.id, ...variantIds],
  });
  if (changed.includes("price"))
    drafts.push({
      type: "service_price.updated",
      resource: about(repricedVariants(before, after)),
      changed,
      object: after,
    });
  if (changed.includes("variants"))
    drafts.push({
      type: "service_variant.changed",
      resource: about(changedVariants(before, after)),
      changed,
      object: after,
    });
}

function tellOrder(prefix: Telling["prefix"], list: PublicObject[]): EventDraft {
  const ids = list.map((object) => object.id);
  return {
    type: `${prefix as "service"}.reordered`,
    resource: { type: prefix, id: ids[0] ?? "", ids },
    changed: [],
    object: { scope: prefix, order: ids.map((id, sortOrder) => ({ id, sortOrder })) },
  };
}
