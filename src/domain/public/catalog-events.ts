import type { BusinessDoc, Catalog, DocOf, Kind, ServiceDoc } from "../catalog/catalog.ts";
import { deepEqual, shallowEqual } from "../equality.ts";
import { eventDraft, type EventDraft, reorderedEvent } from "../events/envelope.ts";
import type { EventType } from "../events/event-types.ts";
import {
  AVAILABILITY_ROUTE,
  catalogChangedEvent,
  type CatalogState,
  changedRoutes,
  PROFILE_ROUTE,
  usesChangedGroup,
} from "./catalog-changed.ts";
import { changedFlags, changedVariants, repricedVariants } from "./changed-flags.ts";
import { profileFields } from "./profile.ts";
import type { ListName, PublicCatalog } from "./public-catalog.ts";
import type { ObjectVersion, PublicObject } from "./public-context.ts";
import type { PublicService } from "./service.ts";

const bookabilityDiffers = (before: Catalog, after: Catalog): boolean =>
  !deepEqual(availabilityInputs(before), availabilityInputs(after)) ||
  BOOKABLE_KINDS.some((kind) => kindDiffers(kind, before, after));

/** Returns the fields of the business that affect availability. */
const availabilityInputs = ({
  business: { timezone, bookingPolicy },
  schedule,
}: Catalog): unknown => [timezone, slotRules(bookingPolicy), schedule];

/** Returns the rules that decide which slots are offered. */
function slotRules(rules: BusinessDoc["bookingPolicy"] | ServiceDoc["bookingRules"]): object {
  const { requiresApproval, cancelUntilMin, ...rulesOfSlots } = rules;
  return rulesOfSlots;
}

/** The fields of each kind that affect availability. Kinds that are not listed have none. */
const INPUTS: { [K in Kind]?: (doc: DocOf[K]) => unknown } = {
  resource: ({ capacity, status }) => [capacity, status],
  area: ({ status }) => status,
  table: ({ area, minSeats, maxSeats, status }) => [area, minSeats, maxSeats, status],
  addon: ({ durationMin, status }) => [durationMin, status],
  staff: ({ status, bookable, hours, breaks, timeOff, exceptions, serviceOverrides }) => [
    [status, bookable, hours, breaks, timeOff, exceptions],
    serviceOverrides.map(({ service, durationMin }) => [service, durationMin]),
  ],
  service: (service) => [
    [service.status, service.bookable, service.durationMin, service.capacity],
    [service.bufferBeforeMin, service.bufferAfterMin],
    [service.resources, slotRules(service.bookingRules), service.staff],
    byKey(service.variants, ({ durationMin, staff, status, isDefault }) => [
      [durationMin, staff, status],
      isDefault,
    ]),
    service.addons.map(({ addon, durationMin, required, minQuantity, defaultQuantity }) => [
      [addon, durationMin],
      // A required add-on is part of each booking, in this quantity unless the booking names
      // another one.
      required && [minQuantity, defaultQuantity],
    ]),
  ],
};

const BOOKABLE_KINDS = Object.keys(INPUTS) as Kind[];

function kindDiffers(
  kind: Kind,
  { objects: before }: Catalog,
  { objects: after }: Catalog,
): boolean {
  // `normaliseCatalog` reuses the stored documents that a file does not change, so lists of the
  // same documents need no further comparison.
  if (shallowEqual(before[kind], after[kind])) return false;
  const inputs = INPUTS[kind] as (doc: DocOf[Kind]) => unknown;
  return !deepEqual(
    byKey<DocOf[Kind]>(before[kind], inputs),
    byKey<DocOf[Kind]>(after[kind], inputs),
  );
}

/**
 * Returns the result of `pick` for each document, by the key of the document, because availability
 * does not depend on the order of objects.
 */
const byKey = <T extends { key: string }>(
  docs: readonly T[],
  pick: (doc: T) => unknown,
): Record<string, unknown> => Object.fromEntries(docs.map((doc) => [doc.key, pick(doc)]));

export type PublicDiff = {
  drafts: EventDraft[];
  /** The IDs of new and changed objects, including embedded objects and the business's profile. */
  changedIds: Set<string>;
  removedIds: Set<string>;
  /**
   * False if no list except that of public events changed, and no object has an event. Usually only
   * ticket counts changed then, which `event_availability.updated` reports later.
   */
  isSignificant: boolean;
};

const VERSION_FIELDS = new Set(["version", "updatedAt"]);

/**
 * The lists whose objects have events, in the order of the events: an object comes before the
 * objects that refer to it.
 */
const EVENT_SOURCES = [
  { list: "serviceCategories", prefix: "service_category", ordered: true },
  { list: "addons", prefix: "addon", ordered: false },
  { list: "services", prefix: "service", ordered: true },
  { list: "staff", prefix: "staff", ordered: true },
  { list: "menuCategories", prefix: "menu_category", ordered: true },
  { list: "menuItems", prefix: "menu_item", ordered: true },
  { list: "promotions", prefix: "promotion", ordered: false },
  { list: "events", prefix: "event", ordered: false },
] as const satisfies { list: ListName; prefix: string; ordered: boolean }[];

type EventSource = (typeof EVENT_SOURCES)[number];

/**
 * Returns the events of a change; the last one is catalog.changed. Sets the version of every
 * changed object in `after.publicCatalog`.
 * @param before null for a new business
 * @param business the business, with its catalog version before the change
 * @param version the catalog version after the change; `text` is its time in RFC 3339
 * @param isAvailabilityAffected whether something outside the two catalogs affects availability
 */
export function diffPublicCatalogs(
  before: CatalogState | null,
  after: CatalogState,
  business: { id: string; version: number },
  version: ObjectVersion & { text: string },
  isAvailabilityAffected = false,
): PublicDiff {
  const diff: PublicDiff = {
    drafts: [],
    changedIds: new Set(),
    removedIds: new Set(),
    isSignificant: false,
  };
  const lists = Object.keys(after.publicCatalog) as ListName[];
  for (const list of lists)
    compareList(before?.publicCatalog[list] ?? [], after.publicCatalog[list], diff);
  addItemsOfChangedGroups(after.publicCatalog, diff);
  for (const object of lists.flatMap((list) => after.publicCatalog[list].flatMap(withEmbedded)))
    if (diff.changedIds.has(object.id))
      Object.assign(object, { version: version.version, updatedAt: version.text });

  for (const source of EVENT_SOURCES)
    addListEvents(
      before?.publicCatalog[source.list] ?? [],
      after.publicCatalog[source.list],
      source,
      version.text,
      diff,
    );
  const routes = changedRoutes(before, after, diff);
  // `ids` begins with the ID of the business. `changedIds` gets this ID only below, so that `ids`
  // does not have it twice.
  const ids: [string, ...string[]] = [business.id, ...diff.changedIds, ...diff.removedIds];
  if (!before || !deepEqual(profileFields(before.catalog), profileFields(after.catalog))) {
    routes.push(PROFILE_ROUTE);
    diff.changedIds.add(business.id);
  }
  if (isAvailabilityAffected || !before || bookabilityDiffers(before.catalog, after.catalog))
    routes.push(AVAILABILITY_ROUTE);
  diff.isSignificant = diff.drafts.length > 0 || routes.some(({ flag }) => flag !== "events");
  diff.drafts.push(
    catalogChangedEvent(routes, ids, { from: business.version, to: version.version }),
  );
  return diff;
}

/** Returns the object, then the objects inside it that have IDs and versions. */
function withEmbedded(object: PublicObject): PublicObject[] {
  const {
    variants = [],
    addonLinks = [],
    ticketTypes = [],
  } = object as { [list: string]: unknown } as Record<string, PublicObject[] | undefined>;
  return [object, ...variants, ...addonLinks, ...ticketTypes];
}

/**
 * Adds the IDs of new, changed and removed objects, and of the objects inside them, to the diff.
 */
function compareList(
  before: PublicObject[],
  after: PublicObject[],
  { changedIds, removedIds }: PublicDiff,
): void {
  const unmatched = new Map(before.map((object) => [object.id, object]));
  for (const object of after) {
    const previous = unmatched.get(object.id);
    unmatched.delete(object.id);
    if (previous && deepEqual(previous, object, VERSION_FIELDS)) continue;
    changedIds.add(object.id);
    const parts = new Map(previous ? withEmbedded(previous).map((part) => [part.id, part]) : []);
    for (const part of withEmbedded(object)) {
      if (!deepEqual(parts.get(part.id), part, VERSION_FIELDS)) changedIds.add(part.id);
      parts.delete(part.id);
    }
    for (const id of parts.keys()) removedIds.add(id);
  }
  for (const object of unmatched.values())
    for (const part of withEmbedded(object)) removedIds.add(part.id);
}

/**
 * Adds to `changedIds` the menu items whose modifier groups changed: an item contains only the IDs
 * of its groups, but guests see their content.
 */
function addItemsOfChangedGroups({ menuItems }: PublicCatalog, { changedIds }: PublicDiff): void {
  for (const item of menuItems) if (usesChangedGroup(item, changedIds)) changedIds.add(item.id);
}

/** Adds the events of one list: of removed, new and changed objects, then of a new order. */
function addListEvents(
  before: PublicObject[],
  after: PublicObject[],
  { prefix, ordered }: EventSource,
  deletedAt: string,
  { drafts, changedIds }: PublicDiff,
): void {
  const previousById = new Map(before.map((object) => [object.id, object]));
  const afterIds = new Set(after.map((object) => object.id));
  for (const object of before)
    if (!afterIds.has(object.id))
      drafts.push(eventDraft(`${prefix}.deleted`, [], { ...object, deletedAt }, [object.id]));
  for (const object of after)
    if (!previousById.has(object.id))
      drafts.push(eventDraft(`${prefix}.created`, "all", object, [object.id]));
  for (const object of after) {
    const previous = previousById.get(object.id);
    if (!previous || !changedIds.has(object.id)) continue;
    const changed = changedFlags(prefix, previous, object);
    if (usesChangedGroup(object, changedIds)) changed.push("modifiers");
    if (changed.length === 0) continue;
    drafts.push(eventDraft(`${prefix}.updated`, changed, object, [object.id]));
    if (prefix === "service")
      addServiceEvents(previous as PublicService, object as PublicService, changed, drafts);
  }
  if (ordered && after.some((object) => isMoved(previousById.get(object.id), object)))
    drafts.push(reorderedEvent(`${prefix}.reordered`, after));
}

const isMoved = (before: PublicObject | undefined, after: PublicObject): boolean =>
  before !== undefined && before.sortOrder !== after.sortOrder;

function addServiceEvents(
  before: PublicService,
  after: PublicService,
  changed: string[],
  drafts: EventDraft[],
): void {
  const add = (type: EventType, variantIds: string[]) =>
    drafts.push(eventDraft(type, changed, after, [after.id, ...variantIds]));
  if (changed.includes("price")) add("service_price.updated", repricedVariants(before, after));
  if (changed.includes("variants")) add("service_variant.changed", changedVariants(before, after));
}
