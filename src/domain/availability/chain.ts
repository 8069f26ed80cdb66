import { contains, type Interval, intersect, firstEndingAfter, merge } from "./intervals.ts";
import type { SegmentStarts, CandidateStarts } from "./segment-starts.ts";

/**
 * The segments of a visit one after another, with at most so long a gap between two. Worked out from the last to the first:
 * a way can be taken at the starts of its own from whose end some way of the next segment can be reached.
 */
export type Chain = {
  maxGapMin: number;
  /** onward[changes][segment]: from where the visit can be finished with at most so many changes of person. */
  finishable: Onward[][][];
};

/** A way, with the person who accompanies the guest: where nobody is needed, whoever was or will be with them. */
type Link = { way: CandidateStarts; person: string | null };

type Onward = Link & { starts: Interval[] };

export type PlacedSegment = Link & { startMin: number };

export function buildChain(segments: readonly SegmentStarts[], maxGapMin: number): Chain {
  const layers = linksOf(segments);
  const finishable: Onward[][][] = [];
  let reached = -1;
  for (const changes of layers.keys()) {
    const fewer = finishable[changes - 1];
    const now: Onward[][] = (finishable[changes] = []);
    for (let i = layers.length - 1; i >= 0; i -= 1) {
      const next = now[i + 1];
      const staying = new Map(next?.map(({ person, starts }) => [person, starts]));
      const leadingToChange = leadingTo(
        merge(fewer?.[i + 1]?.flatMap(({ starts }) => starts) ?? []),
        maxGapMin,
      );
      const startsOf = ({ way, person }: Link): Interval[] => {
        if (next === undefined) return way.starts;
        const { durationMin } = way.candidate;
        const leadingToStay = leadingTo(staying.get(person) ?? [], maxGapMin)(durationMin);
        return intersect(way.starts, merge([...leadingToStay, ...leadingToChange(durationMin)]));
      };
      now[i] = (layers[i] ?? []).map((link) => ({ ...link, starts: startsOf(link) }));
    }
    // Each change adds minutes or nothing; once it adds nothing, no further one will.
    const minutes = now.flat().reduce((sum, { starts }) => sum + lengthOf(starts), 0);
    if (minutes === reached) break;
    reached = minutes;
  }
  return { maxGapMin, finishable };
}

function linksOf(segments: readonly SegmentStarts[]): Link[][] {
  const people = new Set(
    segments.flatMap(({ candidates }) =>
      candidates.flatMap(({ candidate }) => candidate.staff?.key ?? []),
    ),
  );
  return segments.map(({ candidates }) =>
    candidates.flatMap((way): Link[] => {
      if (way.candidate.staff !== null) return [{ way, person: way.candidate.staff.key }];
      return people.size === 0
        ? [{ way, person: null }]
        : [...people].map((person) => ({ way, person }));
    }),
  );
}

/** The starts from which something of a length ends at, or no more than the gap before, one of the minutes. */
function leadingTo(minutes: Interval[], maxGapMin: number): (durationMin: number) => Interval[] {
  const ends = merge(minutes.map(({ start, end }) => ({ start: start - maxGapMin, end })));
  return (durationMin) =>
    ends.map(({ start, end }) => ({ start: start - durationMin, end: end - durationMin }));
}

const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, i) => sum + i.end - i.start, 0);

/** Every minute at which the whole visit can begin, were there neither notice nor horizon. */
export function visitStarts({ finishable }: Chain): number[] {
  const minutes: number[] = [];
  for (const { start, end } of merge(finishable.at(-1)?.[0]?.flatMap(({ starts }) => starts) ?? []))
    for (let minute = start; minute < end; minute += 1) minutes.push(minute);
  return minutes;
}

/** The ways by which a segment can be done at this minute and the visit be finished. */
export function candidatesAt(
  { finishable }: Chain,
  segment: number,
  minute: number,
): CandidateStarts[] {
  const ways: CandidateStarts[] = [];
  for (const { way, starts } of finishable.at(-1)?.[segment] ?? [])
    // The same way for one person and the next are neighbours.
    if (way !== ways.at(-1) && contains(starts, minute)) ways.push(way);
  return ways;
}

/** The visit that begins at this minute: with the fewest changes of person, then each segment as early as can be. */
export function placeSegments(
  { maxGapMin, finishable }: Chain,
  beginMin: number,
): PlacedSegment[] | undefined {
  let changes = finishable.findIndex((segments) =>
    segments[0]?.some(({ starts }) => contains(starts, beginMin)),
  );
  if (changes === -1) return undefined;
  const steps: PlacedSegment[] = [];
  let window = { start: beginMin, end: beginMin + 1 };
  let last: PlacedSegment | undefined;
  for (const i of finishable[changes]?.keys() ?? []) {
    let step = bestStep(finishable[changes]?.[i] ?? [], window, last);
    if (step === undefined) {
      changes -= 1;
      step = bestStep(finishable[changes]?.[i] ?? [], window);
    }
    if (step === undefined) throw new Error(`The visit at ${beginMin} breaks off at segment ${i}.`);
    steps.push((last = step));
    const end = step.startMin + step.way.candidate.durationMin;
    window = { start: end, end: end + maxGapMin + 1 };
  }
  return steps;
}

/**
 * The earliest start within the window, in a class that has started rather than in a new one, then by whom the plan names first.
 * @param last whose person goes on; undefined: anybody may
 */
function bestStep(
  links: readonly Onward[],
  window: Interval,
  last?: PlacedSegment,
): PlacedSegment | undefined {
  let best: PlacedSegment | undefined;
  for (const { way, person, starts } of links) {
    if (last !== undefined && last.person !== person) continue;
    const startMin = Math.max(
      firstEndingAfter(starts, window.start)?.start ?? Infinity,
      window.start,
    );
    if (startMin >= window.end || startMin > (best?.startMin ?? Infinity)) continue;
    const isBetter =
      best === undefined ||
      startMin < best.startMin ||
      (isStarted(way, startMin) && !isStarted(best.way, startMin));
    if (isBetter) best = { way, person, startMin };
  }
  return best;
}

const isStarted = ({ sessions }: CandidateStarts, startMin: number): boolean =>
  sessions.has(startMin);
