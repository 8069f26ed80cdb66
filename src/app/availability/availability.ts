import {
  type DayState,
  findSlots,
  listRefusedStarts,
  listSlots,
  listStarts,
} from "../../domain/availability/slot.ts";
import { dateOf, dayNumber, dayAt } from "../../domain/availability/wall-clock.ts";
import type { SlotSearch } from "../../domain/availability/slot-search.ts";
import type { VisitPlan } from "../../domain/availability/visit-plan.ts";
import type { Audience } from "../../domain/availability/catalog-lookup.ts";
import { planNamedRequest } from "../../domain/availability/resolve-request.ts";
import { totalOfPrices } from "../../domain/money.ts";
import { assertNotTooLarge } from "../../domain/availability/scan-size.ts";
import {
  type PublicDay,
  type PublicSlot,
  createSlotPresenter,
} from "../../domain/availability/public-slot.ts";
import type { NamedRequest, DateRange } from "../../domain/availability/request.ts";
import type { LocalDate } from "../../domain/catalog/common.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { type DayChunk, type DayRange, scanDays } from "./scan-days.ts";
import { getBookableCatalog } from "../catalog/bookable-catalog.ts";
import type { YieldToEventLoop } from "./yield-to-event-loop.ts";

export type AvailabilityQuery = {
  audience: Audience;
  request: NamedRequest;
  dates: DateRange;
  /** Zone of the times in the result; null: the business's. Days are always the business's. */
  timezone: string | null;
  /** Include refused starts, each with the first rule it breaks. */
  explain: boolean;
  /** Whether the reasons show only that a time is taken, not why. */
  hidesReasons?: boolean;
  /** Called between two chunks of work. It can reject to stop the scan. */
  yieldToEventLoop: YieldToEventLoop;
};

/** Terms of every slot. Prices are per guest. */
type Terms = { timezone: string; durationMin: number; priceCents: number; currency: string };

/** `firstStart`: undefined without slots. */
type DayCount = {
  date: LocalDate;
  state: DayState;
  slotCount: number;
  firstStart: string | undefined;
};

export type Availability = {
  terms: Terms;
  /** @throws AppError query_too_large. @param lists whether days are listed, or only searched */
  assertNotTooLarge: (lists: "days" | "next") => void;
  /** Returns the days in order, in chunks. */
  days: () => AsyncGenerator<PublicDay[]>;
  /** Like `days`, with less work. */
  dayCounts: () => AsyncGenerator<DayCount[]>;
  /** Up to the booking horizon and at most a year ahead. */
  nextSlots: (limit: number, from: LocalDate) => Promise<PublicSlot[]>;
};

export type AvailabilityFinder = (business: BusinessRow, query: AvailabilityQuery) => Availability;

const SEARCH_STEP_DAYS = 31;
const MAX_SEARCH_DAYS = 366;

/**
 * Yields to the event loop between chunks of work, so a booking made during a scan may or may not
 * be reflected in its result.
 */
export function createAvailabilityFinder(rt: Runtime): AvailabilityFinder {
  /** @throws AppError with every issue of the request */
  return (business, query) => {
    const { audience, request, dates, timezone, explain, yieldToEventLoop } = query;
    const catalog = getBookableCatalog(rt, business);
    const plan = planNamedRequest(catalog, audience, request, dates, rt.now());
    const zone = timezone ?? plan.timezone;
    const presenter = createSlotPresenter(catalog, audience, zone, query.hidesReasons);

    const explainDays = (search: SlotSearch | null) => {
      const refused = search === null ? [] : listRefusedStarts(search);
      const byDay = Map.groupBy(refused, ({ startMin }) => dateOf(dayAt(plan.timezone, startMin)));
      return (date: LocalDate) => ({
        refused: (byDay.get(date) ?? []).map(presenter.toPublicRefusedStart),
      });
    };

    const toPublicDays = (chunk: DayChunk): PublicDay[] => {
      const days = chunk.search === null ? chunk.days : listSlots(chunk.search);
      const refusedOn = explain ? explainDays(chunk.search) : () => ({});
      return days.map(({ date, state, slots }) => ({
        date,
        state,
        slots: slots.map(presenter.toPublicSlot),
        ...refusedOn(date),
      }));
    };
    const countDays = (chunk: DayChunk): DayCount[] => {
      const days = chunk.search === null ? chunk.days : listStarts(chunk.search);
      return days.map(({ date, state, starts }) => ({
        date,
        state,
        slotCount: starts.length,
        firstStart: starts[0] === undefined ? undefined : presenter.localTime(starts[0]),
      }));
    };
    const requested = { first: plan.firstDay, last: plan.lastDay };
    const scan = <T>(days: DayRange, read: (chunk: DayChunk) => T) =>
      scanDays(rt, yieldToEventLoop, business.id, plan, days, read);

    return {
      terms: { timezone: zone, ...totalsOf(plan), currency: catalog.business.currency },
      assertNotTooLarge: (lists) =>
        assertNotTooLarge(plan, { lists, explain, maxSearchDays: MAX_SEARCH_DAYS }),
      days: () => scan(requested, toPublicDays),
      dayCounts: () => scan(requested, countDays),
      async nextSlots(limit, from) {
        if (plan.segments.some(({ candidates }) => candidates.length === 0)) return [];
        const begin = Math.max(dayNumber(from), dayAt(plan.timezone, plan.earliestMin));
        const end = Math.min(plan.horizonDay, begin + MAX_SEARCH_DAYS - 1);
        const found: PublicSlot[] = [];
        for (let first = begin; first <= end; first += SEARCH_STEP_DAYS) {
          const last = Math.min(end, first + SEARCH_STEP_DAYS - 1);
          for await (const slots of scan({ first, last }, ({ search }) =>
            search === null ? [] : findSlots(search, limit - found.length),
          )) {
            found.push(...slots.map(presenter.toPublicSlot));
            if (found.length === limit) return found;
          }
        }
        return found;
      },
    };
  };
}

const totalsOf = ({ segments }: VisitPlan): { durationMin: number; priceCents: number } => ({
  durationMin: segments.reduce((sum, segment) => sum + segment.durationMin, 0),
  priceCents: totalOfPrices(segments.map(({ priceCents }) => ({ priceCents, quantity: 1 }))),
});
