/**
 * A half-open interval of epoch minutes. A list of intervals is sorted and disjoint, as
 * {@link merge} returns it, unless a function says otherwise.
 */
export type Interval = { start: number; end: number };

/** Joins intervals that overlap or touch, and sorts them. Takes intervals in any order. */
export function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  let last: Interval | undefined;
  for (const { start, end } of sorted(intervals)) {
    if (start >= end) continue;
    if (last === undefined || start > last.end) merged.push((last = { start, end }));
    else if (end > last.end) last.end = end;
  }
  return merged;
}

/**
 * Returns the intervals sorted by start. Most lists are sorted already, and some are too long to
 * copy.
 */
const sorted = (intervals: readonly Interval[]): readonly Interval[] =>
  isSorted(intervals) ? intervals : intervals.toSorted((a, b) => a.start - b.start);

function isSorted(intervals: readonly Interval[]): boolean {
  let previous = -Infinity;
  for (const { start } of intervals) {
    if (start < previous) return false;
    previous = start;
  }
  return true;
}

/** Returns intervals that start `minutes` earlier, and joins those that then overlap or touch. */
export function startEarlier(intervals: readonly Interval[], minutes: number): Interval[] {
  const earlier: Interval[] = [];
  let last: Interval | undefined;
  for (const { start, end } of intervals)
    if (last !== undefined && start - minutes <= last.end) last.end = end;
    else earlier.push((last = { start: start - minutes, end }));
  return earlier;
}

/**
 * Returns the intervals of both lists, merged. If one list is empty, returns the other without a
 * copy.
 */
export function union(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const joined: Interval[] = [];
  let last: Interval | undefined;
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const left = a[i];
    const right = b[j];
    const takesLeft = right === undefined || (left !== undefined && left.start <= right.start);
    const next = (takesLeft ? left : right) as Interval;
    if (takesLeft) i += 1;
    else j += 1;
    if (last === undefined || next.start > last.end)
      joined.push((last = { start: next.start, end: next.end }));
    else if (next.end > last.end) last.end = next.end;
  }
  return joined;
}

/** Returns the parts of the intervals in `from` that lie in none of `cuts`. */
export function subtract(from: readonly Interval[], cuts: readonly Interval[]): Interval[] {
  if (cuts.length === 0) return [...from];
  const remaining: Interval[] = [];
  // Cuts before this index end before the current interval, and so before all later ones.
  let firstCut = 0;
  for (const { start, end } of from) {
    let uncutFrom = start;
    for (let i = firstCut; i < cuts.length; i += 1) {
      const cut = cuts[i];
      if (cut === undefined || cut.start >= end) break;
      if (cut.end <= start) firstCut = i + 1;
      if (cut.start > uncutFrom) remaining.push({ start: uncutFrom, end: cut.start });
      uncutFrom = Math.max(uncutFrom, cut.end);
    }
    if (uncutFrom < end) remaining.push({ start: uncutFrom, end });
  }
  return remaining;
}

/**
 * Returns the minutes that lie in both lists, as intervals. `startsEndingWithin` finds them for an
 * activity of 0 minutes, which ends at the minute at which it starts.
 */
export const intersect = (a: readonly Interval[], b: readonly Interval[]): Interval[] =>
  startsEndingWithin(a, 0, b);

/** Returns the minutes of `starts` from which an activity of `durationMin` ends within `ends`. */
export function startsEndingWithin(
  starts: readonly Interval[],
  durationMin: number,
  ends: readonly Interval[],
): Interval[] {
  const fitting: Interval[] = [];
  // The intervals of `ends` before this index are too early for the current and all later starts.
  let firstAllowed = 0;
  for (const { start, end } of starts) {
    for (let i = firstAllowed; i < ends.length; i += 1) {
      const allowed = ends[i];
      if (allowed === undefined || allowed.start >= end + durationMin) break;
      if (allowed.end <= start + durationMin) firstAllowed = i + 1;
      else
        fitting.push({
          start: Math.max(start, allowed.start - durationMin),
          end: Math.min(end, allowed.end - durationMin),
        });
    }
  }
  return fitting;
}

/** Returns the interval that contains the minute, or else the next one. */
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

/**
 * Returns the minutes that lie in one of the intervals.
 * @param minutes in ascending order
 */
export function minutesWithin(minutes: Iterable<number>, intervals: readonly Interval[]): number[] {
  const within: number[] = [];
  let i = 0;
  for (const minute of minutes) {
    while ((intervals[i]?.end ?? Infinity) <= minute) i += 1;
    if ((intervals[i]?.start ?? Infinity) <= minute) within.push(minute);
  }
  return within;
}

/** Returns whether one of the intervals shares a minute with the given one. */
export function overlaps(intervals: readonly Interval[], { start, end }: Interval): boolean {
  const found = firstEndingAfter(intervals, start);
  return found !== undefined && found.start < end;
}

/** Returns whether one of the intervals contains the whole of the given one. */
export function covers(intervals: readonly Interval[], { start, end }: Interval): boolean {
  const found = firstEndingAfter(intervals, start);
  return found !== undefined && found.start <= start && end <= found.end;
}

/**
 * Returns the minutes at which an activity of `durationMin` can start so that one interval contains
 * it.
 */
export const startsWithin = (intervals: readonly Interval[], durationMin: number): Interval[] =>
  intervals
    .filter(({ start, end }) => end - start >= durationMin)
    .map(({ start, end }) => ({ start, end: end - durationMin + 1 }));

/**
 * Returns the minutes at which an activity of `durationMin` would start if it overlapped an
 * interval. Takes intervals in any order.
 */
export const startsOverlapping = (
  intervals: readonly Interval[],
  durationMin: number,
): Interval[] =>
  merge(intervals.map(({ start, end }) => ({ start: start - durationMin + 1, end })));
