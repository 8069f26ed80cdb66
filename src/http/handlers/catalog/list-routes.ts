import { lazy } from "../../../domain/lazy.ts";
import type { Weekday, WeeklyWindow } from "../../../domain/catalog/common.ts";
import { minutesOf } from "../../../domain/local-time.ts";
import { toPublicProfile } from "../../../domain/public/profile.ts";
import type { ListedObject, StoredCatalog } from "../../../domain/public/public-context.ts";
import type { PublicPromotion } from "../../../domain/public/promotion.ts";
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import type { ListName, PublicCatalog, TimedList } from "../../../domain/public/public-catalog.ts";
import type { PublicService } from "../../../domain/public/service.ts";
import {
  cursor,
  flag,
  ids,
  instant,
  locale,
  pageSize,
  type Parameters,
  type ParametersOf,
  parametersError,
  text,
} from "../../pipeline/parameters.ts";

const DAYS: Weekday[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_MIN = 1440;

/** The route of one of the six catalog lists, or of the business itself. */
export type ListRoute<P extends Parameters = Parameters> = {
  path: string;
  /** The lists of the public catalog that `select` reads. */
  lists: readonly ListName[];
  parameters: () => P;
  timed?: TimedList;
  /** Returns the instant that a request asks for (epoch ms); undefined for now. */
  asOf?: (parameters: ParametersOf<P>, timezone: string) => number | undefined;
  /** Set if the response can change without a new catalog version, as available tickets do. */
  hashesBody?: boolean;
  select: (catalog: PublicCatalog, parameters: ParametersOf<P>, context: ListContext) => Selection;
};

export type ListContext = { now: number; timezone: string; stored: StoredCatalog };

export type Selection =
  | { objects: ListedObject[]; toData?: (page: ListedObject[]) => unknown }
  /** A single object instead of a list. */
  | { object: object };

const commonParameters = () => ({
  ids: ids().describe(
    "Only the objects with these IDs; an ID that the list does not have is ignored",
  ),
  limit: pageSize(),
  cursor: cursor(),
  locale: locale(),
  includeTranslations: flag().describe("Include the texts in every language"),
});

/**
 * Returns a route in the type that all lists share, after its `select` was checked against its own
 * parameters.
 */
const defineList = <P extends Pick<ReturnType<typeof commonParameters>, "locale"> & Parameters>(
  route: ListRoute<P>,
): ListRoute => ({ ...route, parameters: lazy(route.parameters) }) as unknown as ListRoute;

export const servicesList = defineList({
  path: "services",
  lists: ["services"],
  parameters: () => ({
    categoryId: text().describe("Filter by category"),
    staffId: text().describe("Filter by staff member"),
    bookable: flag().describe("Filter by whether the service can be booked"),
    includeVariants: flag().describe("Include the variants of each service"),
    includeAddons: flag().describe("Include the add-ons of each service"),
    ...commonParameters(),
  }),
  select({ services }, parameters) {
    const { categoryId, staffId, bookable, includeVariants, includeAddons } = parameters;
    const matches = (service: PublicService) =>
      (categoryId === undefined || service.categoryId === categoryId) &&
      (staffId === undefined || service.staffIds.includes(staffId)) &&
      (bookable === undefined || service.bookable === bookable);
    // The fields are omitted: an empty list would tell a partner to delete its copies.
    const hidden = [
      ...(includeVariants ? [] : ["variants"]),
      ...(includeAddons ? [] : ["addonLinks"]),
    ];
    return { objects: services.filter(matches).map((service) => without(service, hidden)) };
  },
});

export const serviceCategoriesList = defineList({
  path: "service-categories",
  lists: ["serviceCategories"],
  parameters: commonParameters,
  select: ({ serviceCategories }) => ({ objects: serviceCategories }),
});

export const staffList = defineList({
  path: "staff",
  lists: ["staff"],
  parameters: commonParameters,
  select: ({ staff }) => ({ objects: staff }),
});

export const menuList = defineList({
  path: "menu",
  lists: ["menuCategories", "menuItems", "modifierGroups"],
  timed: "menu",
  parameters: () => ({
    at: instant().describe(
      "Only items and categories that are served at this time; a category is served if its parents are",
    ),
    ...commonParameters(),
  }),
  select({ menuCategories, menuItems, modifierGroups }, { at, ids }, { timezone }) {
    const toData = (categories: typeof menuCategories) => (items: ListedObject[]) => ({
      categories: withIds(categories, ids),
      items,
      modifierGroups: withIds(modifierGroups, ids),
    });
    if (!at) return { objects: menuItems, toData: toData(menuCategories) };
    const instant = at.resolve(timezone);
    const open = new Map(
      menuCategories
        .filter(({ availability }) => isServedAt(availability, instant, timezone))
        .map((category) => [category.id, category]),
    );
    // The parent is null if partners never see it.
    const isOpen = (id: string | null): boolean => {
      const category = id === null ? undefined : open.get(id);
      return id === null || (category !== undefined && isOpen(category.parentId));
    };
    const categories = menuCategories.filter(({ id }) => isOpen(id));
    const servedCategories = new Set(categories.map(({ id }) => id));
    const isServed = (item: (typeof menuItems)[number]) =>
      isServedAt(item.availability, instant, timezone) &&
      (item.categoryIds.length === 0 || item.categoryIds.some((id) => servedCategories.has(id)));
    return { objects: menuItems.filter(isServed), toData: toData(categories) };
  },
});

export const promotionsList = defineList({
  path: "promotions",
  lists: ["promotions"],
  parameters: () => ({
    at: instant().describe("Promotions as of this time; now by default"),
    includeUpcoming: flag().describe("Include promotions that have not started"),
    ...commonParameters(),
  }),
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

export const eventsList = defineList({
  path: "events/catalog",
  lists: ["events"],
  parameters: () => ({
    from: instant().describe("Only events that end after this time"),
    to: instant().describe("Only events that start before this time"),
    includeCancelled: flag().describe("Include cancelled and postponed events until their end"),
    includePast: flag().describe("Include events that are over"),
    ...commonParameters(),
  }),
  timed: "events",
  hashesBody: true,
  select({ events }, parameters, { now, timezone }) {
    const from = parameters.from?.resolve(timezone) ?? -Infinity;
    const to = parameters.to?.resolve(timezone) ?? Infinity;
    if (to < from)
      throw parametersError([
        { parameter: "to", code: "before_from", detail: "'to' must not be before 'from'." },
      ]);
    const matches = (event: PublicEvent) => {
      const endsAt = Date.parse(event.endsAt);
      if (endsAt <= from || Date.parse(event.startsAt) >= to) return false;
      if (event.status === "PUBLISHED") return true;
      if (event.status === "ENDED") return parameters.includePast === true;
      // Partners may show a cancelled or postponed event until its end.
      return parameters.includeCancelled === true && endsAt > now;
    };
    return { objects: events.filter(matches) };
  },
});

export const profile = defineList({
  path: "",
  lists: [],
  parameters: () => ({ locale: locale() }),
  select: (_catalog, _parameters, { stored }) => ({ object: toPublicProfile(stored) }),
});

/**
 * Returns the objects with the given IDs.
 * @param ids undefined for every object
 */
export function withIds<T extends { id: string }>(
  objects: readonly T[],
  ids: readonly string[] | undefined,
): readonly T[] {
  if (ids === undefined) return objects;
  const wanted = new Set(ids);
  return objects.filter(({ id }) => wanted.has(id));
}

const without = <T extends object>(object: T, names: readonly string[]): T =>
  names.length === 0
    ? object
    : (Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T);

/**
 * Returns whether an instant (epoch milliseconds) is within weekly windows of local time. A window
 * may end after midnight (`end` up to 48:00). Null windows include every instant.
 */
function isServedAt(
  windows: readonly WeeklyWindow[] | null,
  instant: number,
  timezone: string,
): boolean {
  if (windows === null) return true;
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone);
  const minute = local.hour * 60 + local.minute;
  const today = DAYS[local.dayOfWeek - 1] as Weekday;
  const yesterday = DAYS[(local.dayOfWeek + 5) % 7] as Weekday;
  return windows.some(({ days, start, end }) => {
    const covers = (at: number) => minutesOf(start) <= at && at < minutesOf(end);
    return (
      (days.includes(today) && covers(minute)) ||
      (days.includes(yesterday) && covers(minute + DAY_MIN))
    );
  });
}
