import { expect, test } from "vitest";
import { union } from "../../../src/domain/availability/intervals.ts";

const list = (...pairs: [number, number][]) => pairs.map(([start, end]) => ({ start, end }));

test("the union of two lists has every minute of both, in joined intervals", () => {
  const a = list([0, 2], [4, 6], [10, 12], [20, 22]);
  const b = list([1, 3], [6, 8], [11, 12], [30, 31]);
  const joined = list([0, 3], [4, 8], [10, 12], [20, 22], [30, 31]);
  expect(union(a, b)).toEqual(joined);
  expect(union(b, a)).toEqual(joined);
  expect(union(a, [])).toBe(a);
  expect(union([], b)).toBe(b);
});
