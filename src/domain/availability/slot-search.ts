import {
  contains,
  firstEndingAfter,
  type Interval,
  merge,
  startEarlier,
  startsEndingWithin,
  union,
} from "./intervals.ts";
import {
  type SegmentStarts,
  type CandidateStarts,
  type Grid,
  buildGrid,
  findSegmentStarts,
} from "./segment-starts.ts";
import { type BusyIndex, indexBusyIntervals } from "./busy-intervals.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";

/**
 * The segments of a visit in sequence, with a gap of at most `maxGapMin` between two. The chain is
 * built from the last segment to the first: a start of a segment is kept if the next segment can
 * start within `maxGapMin` after the end of this segment.
 */
export type Chain = {
  maxGapMin: number;
  /**
   * `finishable[changes][segment]` lists the options of the segment. The starts of an option are
   * those from which the visit can be finished with at most `changes` changes of staff.
   */
  finishable: FinishableOption[][][];
};

/**
 * A way to perform a segment: a candidate with its starts (`option`), and the staff member who is
 * with the guest (`person`). The `person` of a segment without staff is the staff member of a
 * segment before or after it, so that such a segment causes no change of staff.
 */
type StaffedOption = { option: CandidateStarts; person: string | null };

/** An option with only those starts from which the visit can be finished. */
type FinishableOption = StaffedOption & { starts: Interval[] };

export type PlacedSegment = StaffedOption & { startMin: number };

function buildChain(segments: readonly SegmentStarts[], maxGapMin: number): Chain {
  const optionsBySegment = staffedOptions(segments);
  const finishable: FinishableOption[][][] = [];
  let previousMinutes = -1;
  // A visit of n segments needs at most n - 1 changes of staff.
  for (const changes of optionsBySegment.keys()) {
    const withFewerChanges = finishable[changes - 1];
    const current: FinishableOption[][] = (finishable[changes] = []);
    for (let i = optionsBySegment.length - 1; i >= 0; i -= 1) {
      const next = current[i + 1];
      const startsByPerson = new Map(next?.map(({ person, starts }) => [person, starts]));
      // The minutes at which this segment can end so that another staff member performs the next
      // one within the gap.
      const endsWithChange = startEarlier(
        merge(withFewerChanges?.[i + 1]?.flatMap(({ starts }) => starts) ?? []),
        maxGapMin,
      );
      const startsOf = ({ option, person }: StaffedOption): Interval[] => {
        if (next === undefined) return option.starts;
        const endsWithSamePerson = startEarlier(startsByPerson.get(person) ?? [], maxGapMin);
        const ends = union(endsWithSamePerson, endsWithChange);
        return startsEndingWithin(option.starts, option.candidate.durationMin, ends);
      };
      current[i] = (optionsBySegment[i] ?? []).map((staffed) => ({
        ...staffed,
        starts: startsOf(staffed),
      }));
    }
    // Stop when allowing one more change of staff adds no start.
    let minutes = 0;
    for (const options of current)
      for (const { starts } of options) for (const { start, end } of starts) minutes += end - start;
    if (minutes === previousMinutes) break;
    previousMinutes = minutes;
  }
  return { maxGapMin, finishable };
}

function staffedOptions(segments: readonly SegmentStarts[]): StaffedOption[][] {
  const people = new Set(
    segments.flatMap(({ candidates }) =>
      candidates.flatMap(({ candidate }) => candidate.staff?.key ?? []),
    ),
  );
  return segments.map(({ candidates }) =>
    candidates.flatMap((option): StaffedOption[] => {
      const { staff } = option.candidate;
      if (staff !== null) return [{ option, person: staff.key }];
      // A segment without staff gets an option for each person who can perform another segment,
      // because any of these people may perform the segment before or after it.
      return people.size === 0
        ? [{ option, person: null }]
        : [...people].map((person) => ({ option, person }));
    }),
  );
}

/** Returns every start of the whole visit, regardless of minimum notice and horizon. */
export function visitStarts({ finishable }: Chain): number[] {
  const minutes: number[] = [];
  for (const { start, end } of merge(finishable.at(-1)?.[0]?.flatMap(({ starts }) => starts) ?? []))
    for (let minute = start; minute < end; minute += 1) minutes.push(minute);
  return minutes;
}

/**
 * Returns the candidates who can take the segment at the minute so that the visit can be finished.
 */
export function candidatesAt(
  { finishable }: Chain,
  segment: number,
  minute: number,
): CandidateStarts[] {
  const options: CandidateStarts[] = [];
  for (const { option, starts } of finishable.at(-1)?.[segment] ?? [])
    // An option has an entry for each person of other segments. These entries are adjacent, so a
    // comparison with the last option finds repetitions.
    if (option !== options.at(-1) && contains(starts, minute)) options.push(option);
  return options;
}

/**
 * Returns the segments with the fewest changes of staff, then the least waiting. Returns undefined
 * if the visit cannot start at that minute.
 */
export function placeSegments(
  { maxGapMin, finishable }: Chain,
  startMin: number,
): PlacedSegment[] | undefined {
  // `changes` is the number of staff changes that are still allowed, and the index of `finishable`.
  let changes = finishable.findIndex((segments) =>
    segments[0]?.some(({ starts }) => contains(starts, startMin)),
  );
  if (changes === -1) return undefined;
  const placed: PlacedSegment[] = [];
  let window = { start: startMin, end: startMin + 1 };
  let last: PlacedSegment | undefined;
  for (const i of finishable[changes]?.keys() ?? []) {
    let placement = earliestPlacement(finishable[changes]?.[i] ?? [], window, last);
    if (placement === undefined) {
      // The staff member of the previous segment cannot continue, which uses up one change.
      changes -= 1;
      placement = earliestPlacement(finishable[changes]?.[i] ?? [], window);
    }
    if (placement === undefined)
      throw new Error(`The visit at ${startMin} cannot be finished from segment ${i}.`);
    placed.push((last = placement));
    const end = placement.startMin + placement.option.candidate.durationMin;
    window = { start: end, end: end + maxGapMin + 1 };
  }
  return placed;
}

/**
 * Returns the earliest placement within the window. Among placements at the same minute, one in an
 * existing session comes first, then the order of the candidates decides.
 * @param last the previous segment, whose person must continue
 */
function earliestPlacement(
  options: readonly FinishableOption[],
  window: Interval,
  last?: PlacedSegment,
): PlacedSegment | undefined {
  let best: PlacedSegment | undefined;
  for (const { option, person, starts } of options) {
    if (last !== undefined && last.person !== person) continue;
    const startMin = Math.max(
      firstEndingAfter(starts, window.start)?.start ?? Infinity,
      window.start,
    );
    if (startMin >= window.end || startMin > (best?.startMin ?? Infinity)) continue;
    const isBetter =
      best === undefined ||
      startMin < best.startMin ||
      (joinsSession(option, startMin) && !joinsSession(best.option, startMin));
    if (isBetter) best = { option, person, startMin };
  }
  return best;
}

const joinsSession = ({ sessions }: CandidateStarts, startMin: number): boolean =>
  sessions.has(startMin);

export type SlotSearch = {
  plan: VisitPlan;
  busy: BusyIndex;
  grid: Grid;
  segments: SegmentStarts[];
  chain: Chain;
};

export function prepareSlotSearch(plan: VisitPlan, intervals: readonly BusyInterval[]): SlotSearch {
  const busy = indexBusyIntervals(plan.catalog, intervals);
  const grid = buildGrid(plan);
  const segments = findSegmentStarts(plan, busy, grid);
  return {
    plan,
    busy,
    grid,
    segments,
    chain: buildChain(segments, plan.catalog.business.bookingPolicy.maxGapMin),
  };
}
