export type SeededRandom = ReturnType<typeof createSeededRandom>;

/** Draws that are the same every time for the same seed (mulberry32). */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0;

  /** From 0 up to 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));

  return {
    whole,
    chance: (probability: number): boolean => next() < probability,
    /** @throws RangeError of an empty list */
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("nothing to pick from");
      return list[whole(0, list.length - 1)] as T;
    },
    /** Up to `count` different ones of the list, in its order. */
    some<T>(list: readonly T[], count: number): T[] {
      const chosen = new Set<number>();
      for (let drawn = 0; drawn < count && list.length > 0; drawn++)
        chosen.add(whole(0, list.length - 1));
      return [...chosen].sort((a, b) => a - b).map((index) => list[index] as T);
    },
  };
}
