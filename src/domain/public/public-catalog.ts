import type { DocOf, Kind } from "../catalog/catalog.ts";
import {
  createPublicContext,
  isVisible,
  type PublicContext,
  type StoredCatalog,
} from "./public-context.ts";
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
import { memoized } from "../lazy.ts";

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

/** The kind of the documents that each list shows. */
const KIND_OF = {
  services: "service",
  serviceCategories: "service_category",
  addons: "addon",
  staff: "staff",
  menuCategories: "menu_category",
  menuItems: "menu_item",
  modifierGroups: "modifier_group",
  promotions: "promotion",
  events: "public_event",
} as const satisfies Record<ListName, Kind>;

export type PublicForms = {
  [List in ListName]: (doc: DocOf[(typeof KIND_OF)[List]]) => PublicCatalog[List][number];
};

/** Returns functions that return the public form of a visible document. */
export function createPublicForms(context: PublicContext): PublicForms {
  // All services share one object for each add-on, so that its version can be set in one place.
  const toAddon = memoized((doc: DocOf["addon"]) => toPublicAddon(doc, context));
  const findAddon = (key: string) => {
    const doc = context.findVisible("addon", key);
    return doc && toAddon(doc);
  };
  return {
    services: (doc) => toPublicService(doc, findAddon, context),
    serviceCategories: (doc) => toPublicServiceCategory(doc, context),
    addons: toAddon,
    staff: (doc) => toPublicStaff(doc, context),
    menuCategories: (doc) => toPublicMenuCategory(doc, context),
    menuItems: (doc) => toPublicMenuItem(doc, context),
    modifierGroups: (doc) => toPublicModifierGroup(doc, context),
    promotions: (doc) => toPublicPromotion(doc, context),
    events: (doc) => toPublicEvent(doc, context),
  };
}

/**
 * Returns the public objects as they are at `now`.
 * @param lists the lists to fill; the others stay empty
 */
export function toPublicCatalog(
  stored: StoredCatalog,
  now: number,
  lists: readonly ListName[] = ALL_LISTS,
): PublicCatalog {
  const context = createPublicContext(stored, now);
  const forms = createPublicForms(context);
  const toList = (list: ListName): unknown[] =>
    lists.includes(list)
      ? context.visible(KIND_OF[list]).map(forms[list] as (doc: DocOf[Kind]) => unknown)
      : [];
  return Object.fromEntries(ALL_LISTS.map((list) => [list, toList(list)])) as PublicCatalog;
}

type Consider = (instant: number | null) => void;

/**
 * Each function calls `consider` with the instants at which its list can change without an edit.
 */
const TRANSITIONS = {
  menu({ stock }: StoredCatalog, consider: Consider) {
    for (const until of stock.soldOut.values()) consider(until);
  },
  promotions({ catalog }: StoredCatalog, consider: Consider) {
    for (const { schedule } of catalog.objects.promotion) {
      consider(schedule.startsAt);
      consider(schedule.endsAt);
    }
  },
  events({ catalog }: StoredCatalog, consider: Consider) {
    for (const { endsAt, ticketTypes } of catalog.objects.public_event) {
      consider(endsAt);
      for (const { salesStartAt, salesEndAt } of ticketTypes) {
        consider(salesStartAt);
        consider(salesEndAt);
      }
    }
  },
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
  // `others` stands for the objects that are not loaded.
  let next = stored.others?.nextTransitionAt ?? null;
  const consider: Consider = (instant) => {
    if (instant !== null && instant > after && (next === null || instant < next)) next = instant;
  };
  for (const list of lists) TRANSITIONS[list](stored, consider);
  return next;
}

/**
 * The parts of an object that other objects embed or list, or with which other objects must agree
 * in a valid catalog. `affectsOthers` adds the keys and the visibility of the object.
 */
const SHARED: { [K in Kind]?: (doc: DocOf[K]) => unknown } = {
  addon: (doc) => doc,
  modifier_group: (doc) => doc,
  // The public form of a staff member lists services, although no field of the document names them.
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
