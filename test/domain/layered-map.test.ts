import { expect, test } from "vitest";
import { LayeredMap } from "../../src/domain/layered-map.ts";

test("a changed copy of a map has the new values, and the original map keeps its values", () => {
  const original = new LayeredMap(new Map(Object.entries({ a: 1, b: 2 })));
  const changed = original.with([
    ["a", undefined],
    ["b", 3],
    ["c", 4],
  ]);
  expect(["a", "b", "c"].map((key) => original.get(key))).toEqual([1, 2, undefined]);
  expect(["a", "b", "c"].map((key) => changed.get(key))).toEqual([undefined, 3, 4]);
});

test("a map has the last value of each key after a thousand changes in a row", () => {
  let map = new LayeredMap<number>(new Map());
  for (let n = 0; n < 1000; n++)
    map = map.with([
      [`key ${n}`, n],
      [`key ${n - 500}`, undefined],
    ]);
  const left = Array.from({ length: 1000 }, (_, n) => map.get(`key ${n}`));
  expect(left.filter((value) => value !== undefined)).toEqual(
    Array.from({ length: 500 }, (_, n) => n + 500),
  );
});
