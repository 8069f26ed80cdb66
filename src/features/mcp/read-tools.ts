import { z } from "zod";
import { hasBookableTable } from "../../app/catalog/bookable-tables.ts";
import { hoursOn } from "../../domain/availability/open-hours.ts";
import { parseDateRange } from "../../domain/availability/request.ts";
import type { ScheduleDoc } from "../../domain/catalog/catalog.ts";
import type { LocalDate } from "../../domain/catalog/common.ts";
import { lazy } from "../../domain/lazy.ts";
import { addDays, localDateOf } from "../../domain/local-time.ts";
import { ALL_LISTS } from "../../domain/public/public-catalog.ts";
import { toPublicProfile } from "../../domain/public/profile.ts";
import { localise } from "../../domain/public/public-context.ts";
import { availabilityParameters } from "../../http/handlers/availability/availability-parameters.ts";
import { chooseLocale } from "../../http/handlers/catalog/choose-locale.ts";
import {
  cursor,
  instant,
  integer,
  locale,
  oneOf,
  parametersError,
  text,
} from "../../http/pipeline/parameters.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { type Caller, chooseBusiness, readCatalog } from "./caller.ts";
import { fitObject, ResultPage } from "./fit.ts";
import { toBusiness, weekdayOf } from "./forms.ts";
import { searchCatalog, searchEvents, SEARCH_KINDS, type Found } from "./search.ts";
import { createPublishedStore, type PublishedBusiness } from "./store.ts";
import { describeParameters, parseArguments, type Tool } from "./tool.ts";

// The tools that read a catalog.

const MAX_RESULTS = 50;
const DEFAULT_RESULTS = 20;
const MAX_SUGGESTED_EVENTS = 5;
const limitParameter = () =>
  integer(1, MAX_RESULTS).describe(
    `Maximum number of results, ${DEFAULT_RESULTS} by default; a page can have fewer, because results are kept small`,
  );
const cursorParameter = () => cursor().describe("`page.nextCursor` of the previous result");

const toPage = ({ objects, nextCursor }: Found) => ({
  data: objects,
  page: { hasMore: nextCursor !== null, nextCursor },
});

const findParameters = lazy(() => ({
  query: text().describe(
    "Words in the name, the kind, the description or the address; left out: all businesses",
  ),
  cursor: cursorParameter(),
}));

export const findBusiness: Tool = {
  name: "find_business",
  title: "Find a business",
  description:
    "Find the businesses of this server that everybody may read, and that of the API key. Returns their slugs, which the other tools need as `business`.",
  isForServer: true,
  describeArguments: () => ({ properties: describeParameters(findParameters()) }),
  call(caller, args) {
    // The cursor of this tool is the slug of the last business on the page before.
    const { query = "", cursor: lastSlug = "" } = parseArguments(findParameters(), args);
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const page = new ResultPage(MAX_RESULTS);
    let nextCursor: string | null = null;
    for (const business of readFindable(caller, lastSlug)) {
      const texts = Object.values(business).join(" ").toLowerCase();
      if (!words.every((word) => texts.includes(word))) continue;
      if (!page.add(business)) {
        nextCursor = String(page.objects.at(-1)?.["slug"]);
        break;
      }
    }
    return Promise.resolve(toPage({ objects: page.objects, nextCursor }));
  },
};

/**
 * Reads the businesses that a caller can find, in the order of their slugs, after a slug. The
 * business of the key need not be published.
 */
function* readFindable({ rt, key }: Caller, lastSlug: string): Generator<PublishedBusiness> {
  const own = key && rt.store.businesses.findById(key.businessId);
  let unpublished =
    own && own.slug > lastSlug && !own.doc.publicPage.enabled ? toFindable(own) : undefined;
  for (const business of rt.openStore(createPublishedStore).readAfter(lastSlug)) {
    if (unpublished && unpublished.slug < business.slug) {
      yield unpublished;
      unpublished = undefined;
    }
    yield business;
  }
  if (unpublished) yield unpublished;
}

const toFindable = ({ slug, doc }: BusinessRow): PublishedBusiness => ({
  slug,
  name: doc.name,
  type: doc.type,
  description: doc.description,
  address: doc.address,
  timezone: doc.timezone,
});

const MAX_DAYS = 31;

const businessParameters = lazy(() => {
  const { date, from, to } = availabilityParameters();
  return {
    date: date.describe(
      "The only day whose opening hours are asked for, such as a holiday; for several days, send `from` and `to`",
    ),
    from: from.describe("First day of the opening hours, today by default"),
    to: to.describe(
      `Last day of the opening hours, at most ${MAX_DAYS} days in total, 7 by default`,
    ),
    locale: locale(),
  };
});

export const getBusiness: Tool = {
  name: "get_business",
  title: "Get a business",
  description:
    "Get the address, the contact details, the booking rules and the opening hours of a business. `days` has the hours of each day asked for, with closures, holidays and exceptions already applied; `isOpen: false` without `closedFor` is a regular day off, or a day that the business closes without a reason. Staff members can work at other hours, too: find_times has the times of visits. Guests can change or cancel until `bookingPolicy.cancelUntilMin` minutes before the start. `counts` says what search_catalog and list_events can find.",
  describeArguments: () => ({ properties: describeParameters(businessParameters()) }),
  call(caller, args) {
    const { business, ...rest } = args;
    const slug = chooseBusiness(caller, business);
    const values = parseArguments(businessParameters(), rest);
    return readCatalog(caller, slug, ALL_LISTS, (view) => {
      const { doc, schedule } = view.business;
      const today = localDateOf(caller.context.now, doc.timezone);
      const { range, issues } = parseDateRange(values, today);
      if (range && addDays(range.from, MAX_DAYS) <= range.to)
        issues.push({
          parameter: "to",
          code: "range_too_large",
          detail: `'to' must be at most ${MAX_DAYS - 1} days after 'from'.`,
        });
      if (range === undefined || issues.length > 0) throw parametersError(issues);
      // The fields that are renamed to names with an underscore are left out of the result, because
      // they are for websites.
      const {
        openingHours,
        id: _id,
        geo: _geo,
        legal: _legal,
        guestRetentionDays: _days,
        publicPage: _page,
        ...profile
      } = localise(toPublicProfile(view.stored), chooseLocale(values.locale, doc));
      const count = (kind: "service" | "menu_item" | "staff" | "promotion" | "public_event") =>
        view.context.visible(kind).length;
      return {
        data: fitObject({
          ...profile,
          today: `${weekdayOf(today)} ${today}`,
          regularHours: openingHours.regular,
          days: listDays(schedule, doc.timezone, range.from, range.to),
          counts: {
            services: count("service"),
            dishes: count("menu_item"),
            staff: count("staff"),
            promotions: count("promotion"),
            events: count("public_event"),
          },
          takesTableReservations: hasBookableTable(caller.rt, view.business.id),
        }),
      };
    });
  },
};

const HOUR_MIN = 60;
const toTime = (minute: number): string =>
  [Math.floor(minute / HOUR_MIN), minute % HOUR_MIN]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");

/**
 * Returns the opening hours of each day from `from` to `to`. A time after 24:00 is on the next day.
 */
function listDays(schedule: ScheduleDoc, timezone: string, from: LocalDate, to: LocalDate) {
  const days = [];
  for (let date = from; date <= to; date = addDays(date, 1)) {
    // A `yearly` closure has a month and a day, such as 12-25.
    const closure = schedule.closures.find((one) =>
      "yearly" in one ? one.yearly === date.slice(5) : one.from <= date && date <= one.to,
    );
    const open = hoursOn(schedule, timezone, date).map(
      ({ start, end }) => `${toTime(start)}-${toTime(end)}`,
    );
    days.push({
      date,
      weekday: weekdayOf(date),
      open,
      isOpen: open.length > 0,
      closedFor: closure?.name ?? null,
    });
  }
  return days;
}

const searchParameters = lazy(() => ({
  query: text().describe(
    "Words that the name, description, tags or category must all have, such as `cut`; leave it out to list everything",
  ),
  kind: oneOf(SEARCH_KINDS).describe(
    "Only objects of this kind; `dish` has dishes and drinks; all kinds by default",
  ),
  dietary: text().describe("Only dishes with this label, such as vegan"),
  maxPriceCents: z
    .string()
    .regex(/^\d{1,9}$/, { error: "must be a whole number from 0 to 999999999." })
    .transform(Number)
    .meta({ inputSchema: { type: "integer", minimum: 0, maximum: 999_999_999 } })
    .describe(
      "Only services and dishes up to this price, in the smallest unit of the currency: 1500 is CHF 15.00, or JPY 1500",
    ),
  limit: limitParameter(),
  cursor: cursorParameter(),
  locale: locale(),
}));

export const searchTool: Tool = {
  name: "search_catalog",
  title: "Search the catalog",
  description:
    "Search the services, dishes, drinks, staff and promotions of a business, with their prices and IDs. A dish says whether it is sold out, its dietary labels, and the allergens that the business has stated; a service has its variants, its add-ons and the IDs of the staff who perform it, which a variant can replace with its own. No result: try one word, another word for the same, or no `query`.",
  describeArguments: () => ({ properties: describeParameters(searchParameters()) }),
  call(caller, args) {
    const { business, ...rest } = args;
    const slug = chooseBusiness(caller, business);
    const values = parseArguments(searchParameters(), rest);
    const search = {
      words: values.query ?? "",
      kinds: values.kind === undefined ? SEARCH_KINDS : [values.kind],
      dietary: values.dietary,
      maxPriceCents: values.maxPriceCents,
      limit: values.limit ?? DEFAULT_RESULTS,
      cursor: values.cursor,
    };
    return readCatalog(caller, slug, ALL_LISTS, (view) => {
      const locale = chooseLocale(values.locale, view.business.doc);
      const found = searchCatalog(view, { ...search, locale });
      const hasNoMatch = found.objects.length === 0 && search.words !== "" && !search.cursor;
      return {
        business: toBusiness(view.business, caller.context.now),
        ...toPage(found),
        ...(hasNoMatch && {
          noMatch: "Nothing has all of these words. `suggestions` has what there is instead.",
          suggestions: searchCatalog(view, {
            ...search,
            words: "",
            limit: MAX_RESULTS,
            locale,
            isBrief: true,
          }).objects,
        }),
      };
    });
  },
};

const eventParameters = lazy(() => ({
  query: text().describe("Words that the name or the description must all have"),
  from: instant().describe("Only events that end after this time; now by default"),
  to: instant().describe("Only events that start before this time"),
  limit: limitParameter(),
  cursor: cursorParameter(),
  locale: locale(),
}));

export const listEvents: Tool = {
  name: "list_events",
  title: "List events",
  description:
    "List the coming public events of a business, such as concerts and dinners, by start, with the ticket types, their prices and what is left. Tickets can be ordered if `state` is ON_SALE or FEW_LEFT; NOT_YET: from `salesStartAt`; ENDED: sales are over, or the event is CANCELLED or POSTPONED to a date that is not known yet. For one day, send its date as `from` and the next as `to`. Order tickets with the tool book.",
  describeArguments: () => ({ properties: describeParameters(eventParameters()) }),
  call(caller, args) {
    const { business, ...rest } = args;
    const slug = chooseBusiness(caller, business);
    const values = parseArguments(eventParameters(), rest);
    return readCatalog(caller, slug, ["events"], (view) => {
      const { doc } = view.business;
      const search = {
        words: values.query ?? "",
        from: values.from?.resolve(doc.timezone) ?? -Infinity,
        to: values.to?.resolve(doc.timezone) ?? Infinity,
        limit: values.limit ?? DEFAULT_RESULTS,
        cursor: values.cursor,
        locale: chooseLocale(values.locale, doc),
      };
      const found = searchEvents(view, search);
      const hasNoMatch = found.objects.length === 0 && !search.cursor;
      return {
        business: toBusiness(view.business, caller.context.now),
        ...toPage(found),
        ...(hasNoMatch && {
          noMatch: "No event matches. `suggestions` has the next events of the business.",
          suggestions: searchEvents(view, {
            ...search,
            words: "",
            from: -Infinity,
            to: Infinity,
            limit: MAX_SUGGESTED_EVENTS,
          }).objects.map(({ id, name, weekday, startsAt }) => ({ id, name, weekday, startsAt })),
        }),
      };
    });
  },
};
