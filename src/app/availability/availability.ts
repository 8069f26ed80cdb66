import { listRefusedStarts } from "../../domain/availability/check-start.ts";
import { dateOf, dayNumber } from "../../domain/availability/calendar.ts";
import type { SlotSearch } from "../../domain/availability/slot-search.ts";
import type { VisitPlan } from "../../domain/availability/visit-plan.ts";
import { planNamedRequest } from "../../domain/availability/plan-named-request.ts";
import {
  type PublicDay,
  type PublicSlot,
  createSlotPresenter,
} from "../../domain/availability/public-slot.ts";
import type { NamedRequest } from "../../domain/availability/request.ts";
import type { DateRange } from "../../domain/availability/date-range.ts";
import type { Audience } from "../../domain/availability/resolve-request.ts";
import { dayAt } from "../../domain/availability/wall-clock.ts";
import type { Catalog, LocalDate } from "../../domain/catalog/catalog.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { scanDays } from "./scan-days.ts";
import { loadBookableCatalog } from "../bookings/bookable-catalog.ts";
import type { YieldToEventLoop } from "./yield-to-event-loop.ts";

export type AvailabilityQuery = {
  audience: Audience;
  request: NamedRequest;
  dates: DateRange;
  /** Whose clock the answer's times are of; null: the business's. Days are the business's in any case. */
  timezone: string | null;
  /** With each start that is not offered and the first rule that it fails. */
  explain: boolean;
  /** Ends the work, between two of its pieces. */
  signal?: AbortSignal;
};

export type AvailabilityDay = PublicDay;

/** What holds for each slot. Money is for each guest. */
type Terms = { timezone: string; durationMin: number; priceCents: number; currency: string };

export type Availability = {
  terms: Terms;
  /** Every day asked of, in order, some at a time. */
  days: () => AsyncGenerator<AvailabilityDay[]>;
  /** The first slots from a day on, as far ahead as bookings are taken, a year at most. */
  nextSlots: (limit: number, from: LocalDate) => Promise<PublicSlot[]>;
};

export type AvailabilityFinder = (
  business: BusinessRow,
  enquiry: AvailabilityQuery,
) => Availability;

/** How many days at a time are looked through for the next slots, and how many in all. */
const STAGE_DAYS = 31;
const SEARCH_DAYS = 366;

/**
 * When a visit can be booked. The work is cut into pieces, each in a turn of the event loop of its own: an answer is as of the
 * moment of the question, but for bookings that come in between two pieces as they may right after the last.
 */
export function createAvailabilityFinder(rt: Runtime, turn: YieldToEventLoop): AvailabilityFinder {
  const read = createPlanReader(rt);

  /** @throws AppError with everything that is wrong with the wish */
  return (business, { audience, request: wish, dates: span, timezone, explain, signal: stop }) => {
    const catalog = read(business);
    const plan = planNamedRequest(catalog, audience, wish, span, rt.now());
    const zone = timezone ?? plan.timezone;
    const represent = createSlotPresenter(catalog, audience, zone);
    const ownTurn: YieldToEventLoop = async () => {
      await turn();
      stop?.throwIfAborted();
    };

    const explained = (openings: SlotSearch | null) => {
      const refused = openings === null ? [] : listRefusedStarts(openings);
      const byDay = Map.groupBy(refused, ({ startMin }) => dateOf(dayAt(plan.timezone, startMin)));
      return (date: LocalDate) => ({
        refused: (byDay.get(date) ?? []).map(represent.toPublicRefusedStart),
      });
    };

    return {
      terms: { timezone: zone, ...soldAs(plan), currency: catalog.business.currency },
      async *days() {
        for await (const { days, search } of scanDays(rt, ownTurn, business.id, plan, {
          first: plan.firstDay,
          last: plan.lastDay,
        })) {
          const more = explain ? explained(search) : () => ({});
          yield days.map((day) => ({
            ...day,
            slots: day.slots.map(represent.toPublicSlot),
            ...more(day.date),
          }));
        }
      },
      async nextSlots(limit, from) {
        const begin = Math.max(dayNumber(from), dayAt(plan.timezone, plan.earliestMin));
        const end = Math.min(plan.horizonDay, begin + SEARCH_DAYS - 1);
        const found: PublicSlot[] = [];
        for (let first = begin; first <= end; first += STAGE_DAYS) {
          const last = Math.min(end, first + STAGE_DAYS - 1);
          for await (const { days } of scanDays(rt, ownTurn, business.id, plan, {
            first,
            last,
          })) {
            const slots = days.flatMap((day) => day.slots);
            found.push(...slots.slice(0, limit - found.length).map(represent.toPublicSlot));
            if (found.length === limit) return found;
          }
        }
        return found;
      },
    };
  };
}

const soldAs = ({ segments }: VisitPlan): { durationMin: number; priceCents: number } => ({
  durationMin: segments.reduce((sum, segment) => sum + segment.durationMin, 0),
  priceCents: segments.reduce((sum, segment) => sum + segment.priceCents, 0),
});

const MOST_PLANS = 16;

/** Keeps the last businesses' catalogs: a large one takes longer to read than most answers. */
function createPlanReader(rt: Runtime): (business: BusinessRow) => Catalog {
  const known = new Map<string, { revision: number; catalog: Catalog }>();
  return (business) => {
    const kept = known.get(business.id);
    if (kept?.revision === business.revision) return kept.catalog;
    const catalog = loadBookableCatalog(rt, business);
    // Not kept if somebody has written between two of the statements that it was read with.
    if (rt.store.businesses.findById(business.id)?.revision === business.revision) {
      if (known.size >= MOST_PLANS) known.clear();
      known.set(business.id, { revision: business.revision, catalog });
    }
    return catalog;
  };
}
