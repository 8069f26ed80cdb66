import type { Catalog } from "../catalog.ts";
import { busyWindow } from "./busy-window.ts";
import { dateOf } from "./calendar.ts";
import type { Interval } from "./intervals.ts";
import { listSlots } from "./listing.ts";
import { openingsOf } from "./openings.ts";
import { planQuestion } from "./plan.ts";
import type { BusyRow, Question } from "./question.ts";
import type { Slot } from "./slot.ts";
import { dayAt } from "./zone-rules.ts";

const STEP_DAYS = 31;

/** The first slots from the question's first day (its last is passed over) up to the horizon, a month at a time. */
export function nextSlots(
  catalog: Catalog,
  question: Question,
  nowMs: number,
  limit: number,
  load: (window: Interval) => readonly BusyRow[],
): Slot[] {
  const asked = planQuestion(catalog, { ...question, to: question.from }, nowMs);
  const slots: Slot[] = [];
  let day = Math.max(asked.firstDay, dayAt(asked.timezone, asked.earliestMin));
  while (slots.length < limit && day <= asked.horizonDay) {
    const to = Math.min(day + STEP_DAYS - 1, asked.horizonDay);
    const plan = planQuestion(catalog, { ...question, from: dateOf(day), to: dateOf(to) }, nowMs);
    slots.push(...listSlots(openingsOf(plan, load(busyWindow(plan)))).flatMap((listed) => listed.slots));
    day = to + 1;
  }
  return slots.slice(0, limit);
}
