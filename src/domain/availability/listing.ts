import type { LocalDate } from "../catalog/catalog.ts";
import { checkStart } from "./check-start.ts";
import { DAY_MIN, type DayNumber, dateOf } from "./calendar.ts";
import { visitStarts } from "./chain.ts";
import { type SlotSearch, prepareSlotSearch } from "./slot-search.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { Slot } from "./slot.ts";
import { closedInterval, dayAt } from "./wall-clock.ts";

export type DayState = "OPEN" | "FULL" | "CLOSED" | "TOO_SOON" | "TOO_FAR";
export type DayListing = { date: LocalDate; state: DayState; slots: Slot[] };

/** Each requested day with the slots that start on it. */
export function listSlots(search: SlotSearch): DayListing[] {
  const { plan } = search;
  const slots = visitStarts(search.chain).flatMap((minute) => {
    const check = checkStart(search, minute);
    return check.ok ? [check.slot] : [];
  });
  const byDay = Map.groupBy(slots, ({ startMin }) => dayAt(plan.timezone, startMin));
  const stateOf = createEmptyDayState(plan);
  return Array.from({ length: plan.lastDay - plan.firstDay + 1 }, (_, i) => {
    const day = plan.firstDay + i;
    const slots = byDay.get(day) ?? [];
    return { date: dateOf(day), state: slots.length > 0 ? "OPEN" : stateOf(day), slots };
  });
}

/** The state of a day without slots: FULL if it would have some without bookings, else CLOSED. */
function createEmptyDayState(plan: VisitPlan): (day: DayNumber) => DayState {
  let startsWithoutBookings: Map<DayNumber, number[]> | undefined;
  return (day) => {
    if (day > plan.horizonDay) return "TOO_FAR";
    const { end } = closedInterval(plan.timezone, day * DAY_MIN, (day + 1) * DAY_MIN);
    if (end <= plan.earliestMin) return "TOO_SOON";
    startsWithoutBookings ??= Map.groupBy(
      visitStarts(prepareSlotSearch(plan, []).chain),
      (minute) => dayAt(plan.timezone, minute),
    );
    const starts = startsWithoutBookings.get(day) ?? [];
    if (starts.length === 0) return "CLOSED";
    return starts.some((minute) => minute >= plan.earliestMin) ? "FULL" : "TOO_SOON";
  };
}
