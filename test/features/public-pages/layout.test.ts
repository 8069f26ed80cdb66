import { expect, test } from "vitest";
import { divideIntoPages, weigh } from "../../../src/features/public-pages/layout.ts";

const NO_TEXTS = { description: null, translations: {}, images: [] };

test("each page takes entries up to the largest weight, and a heavier entry has a page of its own", () => {
  const divide = (weights: readonly number[]) => divideIntoPages(weights, (weight) => weight, 10);
  expect(divide([5, 5, 5, 5, 5])).toEqual([[5, 5], [5, 5], [5]]);
  expect(divide([11, 1, 11])).toEqual([[11], [1], [11]]);
  expect(divide([])).toEqual([[]]);
});

test("an object weighs as much as its longest language", () => {
  const original = { ...NO_TEXTS, name: "Soup", description: "Hot" };
  const translated = {
    ...NO_TEXTS,
    name: "S",
    translations: { de: { name: "Soup", description: "Hot" }, fr: { name: "Sou" } },
  };
  expect(weigh(translated as never)).toBe(weigh(original as never));
});
