import { expect, test } from "vitest";
import { BoundedCache } from "../../src/domain/bounded-cache.ts";

const keysIn = (cache: { get: (key: number) => unknown }, keys: number[]) =>
  keys.filter((key) => cache.get(key) !== undefined);
const upTo = (end: number) => Array.from({ length: end }, (_, key) => key);

test("a bounded cache evicts the least recently used entry", () => {
  const cache = new BoundedCache<number, string>(3);
  for (const key of [1, 2, 3]) cache.set(key, `value ${key}`);
  expect(cache.get(1)).toBe("value 1");
  cache.set(4, "value 4");
  expect(keysIn(cache, [1, 2, 3, 4])).toEqual([1, 3, 4]);
  cache.set(3, "replaced");
  cache.set(5, "value 5");
  expect(keysIn(cache, [1, 3, 4, 5])).toEqual([3, 4, 5]);
});

test("a bounded cache keeps all entries that fit, in whatever order they are read", () => {
  const cache = new BoundedCache<number, number>(100);
  const keys = upTo(100);
  for (const key of keys) cache.set(key, key);
  for (const order of [keys, keys.toReversed(), [...keys, ...keys.filter((key) => key % 3)]])
    expect(order.map((key) => cache.get(key))).toEqual(order);
  expect(cache.size).toBe(100);
});

test("a bounded cache computes the value of a key that it does not have", () => {
  const cache = new BoundedCache<number, string>(2);
  const read = (key: number, value: string) => cache.getOrInsertComputed(key, () => value);
  expect([read(1, "a"), read(2, "b"), read(1, "c"), read(3, "d"), read(2, "e")]).toEqual([
    "a",
    "b",
    "a",
    "d",
    "e",
  ]);
});

test("a cached entry that is read again and again is never evicted", () => {
  const cache = new BoundedCache<number, string>(10);
  for (const key of upTo(100)) {
    cache.set(key, `value ${key}`);
    expect(cache.get(0)).toBe("value 0");
  }
  expect(keysIn(cache, upTo(100))).toEqual([0, ...upTo(100).slice(-9)]);
});

test("a bounded cache counts the sizes of its entries, but not of removed ones", () => {
  const cache = new BoundedCache<string, string>(10, ({ length }) => length);
  cache.set("kept", "1");
  for (let i = 0; i < 100; i++) cache.set("replaced", "123");
  for (let i = 0; i < 100; i++) {
    cache.set("deleted", "12");
    cache.delete("deleted");
  }
  expect(["kept", "replaced", "deleted"].map((key) => cache.get(key))).toEqual([
    "1",
    "123",
    undefined,
  ]);
  expect(cache.size).toBe(4);
  cache.set("large", "12345678");
  expect(["kept", "replaced", "large"].map((key) => cache.get(key)?.length)).toEqual([
    undefined,
    undefined,
    8,
  ]);
  expect(cache.size).toBe(8);
});

test("a bounded cache neither keeps nor makes room for an entry larger than its maximum", () => {
  const cache = new BoundedCache<string, string>(10, ({ length }) => length);
  cache.set("small", "1");
  cache.set("grows", "1");
  cache.set("grows", "12345678901");
  expect([cache.get("small"), cache.get("grows")]).toEqual(["1", undefined]);
  expect(cache.size).toBe(1);
  cache.delete("small");
  cache.delete("small");
  expect(cache.size).toBe(0);
});
