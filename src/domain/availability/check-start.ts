import { visitStarts } from "./chain.ts";
import { isOnRequestedDay } from "./grid.ts";
import type { SlotSearch } from "./slot-search.ts";
import { type Refusal, refusalAt, timingOf } from "./refusal.ts";
import { type Slot, slotAt } from "./slot.ts";

export type StartCheck = { ok: true; slot: Slot } | ({ ok: false } & Refusal);

/**
 * The one rule behind the listing, the booking and the explanation.
 * @param startMin on one of the days that the question is about
 */
export function checkStart(openings: SlotSearch, startMin: number): StartCheck {
  if (!isOnRequestedDay(openings.plan, startMin))
    throw new RangeError(`${startMin} is on none of the days asked of.`);
  const timing = timingOf(openings.plan, startMin);
  if (timing !== undefined) return { ok: false, reason: timing, segment: 0 };
  const slot = slotAt(openings.segments, openings.chain, startMin);
  return slot === undefined ? { ok: false, ...refusalAt(openings, startMin) } : { ok: true, slot };
}

export type RefusedStart = { startMin: number } & Refusal;

/** Each start of the grid that is not offered, with the first rule that it fails. */
export function listRefusedStarts(openings: SlotSearch): RefusedStart[] {
  const starts = new Set(visitStarts(openings.chain));
  for (const option of openings.plan.segments[0]?.candidates ?? [])
    for (const minute of openings.grid(option)) starts.add(minute);
  return [...starts]
    .sort((a, b) => a - b)
    .flatMap((startMin) => {
      const answer = checkStart(openings, startMin);
      return answer.ok ? [] : [{ startMin, reason: answer.reason, segment: answer.segment }];
    });
}
