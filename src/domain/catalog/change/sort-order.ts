/** Leaves room for ten inserts in a row at the same place. */
const STEP = 1024;
/** Clients may keep a `sortOrder` in 32 bits. */
const MAXIMUM = 2 ** 31 - 1;

/** `moved`: the indexes of stored objects that left their place among the others. */
export type SortOrders = { sortOrders: number[]; moved: Set<number> };

/**
 * Returns a `sortOrder` for each object of a list, ascending. Most objects keep theirs: a delete
 * changes no other object, and a move changes only the moved one. All objects are renumbered only
 * if there is no number left between two neighbours.
 * @param stored in the new order of the list; null for a new object
 */
export function assignSortOrders(stored: readonly (number | null)[]): SortOrders {
  const kept = longestAscending(stored);
  const moved = new Set(stored.keys().filter((i) => stored[i] !== null && !kept.has(i)));
  return { sortOrders: fillGaps(stored, kept) ?? stored.map((_, i) => (i + 1) * STEP), moved };
}

/** Returns null if a gap is too small. */
function fillGaps(stored: readonly (number | null)[], kept: ReadonlySet<number>): number[] | null {
  const filled: number[] = [];
  let low = 0;
  for (let start = 0; start < stored.length;) {
    let end = start;
    while (end < stored.length && !kept.has(end)) end++;
    const count = end - start;
    const high = stored[end] ?? low + STEP * (count + 1);
    if (high - low <= count || high > MAXIMUM) return null;
    for (let i = 1; i <= count; i++)
      filled.push(low + Math.floor(((high - low) * i) / (count + 1)));
    if (end < stored.length) filled.push(high);
    low = high;
    start = end + 1;
  }
  return filled;
}

/** Indexes of a longest ascending subsequence: patience sorting, O(n log n). */
function longestAscending(values: readonly (number | null)[]): Set<number> {
  // `ends[n]` is the index at which the subsequence of length n + 1 with the lowest last value
  // ends.
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1];
    ends[low] = index;
  });
  const indexes = new Set<number>();
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) indexes.add(index);
  return indexes;
}
