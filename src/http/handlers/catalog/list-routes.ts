import type { ListedObject } from "../../../domain/public/public-context.ts";
import type { PublicPromotion } from "../../../domain/public/promotion.ts";
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import type { PublicCatalog, TimedList } from "../../../domain/public/public-catalog.ts";
import type { PublicService } from "../../../domain/public/service.ts";
import {
  cursor,
  flag,
  instant,
  list,
  locale,
  pageSize,
  type Parameters,
  type ParametersOf,
  parametersError,
  text,
} from "../../pipeline/parameters.ts";
import { isServedAt } from "./serving-times.ts";

/** One of the six read-only lists: what it can be asked, and what of the public catalog answers. */
export type ListRoute<P extends Parameters = Parameters> = {
  /** Last part of its path. */
  path: string;
  parameters: P;
  /** It holds something that changes by the clock alone. */
  timed?: TimedList;
  /** When it is asked as of another moment than now. */
  asOf?: (asked: ParametersOf<P>, timezone: string) => number | undefined;
  /** What places are left counts with every sale, which is no change of the catalog: its ETag hashes the body. */
  hashesBody?: boolean;
  select: (catalog: PublicCatalog, asked: ParametersOf<P>, context: ListContext) => Selection;
};

export type ListContext = { now: number; timezone: string };

/** The objects that are paged, and how a page of them becomes `data`. */
export type Selection = { objects: ListedObject[]; toData?: (page: ListedObject[]) => unknown };

const COMMON = {
  limit: pageSize,
  cursor,
  locale,
  includeTranslations: flag.describe("Include the texts in every language"),
};

/** Keeps what types know of one view's parameters within it: outside, views are alike. */
const defineView = <P extends typeof COMMON & Parameters>(view: ListRoute<P>): ListRoute =>
  view as unknown as ListRoute;

export const servicesList = defineView({
  path: "services",
  parameters: {
    ids: list.describe("Filter by ID"),
    categoryId: text.describe("Filter by category"),
    staffId: text.describe("Filter by staff member"),
    bookable: flag.describe("Filter by whether the service can be booked"),
    includeVariants: flag.describe("Include the variants of each service"),
    includeAddons: flag.describe("Include the add-ons of each service"),
    ...COMMON,
  },
  select({ services }, asked) {
    const isWanted = (service: PublicService) =>
      (asked.ids === undefined || asked.ids.includes(service.id)) &&
      (asked.categoryId === undefined || service.categoryId === asked.categoryId) &&
      (asked.staffId === undefined || service.staffIds.includes(asked.staffId)) &&
      (asked.bookable === undefined || service.bookable === asked.bookable);
    // Absent, not empty: a partner that forgets to ask must not delete what it has.
    const hidden = [
      ...(asked.includeVariants ? [] : ["variants"]),
      ...(asked.includeAddons ? [] : ["addonLinks"]),
    ];
    return { objects: services.filter(isWanted).map((service) => without(service, hidden)) };
  },
});

export const serviceCategoriesList = defineView({
  path: "service-categories",
  parameters: COMMON,
  select: ({ serviceCategories }) => ({ objects: serviceCategories }),
});

export const staffList = defineView({
  path: "staff",
  parameters: COMMON,
  select: ({ staff }) => ({ objects: staff }),
});

export const menuList = defineView({
  path: "menu",
  timed: "menu",
  parameters: {
    at: instant.describe("Only items and categories that are served at this time"),
    ...COMMON,
  },
  select({ menuCategories, menuItems, modifierGroups }, { at }, { timezone }) {
    const toData = (categories: typeof menuCategories) => (items: ListedObject[]) => ({
      categories,
      items,
      modifierGroups,
    });
    if (!at) return { objects: menuItems, toData: toData(menuCategories) };
    const moment = at.resolve(timezone);
    const categories = menuCategories.filter(({ availability }) =>
      isServedAt(availability, moment, timezone),
    );
    const open = new Set(categories.map(({ id }) => id));
    const isServed = (item: (typeof menuItems)[number]) =>
      isServedAt(item.availability, moment, timezone) &&
      (item.categoryIds.length === 0 || item.categoryIds.some((id) => open.has(id)));
    return { objects: menuItems.filter(isServed), toData: toData(categories) };
  },
});

export const promotionsList = defineView({
  path: "promotions",
  parameters: {
    at: instant.describe("Promotions as of this time; now by default"),
    includeUpcoming: flag.describe("Include promotions that have not started"),
    ...COMMON,
  },
  timed: "promotions",
  asOf: ({ at }, timezone) => at?.resolve(timezone),
  select({ promotions }, { includeUpcoming }, { now }) {
    const isUpcoming = ({ schedule }: PublicPromotion) =>
      schedule.startsAt !== null && Date.parse(schedule.startsAt) > now;
    return {
      objects: promotions.filter(
        (promotion) => promotion.active || (includeUpcoming && isUpcoming(promotion)),
      ),
    };
  },
});

export const eventsList = defineView({
  path: "events/catalog",
  parameters: {
    from: instant.describe("Only events that end after this time"),
    to: instant.describe("Only events that start before this time"),
    includeCancelled: flag.describe("Include cancelled and postponed events until their end"),
    includePast: flag.describe("Include events that are over"),
    ...COMMON,
  },
  timed: "events",
  hashesBody: true,
  select({ events }, asked, { now, timezone }) {
    const from = asked.from?.resolve(timezone) ?? -Infinity;
    const to = asked.to?.resolve(timezone) ?? Infinity;
    if (to < from)
      throw parametersError([
        { parameter: "to", code: "before_from", detail: "'to' must not be before 'from'." },
      ]);
    const isWanted = (event: PublicEvent) => {
      const endsAt = Date.parse(event.endsAt);
      if (endsAt <= from || Date.parse(event.startsAt) >= to) return false;
      if (event.status === "PUBLISHED") return true;
      if (event.status === "ENDED") return asked.includePast === true;
      // A partner may still have it on its page until the day has passed.
      return asked.includeCancelled === true && endsAt > now;
    };
    return { objects: events.filter(isWanted) };
  },
});

const without = <T extends object>(object: T, names: readonly string[]): T =>
  names.length === 0
    ? object
    : (Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T);
