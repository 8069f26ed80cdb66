import { createLens, type StoredCatalog } from "./lens.ts";
import { type PublicMenuCategory, type PublicMenuItem, type PublicModifierGroup, representMenu } from "./menu.ts";
import { type PublicPromotion, representPromotion } from "./promotion.ts";
import { type PublicEvent, representPublicEvent } from "./public-event.ts";
import {
  type PublicAddon,
  type PublicService,
  type PublicServiceCategory,
  representAddon,
  representService,
  representServiceCategory,
} from "./service.ts";
import { type PublicStaff, representStaff } from "./staff.ts";

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

export function representCatalog(stored: StoredCatalog, now: number): PublicCatalog {
  const lens = createLens(stored, now);
  const addons = new Map(lens.visible("addon").map((doc) => [doc.key, representAddon(doc, lens)]));
  return {
    services: lens.visible("service").map((doc, i) => representService(doc, i, addons, lens)),
    serviceCategories: lens.visible("service_category").map((doc, i) => representServiceCategory(doc, i, lens)),
    addons: [...addons.values()],
    staff: lens.visible("staff").map((doc, i) => representStaff(doc, i, lens)),
    ...representMenu(lens),
    promotions: lens.visible("promotion").map((doc, i) => representPromotion(doc, i, lens)),
    events: lens.visible("public_event").map((doc, i) => representPublicEvent(doc, i, lens)),
  };
}

/** The lists that change by the clock alone, with the instants at which they do. */
const TRANSITIONS = {
  menu: ({ day }: StoredCatalog) => [...day.soldOut.values()],
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
export function nextTransition(stored: StoredCatalog, after: number, lists = TIMED_LISTS): number | null {
  let next: number | null = null;
  for (const instant of lists.flatMap((list) => TRANSITIONS[list](stored)))
    if (instant !== null && instant > after && (next === null || instant < next)) next = instant;
  return next;
}
