/** Whole epoch minutes, half-open. The functions here take and give lists as {@link merge} makes them, unless they say so. */
export type Interval = { start: number; end: number };

/** Of intervals in any order: sorted, with whatever overlaps or touches made one. */
export function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  let last: Interval | undefined;
  for (const { start, end } of inOrder(intervals)) {
    if (start >= end) continue;
    if (last === undefined || start > last.end) merged.push((last = { start, end }));
    else if (end > last.end) last.end = end;
  }
  return merged;
}

/** Most lists are in order already, and some are long. */
const inOrder = (intervals: readonly Interval[]): readonly Interval[] =>
  intervals.every(({ start }, i) => i === 0 || (intervals[i - 1]?.start ?? 0) <= start)
    ? intervals
    : intervals.toSorted((a, b) => a.start - b.start);

export function subtract(from: readonly Interval[], cuts: readonly Interval[]): Interval[] {
  if (cuts.length === 0) return [...from];
  const left: Interval[] = [];
  let next = 0;
  for (const { start, end } of from) {
    let at = start;
    for (let i = next; i < cuts.length; i += 1) {
      const cut = cuts[i];
      if (cut === undefined || cut.start >= end) break;
      if (cut.end <= start) next = i + 1;
      if (cut.start > at) left.push({ start: at, end: cut.start });
      at = Math.max(at, cut.end);
    }
    if (at < end) left.push({ start: at, end });
  }
  return left;
}

export function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  let next = 0;
  for (const { start, end } of a) {
    for (let i = next; i < b.length; i += 1) {
      const other = b[i];
      if (other === undefined || other.start >= end) break;
      if (other.end <= start) next = i + 1;
      else both.push({ start: Math.max(start, other.start), end: Math.min(end, other.end) });
    }
  }
  return both;
}

/** The first interval that ends after the minute: the one that holds it, or the next. */
export function firstEndingAfter(
  intervals: readonly Interval[],
  minute: number,
): Interval | undefined {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[middle]?.end ?? Infinity) <= minute) low = middle + 1;
    else high = middle;
  }
  return intervals[low];
}

export function contains(intervals: readonly Interval[], minute: number): boolean {
  const found = firstEndingAfter(intervals, minute);
  return found !== undefined && found.start <= minute;
}

/** Of these minutes, which are in order, those that an interval holds. */
export function minutesWithin(minutes: Iterable<number>, intervals: readonly Interval[]): number[] {
  const held: number[] = [];
  let at = 0;
  for (const minute of minutes) {
    while ((intervals[at]?.end ?? Infinity) <= minute) at += 1;
    if ((intervals[at]?.start ?? Infinity) <= minute) held.push(minute);
  }
  return held;
}

export function overlaps(intervals: readonly Interval[], { start, end }: Interval): boolean {
  const found = firstEndingAfter(intervals, start);
  return found !== undefined && found.start < end;
}

export function covers(intervals: readonly Interval[], { start, end }: Interval): boolean {
  const found = firstEndingAfter(intervals, start);
  return found !== undefined && found.start <= start && end <= found.end;
}

/** The minutes at which something that lasts `durationMin` may start, to lie within one of the intervals. */
export const startsWithin = (intervals: readonly Interval[], durationMin: number): Interval[] =>
  intervals
    .filter(({ start, end }) => end - start >= durationMin)
    .map(({ start, end }) => ({ start, end: end - durationMin + 1 }));

/** The minutes at which something that lasts `durationMin` may not start, or it would meet one of the intervals, in any order. */
export const startsOverlapping = (
  intervals: readonly Interval[],
  durationMin: number,
): Interval[] =>
  merge(intervals.map(({ start, end }) => ({ start: start - durationMin + 1, end })));
