import type { DocOf, Kind } from "../catalog/catalog.ts";
import { createPublicContext, type StoredCatalog } from "./public-context.ts";
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
} from "./service.ts";
import { type PublicStaff, toPublicStaff } from "./staff.ts";

/**
 * What partners see: every public object whole (all includes), each list in its order. The same objects answer a GET and
 * stand in `data.object` of an event.
 */
export type PublicCatalog = {
  services: PublicService[];
  serviceCategories: PublicServiceCategory[];
  addons: PublicAddon[];
  staff: PublicStaff[];
  menuCategories: PublicMenuCategory[];
  menuItems: PublicMenuItem[];
  modifierGroups: PublicModifierGroup[];
  /** Also those that have not begun or are over: `active` tells. */
  promotions: PublicPromotion[];
  /** Also those that are over or cancelled: `status` tells. */
  events: PublicEvent[];
};

export type ListName = keyof PublicCatalog;

/** Each list with the kinds of document that it shows or refers to: nothing else changes it but the business and the clock. */
const SHOWN_IN: Record<ListName, Kind[]> = {
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

export const ALL_LISTS = Object.keys(SHOWN_IN) as ListName[];

/** The lists in which a change of documents of these kinds can be seen. */
export const listsAffectedBy = (kinds: ReadonlySet<Kind>): ListName[] =>
  ALL_LISTS.filter((list) => SHOWN_IN[list].some((kind) => kinds.has(kind)));

/** @param lists the ones that are wanted; the others are left empty */
export function toPublicCatalog(
  stored: StoredCatalog,
  now: number,
  lists: readonly ListName[] = ALL_LISTS,
): PublicCatalog {
  const lens = createPublicContext(stored, now);
  const wanted = new Set(lists);
  const show = <K extends Kind, T>(
    list: ListName,
    kind: K,
    represent: (doc: DocOf[K], i: number) => T,
  ): T[] => (wanted.has(list) ? lens.visible(kind).map(represent) : []);

  const isAddonWanted = wanted.has("addons") || wanted.has("services");
  const addons = new Map(
    (isAddonWanted ? lens.visible("addon") : []).map((doc) => [doc.key, toPublicAddon(doc, lens)]),
  );
  return {
    services: show("services", "service", (doc, i) => toPublicService(doc, i, addons, lens)),
    serviceCategories: show("serviceCategories", "service_category", (doc, i) =>
      toPublicServiceCategory(doc, i, lens),
    ),
    addons: wanted.has("addons") ? [...addons.values()] : [],
    staff: show("staff", "staff", (doc, i) => toPublicStaff(doc, i, lens)),
    menuCategories: show("menuCategories", "menu_category", (doc, i) =>
      toPublicMenuCategory(doc, i, lens),
    ),
    menuItems: show("menuItems", "menu_item", (doc, i) => toPublicMenuItem(doc, i, lens)),
    modifierGroups: show("modifierGroups", "modifier_group", (doc, i) =>
      toPublicModifierGroup(doc, i, lens),
    ),
    promotions: show("promotions", "promotion", (doc, i) => toPublicPromotion(doc, i, lens)),
    events: show("events", "public_event", (doc, i) => toPublicEvent(doc, i, lens)),
  };
}

/** The lists that change by the clock alone, with the instants at which they do. */
const TRANSITIONS = {
  menu: ({ stock: day }: StoredCatalog) => [...day.soldOut.values()],
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
 * The next instant after `after` at which one of the lists differs by the clock alone, or null. Weekly windows of dishes
 * and promotions do not count: they are served as rules, not as states.
 */
export function nextTransition(
  stored: StoredCatalog,
  after: number,
  lists = TIMED_LISTS,
): number | null {
  let next: number | null = null;
  for (const instant of lists.flatMap((list) => TRANSITIONS[list](stored)))
    if (instant !== null && instant > after && (next === null || instant < next)) next = instant;
  return next;
}
