import { visitStarts } from "./chain.ts";
import { isOnRequestedDay } from "./grid.ts";
import type { SlotSearch } from "./slot-search.ts";
import { type Refusal, refusalAt, timingReason } from "./refusal.ts";
import { type Slot, slotAt } from "./slot.ts";

export type StartCheck = { ok: true; slot: Slot } | ({ ok: false } & Refusal);

/**
 * Whether a visit can start at this minute. Listing, booking and explaining all use this check.
 * @param startMin on one of the requested days
 */
export function checkStart(search: SlotSearch, startMin: number): StartCheck {
  if (!isOnRequestedDay(search.plan, startMin))
    throw new RangeError(`Minute ${startMin} is not on a requested day.`);
  const reason = timingReason(search.plan, startMin);
  if (reason !== undefined) return { ok: false, reason, segment: 0 };
  const slot = slotAt(search.segments, search.chain, startMin);
  return slot === undefined ? { ok: false, ...refusalAt(search, startMin) } : { ok: true, slot };
}

export type RefusedStart = { startMin: number } & Refusal;

/** Each start on the grid that is not offered, with the first rule it breaks. */
export function listRefusedStarts(search: SlotSearch): RefusedStart[] {
  const starts = new Set(visitStarts(search.chain));
  for (const candidate of search.plan.segments[0]?.candidates ?? [])
    for (const minute of search.grid(candidate)) starts.add(minute);
  return [...starts]
    .sort((a, b) => a - b)
    .flatMap((startMin) => {
      const check = checkStart(search, startMin);
      return check.ok ? [] : [{ startMin, reason: check.reason, segment: check.segment }];
    });
}
