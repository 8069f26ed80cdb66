import type { DocOf, Kind } from "../catalog/catalog.ts";
import { createPublicContext, type StoredCatalog, isVisible } from "./public-context.ts";
import {
  type PublicMenuCategory,
  type PublicMenuItem,
  type PublicModifierGroup,
  toPublicMenuCategory,
  toPublicMenuItem,
  toPublicModifierGroup,
} from "./menu.ts";
import { type PublicPromotion, toPublicPromotion } from "./promotion.ts";
import { type PublicEvent, toPublicEvent } from "./public-event.ts";
import {
  type PublicAddon,
  type PublicService,
  type PublicServiceCategory,
  toPublicAddon,
  toPublicService,
  toPublicServiceCategory,
  type PublicStaff,
  toPublicStaff,
} from "./service.ts";
import { deepEqual } from "../equality.ts";

/**
 * The public objects in order and complete (with every include), as GET requests return them and
 * events embed them.
 */
export type PublicCatalog = {
  services: PublicService[];
  serviceCategories: PublicServiceCategory[];
  addons: PublicAddon[];
  staff: PublicStaff[];
  menuCategories: PublicMenuCategory[];
  menuItems: PublicMenuItem[];
  modifierGroups: PublicModifierGroup[];
  /** The list includes promotions that have not started or have ended; see `active`. */
  promotions: PublicPromotion[];
  /** The list includes public events that are over or cancelled; see `status`. */
  events: PublicEvent[];
};

export type ListName = keyof PublicCatalog;

/** The kinds of documents that affect each list; the business's fields and the time can too. */
const AFFECTING_KINDS: Record<ListName, Kind[]> = {
  services: ["service", "service_category", "addon", "staff"],
  serviceCategories: ["service_category"],
  addons: ["addon"],
  staff: ["staff", "service"],
  menuCategories: ["menu_category"],
  menuItems: ["menu_item", "menu_category", "modifier_group"],
  modifierGroups: ["modifier_group"],
  promotions: [
    "promotion",
    "service",
    "service_category",
    "addon",
    "menu_item",
    "menu_category",
    "public_event",
  ],
  events: ["public_event"],
};

export const ALL_LISTS = Object.keys(AFFECTING_KINDS) as ListName[];

export const kindsAffecting = (lists: readonly ListName[]): Kind[] => [
  ...new Set(lists.flatMap((list) => AFFECTING_KINDS[list])),
];

export const listsAffectedBy = (kinds: ReadonlySet<Kind>): ListName[] =>
  ALL_LISTS.filter((list) => AFFECTING_KINDS[list].some((kind) => kinds.has(kind)));

/** @param lists the lists to fill; the others stay empty */
export function toPublicCatalog(
  stored: StoredCatalog,
  now: number,
  lists: readonly ListName[] = ALL_LISTS,
): PublicCatalog {
  const context = createPublicContext(stored, now);
  const wanted = new Set(lists);
  const toList = <K extends Kind, T>(
    list: ListName,
    kind: K,
    toPublic: (doc: DocOf[K]) => T,
  ): T[] => (wanted.has(list) ? context.visible(kind).map(toPublic) : []);

  const isAddonWanted = wanted.has("addons") || wanted.has("services");
  const addons = new Map(
    (isAddonWanted ? context.visible("addon") : []).map((doc) => [
      doc.key,
      toPublicAddon(doc, context),
    ]),
  );
  return {
    services: toList("services", "service", (doc) => toPublicService(doc, addons, context)),
    serviceCategories: toList("serviceCategories", "service_category", (doc) =>
      toPublicServiceCategory(doc, context),
    ),
    addons: wanted.has("addons") ? [...addons.values()] : [],
    staff: toList("staff", "staff", (doc) => toPublicStaff(doc, context)),
    menuCategories: toList("menuCategories", "menu_category", (doc) =>
      toPublicMenuCategory(doc, context),
    ),
    menuItems: toList("menuItems", "menu_item", (doc) => toPublicMenuItem(doc, context)),
    modifierGroups: toList("modifierGroups", "modifier_group", (doc) =>
      toPublicModifierGroup(doc, context),
    ),
    promotions: toList("promotions", "promotion", (doc) => toPublicPromotion(doc, context)),
    events: toList("events", "public_event", (doc) => toPublicEvent(doc, context)),
  };
}

/** The instants at which a list can change without an edit. */
const TRANSITIONS = {
  menu: ({ stock }: StoredCatalog) => [...stock.soldOut.values()],
  promotions: ({ catalog }: StoredCatalog) =>
    catalog.objects.promotion.flatMap(({ schedule }) => [schedule.startsAt, schedule.endsAt]),
  events: ({ catalog }: StoredCatalog) =>
    catalog.objects.public_event.flatMap((event) => [
      event.endsAt,
      ...event.ticketTypes.flatMap((type) => [type.salesStartAt, type.salesEndAt]),
    ]),
};

export type TimedList = keyof typeof TRANSITIONS;
const TIMED_LISTS = Object.keys(TRANSITIONS) as TimedList[];

/**
 * Returns when one of the lists next changes without an edit (epoch ms); null if none will. Weekly
 * windows of menu items and promotions are served as rules, so they cause no change.
 */
export function nextTransition(
  stored: StoredCatalog,
  after: number,
  lists = TIMED_LISTS,
): number | null {
  let next = stored.others?.nextTransitionAt ?? null;
  for (const instant of lists.flatMap((list) => TRANSITIONS[list](stored)))
    if (instant !== null && instant > after && (next === null || instant < next)) next = instant;
  return next;
}

/**
 * The parts of an object, besides its ID, that other objects embed or list, or with which other
 * objects must agree in a valid catalog.
 */
const SHARED: { [K in Kind]?: (doc: DocOf[K]) => unknown } = {
  addon: (doc) => doc,
  modifier_group: (doc) => doc,
  // A public staff member lists services, which no field of the document names.
  staff: (doc) => doc,
  service: ({ staff }) => staff,
  service_category: ({ parent }) => parent,
  menu_category: ({ parent }) => parent,
  public_event: ({ slug, ticketTypes }) => [
    slug,
    ticketTypes.map(({ key, previousKeys, status }) => [key, previousKeys, status]),
  ],
};

/** Returns whether an edit of one object can change or invalidate other objects. */
export function affectsOthers<K extends Kind>(kind: K, before: DocOf[K], after: DocOf[K]): boolean {
  const sharedOf = (doc: DocOf[K]): unknown => [
    doc.key,
    doc.previousKeys,
    isVisible(kind, doc),
    SHARED[kind]?.(doc),
  ];
  return !deepEqual(sharedOf(before), sharedOf(after));
}
