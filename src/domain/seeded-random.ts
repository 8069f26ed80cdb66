export type SeededRandom = ReturnType<typeof createSeededRandom>;

/**
 * Returns functions that choose at random, always in the same way for the same seed (mulberry32).
 */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0;

  /** Returns a number from 0 up to, but not including, 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** Returns an integer from `min` to `max`, both included. */
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));

  return {
    integer,
    chance: (probability: number): boolean => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("Cannot pick from an empty list.");
      return list[integer(0, list.length - 1)] as T;
    },
    /** Returns up to `count` different items, in the order of the list. */
    sample<T>(list: readonly T[], count: number): T[] {
      const chosen = new Set<number>();
      for (let n = 0; n < count && list.length > 0; n++) chosen.add(integer(0, list.length - 1));
      return [...chosen].sort((a, b) => a - b).map((index) => list[index] as T);
    },
  };
}
