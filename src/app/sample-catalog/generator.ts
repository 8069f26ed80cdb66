import type { SeededRandom } from "./seeded-random.ts";

/** What the parts of a business are generated with. */
export type Generator = {
  dice: SeededRandom;
  /** A key and a name that nothing of the kind has yet. */
  call: (kind: string, ...parts: string[]) => { key: string; name: string };
  /** An amount from `min` to `max` whole units, in steps of half a unit. */
  price: (min: number, max: number) => string;
};

export function createGenerator(dice: SeededRandom): Generator {
  const taken = new Map<string, number>();
  return {
    dice,
    call(kind, ...parts) {
      const name = parts.filter((part) => part !== "").join(" ");
      const key = keyFrom(name);
      const before = taken.get(`${kind} ${key}`) ?? 0;
      taken.set(`${kind} ${key}`, before + 1);
      return before === 0
        ? { key, name }
        : { key: `${key}-${before + 1}`, name: `${name} No. ${before + 1}` };
    },
    price: (min, max) => `${dice.whole(min, max - 1)}.${dice.pick(["00", "50"])}`,
  };
}

/** Short enough for a number behind it, in a key and in a slug. */
const keyFrom = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 52)
    .replace(/^-+|-+$/g, "");

/** With every field there. */
export type Present<T> = { [K in keyof T]-?: NonNullable<T[K]> };

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

export const keysOf = (objects: readonly { key: string }[]): string[] =>
  objects.map(({ key }) => key);
