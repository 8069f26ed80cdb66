import { lazy, memoized } from "../../../domain/lazy.ts";
import type { CatalogView } from "../../../app/catalog/catalog-view.ts";
import type { DocOf, Kind } from "../../../domain/catalog/catalog.ts";
import type { Weekday, WeeklyWindow } from "../../../domain/catalog/common.ts";
import type { MenuCategoryDoc, MenuItemDoc } from "../../../domain/catalog/menu.ts";
import { minutesOf } from "../../../domain/local-time.ts";
import { toPublicProfile } from "../../../domain/public/profile.ts";
import type { ListedObject } from "../../../domain/public/public-context.ts";
import { statusAt } from "../../../domain/public/public-event.ts";
import type { ListName, TimedList } from "../../../domain/public/public-catalog.ts";
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
  /** The lists of the public catalog that the response shows. */
  lists: readonly ListName[];
  parameters: () => P;
  /**
   * The list in the response that can change merely because time passes; absent if there is none.
   */
  timed?: TimedList;
  /** Returns the instant that a request asks for (epoch ms); undefined for now. */
  asOf?: (parameters: ParametersOf<P>, timezone: string) => number | undefined;
  /** Set if the response shows sold-out marks or available tickets. */
  showsStock?: boolean;
  /**
   * Set if the response can change without a new catalog version, for example because it shows the
   * available tickets.
   */
  hashesBody?: boolean;
  select: (view: CatalogView, parameters: ParametersOf<P>) => Selection;
};

/** Which visible objects of a kind a response has, and in what form. */
export type ListSelection<K extends Kind> = {
  kind: K;
  matches?: (doc: DocOf[K]) => boolean;
  toPublic: (doc: DocOf[K]) => ListedObject;
  toData?: (page: ListedObject[]) => unknown;
};

export type Selection =
  | { [K in Kind]: ListSelection<K> }[Kind]
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
 * Returns a route in the type that all lists share. The parameter's type makes sure that `select`
 * fits the parameters of its route, so the cast is safe.
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
  select({ context, forms }, parameters) {
    const { categoryId, staffId, bookable, includeVariants, includeAddons } = parameters;
    /**
     * Returns the key of the object that a filter names by its ID: undefined without a filter, and
     * null for an object that partners cannot see.
     */
    const keyOf = (kind: Kind, id: string | undefined) =>
      id === undefined ? undefined : (context.findVisibleById(kind, id)?.key ?? null);
    const categoryKey = keyOf("service_category", categoryId);
    const staffKey = keyOf("staff", staffId);
    // Arrays that are not asked for are omitted: an empty one would tell a partner to delete its
    // copies.
    const omitted = [
      ...(includeVariants ? [] : ["variants"]),
      ...(includeAddons ? [] : ["addonLinks"]),
    ];
    return {
      kind: "service",
      matches: (service) =>
        (categoryKey === undefined || (categoryKey !== null && service.category === categoryKey)) &&
        (staffKey === undefined || (staffKey !== null && service.staff.includes(staffKey))) &&
        (bookable === undefined || service.bookable === bookable),
      toPublic: (service) => omitFields(forms.services(service), omitted),
    };
  },
});

export const serviceCategoriesList = defineList({
  path: "service-categories",
  lists: ["serviceCategories"],
  parameters: commonParameters,
  select: ({ forms }) => ({ kind: "service_category", toPublic: forms.serviceCategories }),
});

export const staffList = defineList({
  path: "staff",
  lists: ["staff"],
  parameters: commonParameters,
  select: ({ forms }) => ({ kind: "staff", toPublic: forms.staff }),
});

export const menuList = defineList({
  path: "menu",
  lists: ["menuCategories", "menuItems", "modifierGroups"],
  timed: "menu",
  showsStock: true,
  parameters: () => ({
    at: instant().describe(
      "Only items and categories that are served at this time; a category is served if its parents are",
    ),
    ...commonParameters(),
  }),
  select({ business, context, forms, select }, { at, ids }) {
    const servedAt = at?.resolve(business.doc.timezone);
    const isServed = ({ availability }: { availability: WeeklyWindow[] | null }) =>
      servedAt === undefined || isServedAt(availability, servedAt, business.doc.timezone);
    const isOpenByKey = memoized((key: string): boolean => {
      const category = context.findVisible("menu_category", key);
      // A category whose parent is missing or hidden from partners stands on its own.
      return category === undefined || isOpen(category);
    });
    const isOpen = (category: MenuCategoryDoc): boolean =>
      isServed(category) && (category.parent === null || isOpenByKey(category.parent));
    const isOffered = (item: MenuItemDoc): boolean => {
      const categories = item.categories.filter((key) => context.findVisible("menu_category", key));
      return isServed(item) && (categories.length === 0 || categories.some(isOpenByKey));
    };
    return {
      kind: "menu_item",
      ...(servedAt !== undefined && { matches: isOffered }),
      toPublic: forms.menuItems,
      toData: (items) => ({
        categories: select("menu_category", { matches: isOpen, ids }).docs.map(
          forms.menuCategories,
        ),
        items,
        modifierGroups: select("modifier_group", { ids }).docs.map(forms.modifierGroups),
      }),
    };
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
  select({ context: { now }, forms }, { includeUpcoming }) {
    return {
      kind: "promotion",
      matches: ({ schedule: { startsAt, endsAt } }) => {
        // Times in a response are whole seconds. A promotion that starts later in the current
        // second would be shown with a start that is not after `now`, so it is not listed as
        // upcoming.
        if (startsAt !== null && startsAt > now)
          return includeUpcoming === true && floorToSecond(startsAt) > now;
        return endsAt === null || now < endsAt;
      },
      toPublic: forms.promotions,
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
  showsStock: true,
  hashesBody: true,
  select({ business, context: { now }, forms }, parameters) {
    const from = parameters.from?.resolve(business.doc.timezone) ?? -Infinity;
    const to = parameters.to?.resolve(business.doc.timezone) ?? Infinity;
    if (to < from)
      throw parametersError([
        { parameter: "to", code: "before_from", detail: "'to' must not be before 'from'." },
      ]);
    return {
      kind: "public_event",
      matches: (event) => {
        const endsAt = floorToSecond(event.endsAt);
        if (endsAt <= from || floorToSecond(event.startsAt) >= to) return false;
        const status = statusAt(event, now);
        if (status === "PUBLISHED") return true;
        if (status === "ENDED") return parameters.includePast === true;
        // Partners may show a cancelled or postponed event until its end.
        return parameters.includeCancelled === true && endsAt > now;
      },
      toPublic: forms.events,
    };
  },
});

export const profile = defineList({
  path: "",
  lists: [],
  parameters: () => ({ locale: locale() }),
  select: ({ stored }) => ({ object: toPublicProfile(stored) }),
});

/** Rounds down to a second, because the text of an instant in a response has no fractions. */
const floorToSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

const omitFields = <T extends object>(object: T, names: readonly string[]): T =>
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
    const covers = (minutes: number) => minutesOf(start) <= minutes && minutes < minutesOf(end);
    return (
      (days.includes(today) && covers(minute)) ||
      (days.includes(yesterday) && covers(minute + DAY_MIN))
    );
  });
}
