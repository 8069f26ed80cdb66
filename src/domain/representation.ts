import type { Catalog } from "./catalog.ts";
import { createLens, type Mark } from "./lens.ts";
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

export function representCatalog(catalog: Catalog, mark: (objectId: string) => Mark, now: number): PublicCatalog {
  const lens = createLens(catalog, mark, now);
  const addons = new Map(lens.visible("addon").map((doc, i) => [doc.key, representAddon(doc, i, lens)]));
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

/**
 * The next instant after `after` at which some answer differs by the clock alone, or null. Weekly windows of dishes and
 * promotions do not count: they are served as rules, not as states.
 */
export function nextTransition(catalog: Catalog, after: number): number | null {
  const instants = [
    ...catalog.objects.promotion.flatMap(({ schedule }) => [schedule.startsAt, schedule.endsAt]),
    ...catalog.objects.public_event.flatMap((event) => [
      event.endsAt,
      ...event.ticketTypes.flatMap((type) => [type.salesStartAt, type.salesEndAt]),
    ]),
  ];
  let next: number | null = null;
  for (const instant of instants)
    if (instant !== null && instant > after && (next === null || instant < next)) next = instant;
  return next;
}
