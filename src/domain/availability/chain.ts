import { holds, type Interval, intersect, intervalFrom, merge } from "./intervals.ts";
import type { SegmentWays, Way } from "./ways.ts";

/**
 * The segments of a visit one after another, with at most so long a gap between two. Worked out from the last to the first:
 * a way can be taken at the starts of its own from whose end some way of the next segment can be reached.
 */
export type Chain = {
  maxGapMin: number;
  layers: Link[][];
  /** starts[changes][segment][link]: from where the visit can be finished with at most so many changes of person. */
  starts: Interval[][][][];
};

/** A way, with the person who accompanies the guest: where nobody is needed, whoever was or will be with them. */
type Link = { way: Way; person: string | null };

export type Step = { link: Link; startMin: number };

export function linkChain(segments: readonly SegmentWays[], maxGapMin: number): Chain {
  const layers = linksOf(segments);
  const indexes = layers.map((links) => new Map(links.map(({ person }, j) => [person, j])));
  const starts: Interval[][][][] = [];
  let reached = -1;
  for (const changes of layers.keys()) {
    const fewer = starts[changes - 1];
    const now: Interval[][][] = (starts[changes] = []);
    for (let i = layers.length - 1; i >= 0; i -= 1) {
      const next = now[i + 1];
      const leadingToChange = leadingTo(merge(fewer?.[i + 1]?.flat() ?? []), maxGapMin);
      now[i] = (layers[i] ?? []).map(({ way, person }) => {
        if (next === undefined) return way.starts;
        const { durationMin } = way.option;
        const staying = leadingTo(next[indexes[i + 1]?.get(person) ?? -1] ?? [], maxGapMin)(durationMin);
        return intersect(way.starts, merge([...staying, ...leadingToChange(durationMin)]));
      });
    }
    // Each change adds minutes or nothing; once it adds nothing, no further one will.
    const minutes = now.flat(2).reduce((sum, { start, end }) => sum + end - start, 0);
    if (minutes === reached) break;
    reached = minutes;
  }
  return { maxGapMin, layers, starts };
}

function linksOf(segments: readonly SegmentWays[]): Link[][] {
  const people = new Set(segments.flatMap(({ ways }) => ways.flatMap(({ option }) => option.staff?.key ?? [])));
  return segments.map(({ ways }) =>
    ways.flatMap((way): Link[] => {
      if (way.option.staff !== null) return [{ way, person: way.option.staff.key }];
      return people.size === 0 ? [{ way, person: null }] : [...people].map((person) => ({ way, person }));
    }),
  );
}

/** The starts from which something of a length ends at, or no more than the gap before, one of the minutes. */
function leadingTo(minutes: Interval[], maxGapMin: number): (durationMin: number) => Interval[] {
  const ends = merge(minutes.map(({ start, end }) => ({ start: start - maxGapMin, end })));
  return (durationMin) => ends.map(({ start, end }) => ({ start: start - durationMin, end: end - durationMin }));
}

/** Every minute at which the whole visit can begin, were there neither notice nor horizon. */
export function beginnings({ starts }: Chain): number[] {
  const minutes: number[] = [];
  for (const { start, end } of merge(starts.at(-1)?.[0]?.flat() ?? []))
    for (let minute = start; minute < end; minute += 1) minutes.push(minute);
  return minutes;
}

/** The ways by which a segment can be done at this minute and the visit be finished. */
export const waysAt = ({ layers, starts }: Chain, segment: number, minute: number): Way[] => [
  ...new Set(
    (layers[segment] ?? []).filter((_, j) => holds(starts.at(-1)?.[segment]?.[j] ?? [], minute)).map(({ way }) => way),
  ),
];

/**
 * The visit that begins at this minute: with the fewest changes of person, then each segment as early as can be, in a class
 * that has started rather than in a new one, then by whom the plan names first.
 */
export function takeSteps({ maxGapMin, layers, starts }: Chain, beginMin: number): Step[] | undefined {
  let changes = starts.findIndex((segments) => segments[0]?.some((minutes) => holds(minutes, beginMin)));
  if (changes === -1) return undefined;
  const steps: Step[] = [];
  let window = { start: beginMin, end: beginMin + 1 };
  let person: string | undefined | null;
  for (const [i, links] of layers.entries()) {
    const reach = (allowed: number, link: Link, j: number): Step[] => {
      const first = intervalFrom(starts[allowed]?.[i]?.[j] ?? [], window.start);
      const startMin = Math.max(first?.start ?? Infinity, window.start);
      return startMin < window.end ? [{ link, startMin }] : [];
    };
    const staying = links.flatMap((link, j) => (i === 0 || link.person === person ? reach(changes, link, j) : []));
    if (staying.length === 0) changes -= 1;
    const step = best(staying.length > 0 ? staying : links.flatMap((link, j) => reach(changes, link, j)));
    if (step === undefined) throw new Error(`The visit at ${beginMin} breaks off at segment ${i}.`);
    steps.push(step);
    const end = step.startMin + step.link.way.option.durationMin;
    window = { start: end, end: end + maxGapMin + 1 };
    person = step.link.person;
  }
  return steps;
}

function best(steps: Step[]): Step | undefined {
  const isStarted = ({ link, startMin }: Step) => link.way.sessions.has(startMin);
  return steps.reduce<Step | undefined>(
    (kept, step) =>
      kept === undefined ||
      step.startMin < kept.startMin ||
      (step.startMin === kept.startMin && isStarted(step) && !isStarted(kept))
        ? step
        : kept,
    undefined,
  );
}
