import type sampleWords from "../../../data/sample-words.json";
import { readSampleWords } from "../../assets.ts";
import { defaultSlug } from "../../domain/catalog/file/public-events.ts";

type SampleWords = typeof sampleWords;

export type Generator = {
  random: SeededRandom;
  words: SampleWords;
  /** A key and a name that no other object of the kind has. */
  uniqueName: (kind: string, ...parts: string[]) => { key: string; name: string };
  /** A decimal amount from `min` up to `max`, in steps of 0.50. */
  price: (min: number, max: number) => string;
};

/** Leaves room for a numeric suffix in a key or slug. */
const MAX_KEY_LENGTH = 52;

export function createGenerator(random: SeededRandom): Generator {
  const uses = new Map<string, number>();
  return {
    random,
    words: JSON.parse(readSampleWords()) as SampleWords,
    uniqueName(kind, ...parts) {
      const name = parts.filter((part) => part !== "").join(" ");
      const key = defaultSlug(name, MAX_KEY_LENGTH);
      const before = uses.get(`${kind} ${key}`) ?? 0;
      uses.set(`${kind} ${key}`, before + 1);
      return before === 0
        ? { key, name }
        : { key: `${key}-${before + 1}`, name: `${name} No. ${before + 1}` };
    },
    price: (min, max) => `${random.integer(min, max - 1)}.${random.pick(["00", "50"])}`,
  };
}

export type Complete<T> = { [K in keyof T]-?: NonNullable<T[K]> };

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** The pair with an index: every item of `first` with the first of `second`, then the next. */
export const pairAt = <A, B>(index: number, first: readonly A[], second: readonly B[]): [A, B] => [
  first[index % first.length] as A,
  second[Math.floor(index / first.length) % second.length] as B,
];

export const keysOf = (objects: readonly { key: string }[]): string[] =>
  objects.map(({ key }) => key);

export type SeededRandom = ReturnType<typeof createSeededRandom>;

/** Random choices that are always the same for the same seed (mulberry32). */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0;

  /** A number from 0 up to, but not including, 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** An integer from `min` to `max`, both included. */
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));

  return {
    integer,
    chance: (probability: number): boolean => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("Cannot pick from an empty list.");
      return list[integer(0, list.length - 1)] as T;
    },
    /** Up to `count` different items, in the order of the list. */
    sample<T>(list: readonly T[], count: number): T[] {
      const chosen = new Set<number>();
      for (let n = 0; n < count && list.length > 0; n++) chosen.add(integer(0, list.length - 1));
      return [...chosen].sort((a, b) => a - b).map((index) => list[index] as T);
    },
  };
}
