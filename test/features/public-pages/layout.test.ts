import { expect, test } from "vitest";
import {
  divideIntoPages,
  firstOptions,
  MAX_PARTS,
  weigh,
  weighTexts,
} from "../../../src/features/public-pages/layout.ts";

const NO_TEXTS = { description: null, translations: {}, images: [] };

test("entries fill each page up to the maximum weight, and an entry above the maximum has a page of its own", () => {
  const divide = (weights: readonly number[]) => divideIntoPages(weights, (weight) => weight, 10);
  expect(divide([5, 5, 5, 5, 5])).toEqual([[5, 5], [5, 5], [5]]);
  expect(divide([11, 1, 11])).toEqual([[11], [1], [11]]);
  expect(divide([])).toEqual([[]]);
});

test("the weight of an object on a page is that of its texts in the longest language", () => {
  const original = { ...NO_TEXTS, name: "Soup", description: "Hot" };
  const translated = {
    ...NO_TEXTS,
    name: "S",
    translations: { de: { name: "Soup", description: "Hot" }, fr: { name: "Sou" } },
  };
  expect(weigh(translated as never)).toBe(weigh(original as never));
});

const parts = (count: number, name: string) => Array.from({ length: count }, () => ({ name }));

test("a page shows the first options of a group, up to a maximum number and a maximum size", () => {
  expect(firstOptions(parts(100, "Oat milk"))).toHaveLength(MAX_PARTS);
  // Each quote takes six characters of HTML, so that only few of these names fit.
  expect(firstOptions(parts(100, '"'.repeat(190)))).toHaveLength(5);
});

test("the weight of an object counts only the sizes that a page shows", () => {
  const weightOf = (count: number) =>
    weigh({ name: "Tea", images: [], translations: {}, sizes: parts(count, "Pot") });
  expect(weightOf(MAX_PARTS)).toBeGreaterThan(weightOf(MAX_PARTS - 1));
  expect(weightOf(MAX_PARTS + 1)).toBe(weightOf(MAX_PARTS));
});

test("the weight of short texts is the sum of their weights, and longer texts weigh more", () => {
  const [hall, street] = [weighTexts(["Hall"]), weighTexts(["Main Street 1"])];
  expect(hall).toBeGreaterThan(0);
  expect(street).toBeGreaterThan(hall);
  expect(weighTexts(["Hall", null, "Main Street 1", undefined])).toBe(hall + street);
});
