import { MAX_DAYS } from "../../domain/availability/request.ts";
import { lazy } from "../../domain/lazy.ts";
import type { LocalDate } from "../../domain/catalog/common.ts";
import { addDays, isStartTime } from "../../domain/local-time.ts";
import { totalOfPrices } from "../../domain/money.ts";
import { localise } from "../../domain/public/public-context.ts";
import { availabilityParameters } from "../../http/handlers/availability/availability-parameters.ts";
import { integer, text } from "../../http/pipeline/parameters.ts";
import { assertReadable, type Caller, chooseBusiness, readCatalog } from "./caller.ts";
import { ResultPage } from "./fit.ts";
import { dateOf, describeTotal, toBusiness, weekdayOf } from "./forms.ts";
import { type Arguments, describeParameters, parseArguments, type Tool, toSearch } from "./tool.ts";
import { assertSucceeded } from "./tool-errors.ts";

const MAX_TIMES = 40;
const DEFAULT_TIMES = 10;
/** How many later days are searched if no time of the requested days is within the times of day. */
const LATER_DAYS = 31;

const timeOfDay = () =>
  text().refine(isStartTime, { error: "must be a time of day such as 17:00." });

/** The arguments that the tool passes on to the API as parameters. */
const passedParameters = lazy(() => {
  const { serviceIds, variantIds, addonIds, staffIds, date, from, to, partySize, areaId, guests } =
    availabilityParameters();
  return {
    serviceIds: serviceIds.describe(
      "IDs of the services of one visit, in this order, from search_catalog",
    ),
    variantIds: variantIds.describe(
      "Variants, with or instead of their services; by default, the default variant of each service. Variants of a service can have different people",
    ),
    addonIds,
    staffIds: staffIds.describe(
      "IDs of the staff members who are wanted: one for the whole visit, or `svc_…:stf_…` for each service; leave it out for anyone who performs the variant",
    ),
    date: date.describe("Search this day only, in the business's time zone"),
    from,
    to: to.describe(`Last day of the search; at most ${MAX_DAYS} days in total, 7 by default`),
    partySize: partySize.describe("Party size: finds a free table instead of a visit"),
    areaId,
    guests: guests.describe(
      "Number of guests of the visit, such as in a class; 1 by default. For a table, send `partySize` instead",
    ),
  };
});

const ownParameters = lazy(() => ({
  earliest: timeOfDay().describe("Only starts at or after this time of day, such as 17:00"),
  latest: timeOfDay().describe("Only starts at or before this time of day"),
  limit: integer(1, MAX_TIMES).describe(`Maximum number of times, ${DEFAULT_TIMES} by default`),
}));

type Segment = {
  serviceId?: string;
  staffId?: string | null;
  staffIds?: string[];
  priceCents?: number;
};
type Slot = {
  startsAt: string;
  endsAt: string;
  segments: Segment[];
  /** `guests` is absent if the booking is for one guest. */
  bookingRequest: { guests?: number };
};
type Availability = {
  data: { to: LocalDate; days: { slots: Slot[] }[]; nextAvailable: string | null };
};

const TIME = /T(\d{2}:\d{2})/;
/** Returns the local time of day of a start, such as 17:00. */
const timeOf = (startsAt: string): string => TIME.exec(startsAt)?.[1] ?? "";

export const findTimes: Tool = {
  name: "find_times",
  title: "Find free times",
  description: `Find the free times of a visit (send \`serviceIds\`) or of a table (send \`partySize\`) on a \`date\`, or on the days \`from\` to \`to\`. \`data\` has the earliest times of each of the days; \`days\` says how many each has. Times are local to the business. \`totalCents\` is the price for all guests, if \`priceType\` is not there: FROM says that it is the lowest price, and ON_REQUEST that only the business can name the price. Each has \`book\`, the arguments for the tools book or hold. \`staff\` has the names of the people. If there is no time, \`nextAvailable\` is the next free one, or null if \`earliest\` and \`latest\` leave none for ${LATER_DAYS} days.`,
  describeArguments: () => ({
    properties: describeParameters({ ...passedParameters(), ...ownParameters() }),
  }),
  async call(caller, args) {
    const { business, earliest, latest, limit, ...passed } = args;
    const slug = chooseBusiness(caller, business);
    assertReadable(caller, slug);
    const sentArguments = Object.entries({ earliest, latest, limit }).filter(
      ([, value]) => value !== undefined,
    );
    const ownValues = parseArguments(ownParameters(), Object.fromEntries(sentArguments));
    const reply = await caller.api.call(caller.context, {
      operationId: "getAvailability",
      params: { slug },
      search: toSearch({ ...passed, granularity: "slots", includeBookingRequest: true }),
    });
    const { data } = assertSucceeded<Availability>(reply);
    const isWanted = (startsAt: string): boolean => {
      const time = timeOf(startsAt);
      return time >= (ownValues.earliest ?? "") && time <= (ownValues.latest ?? "24:00");
    };
    const slots = data.days
      .flatMap((day) => day.slots)
      .filter(({ startsAt }) => isWanted(startsAt));
    const byDate = Map.groupBy(slots, ({ startsAt }) => dateOf(startsAt));
    const countsByDay = Object.fromEntries(
      [...byDate].map(([date, ofDay]) => [`${weekdayOf(date)} ${date}`, ofDay.length]),
    );
    const page = new ResultPage(ownValues.limit ?? DEFAULT_TIMES, countsByDay);
    const isTable = passed["partySize"] !== undefined;
    const shown: { slot: Slot; time: object }[] = [];
    // `page.add` shortens a long time, and returns false when the page is full.
    for (const slot of interleaveDays([...byDate.values()])) {
      if (!page.add(toTime(slot, isTable))) break;
      shown.push({ slot, time: page.objects.at(-1) ?? {} });
    }
    shown.sort((a, b) => Date.parse(a.slot.startsAt) - Date.parse(b.slot.startsAt));
    const staff = await readStaffNames(
      caller,
      slug,
      shown.map(({ slot }) => slot),
    );
    const row = caller.rt.store.businesses.findBySlug(slug);
    return {
      business: row && toBusiness(row, caller.context.now),
      ...(row && shown[0] && describeTotal(caller.rt, row, shown[0].slot.segments)),
      data: shown.map(({ time }) => time),
      ...(Object.keys(staff).length > 0 && { staff }),
      found: slots.length,
      ...(slots.length > 0 && { days: countsByDay }),
      ...(slots.length === 0 && {
        nextAvailable: await findNext(caller, slug, passed, data, isWanted),
      }),
      ...(shown.length < slots.length && {
        more: "Ask for one `date`, a later `earliest` or a larger `limit` to see more times.",
      }),
    };
  },
};

/**
 * Returns the next free start at a wanted time of day; null if there is none in `LATER_DAYS` days.
 * @param data the result of a search that has found no such start
 */
async function findNext(
  caller: Caller,
  slug: string,
  passed: Arguments,
  { to, nextAvailable }: Availability["data"],
  isWanted: (startsAt: string) => boolean,
): Promise<string | null> {
  if (nextAvailable === null || isWanted(nextAvailable)) return nextAvailable;
  const date = dateOf(nextAvailable);
  const from = date > to ? date : addDays(to, 1);
  const reply = await caller.api.call(caller.context, {
    operationId: "getAvailability",
    params: { slug },
    search: toSearch({ ...passed, date: null, from, to: addDays(from, LATER_DAYS - 1) }),
  });
  const { data } = assertSucceeded<Availability>(reply);
  const next = data.days.flatMap((day) => day.slots).find(({ startsAt }) => isWanted(startsAt));
  return next?.startsAt ?? null;
}

/** Returns the first slot of each day, then the second of each day, and so on. */
const interleaveDays = (days: readonly Slot[][]): Slot[] =>
  days
    .flatMap((slots) => slots.map((slot, rank) => ({ slot, rank })))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ slot }) => slot);

/** Maximum number of staff members that are listed for a time. */
const MAX_STAFF = 8;
/** Maximum number of staff names in a result. */
const MAX_NAMES = 30;
/** Maximum number of characters of a name. */
const MAX_NAME_LENGTH = 60;

const staffOf = (segments: readonly Segment[]): string[] =>
  [...new Set(segments.flatMap(({ staffIds = [] }) => staffIds))].slice(0, MAX_STAFF);

/** Returns a slot as an agent reads it. */
const toTime = ({ startsAt, endsAt, segments, bookingRequest }: Slot, isTable: boolean) => ({
  weekday: weekdayOf(dateOf(startsAt)),
  startsAt,
  endsAt,
  ...(!isTable && {
    // The price of a segment is for one guest.
    totalCents: totalOfPrices(
      segments.map(({ priceCents = 0 }) => ({ priceCents, quantity: bookingRequest.guests ?? 1 })),
    ),
    staffIds: staffOf(segments),
  }),
  book: isTable ? { table: bookingRequest } : { visit: bookingRequest },
});

/** Returns the names of the people in slots, by ID. */
async function readStaffNames(
  caller: Caller,
  slug: string,
  slots: readonly Slot[],
): Promise<Record<string, string>> {
  const ids = new Set(slots.flatMap(({ segments }) => staffOf(segments)));
  if (ids.size === 0) return {};
  return readCatalog(caller, slug, ["staff"], (view) => {
    const { docs } = view.select("staff", { ids: [...ids], limit: MAX_NAMES });
    return Object.fromEntries(
      docs.map((doc) => {
        const { id, name } = localise(view.forms.staff(doc), view.business.doc.locale);
        return [id, name.slice(0, MAX_NAME_LENGTH)];
      }),
    );
  });
}
