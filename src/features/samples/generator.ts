import type sampleWords from "../../../data/sample-words.json";
import { readSampleWords } from "../../platform/assets.ts";
import type { SeededRandom } from "../../domain/seeded-random.ts";
import { toSlugLetters } from "../../domain/catalog/file/public-events.ts";

type SampleWords = typeof sampleWords;

export type Generator = {
  random: SeededRandom;
  words: SampleWords;
  /** Returns a key and a name that no other object of the kind has. */
  uniqueName: (kind: string, ...parts: string[]) => { key: string; name: string };
  /** Returns a decimal amount of at least `min` and less than `max`, in steps of 0.50. */
  price: (min: number, max: number) => string;
};

/** Maximum length of a key, which leaves space for the suffix of a key or slug. */
const MAX_KEY_LENGTH = 52;

export function createGenerator(random: SeededRandom): Generator {
  const uses = new Map<string, number>();
  return {
    random,
    words: JSON.parse(readSampleWords()) as SampleWords,
    uniqueName(kind, ...parts) {
      const name = parts.filter((part) => part !== "").join(" ");
      const key = toSlugLetters(name, MAX_KEY_LENGTH);
      const number = (uses.get(`${kind} ${key}`) ?? 0) + 1;
      uses.set(`${kind} ${key}`, number);
      return number === 1
        ? { key, name }
        : { key: `${key}-${number}`, name: `${name} No. ${number}` };
    },
    price: (min, max) => `${random.integer(min, max - 1)}.${random.pick(["00", "50"])}`,
  };
}

/** A type whose fields are all present and not null. */
export type Complete<T> = { [K in keyof T]-?: NonNullable<T[K]> };

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/**
 * Returns the pair with this index among all pairs of an item of `first` and an item of `second`.
 * The pairs with the first item of `second` come first. The pairs repeat after the last.
 */
export const pairAt = <A, B>(index: number, first: readonly A[], second: readonly B[]): [A, B] => [
  first[index % first.length] as A,
  second[Math.floor(index / first.length) % second.length] as B,
];

export const keysOf = (objects: readonly { key: string }[]): string[] =>
  objects.map(({ key }) => key);
