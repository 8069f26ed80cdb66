import { expect, test } from "vitest";
import { readCatalog } from "../../../src/domain/catalog/source/read-catalog.ts";
import { generateCatalog } from "../../../src/features/samples/generate.ts";

const generate = (size: number, seed: number) =>
  readCatalog([{ name: "generated.json", text: JSON.stringify(generateCatalog(size, seed)) }], {
    current: () => null,
    prune: false,
    seedingAt: Date.parse("2026-11-20T12:00:00Z"),
  }).catalog;

test.each([1, 2, 7, 40, 997])(
  "a generated catalog of %i objects is valid and has exactly this size",
  (size) => {
    for (const seed of [0, 1, 42]) {
      const { objects } = generate(size, seed);
      expect(Object.values(objects).reduce((sum, docs) => sum + docs.length, 0)).toBe(size);
    }
  },
);

test("equal random seeds generate equal catalogs, and different seeds different ones", () => {
  expect(generateCatalog(300, 7)).toEqual(generateCatalog(300, 7));
  expect(generateCatalog(300, 7)).not.toEqual(generateCatalog(300, 8));
});

test("a large generated catalog has objects of every kind with realistic, unique names", () => {
  const { objects } = generate(400, 3);
  for (const [kind, docs] of Object.entries(objects)) {
    expect(docs, kind).not.toHaveLength(0);
    expect(new Set(docs.map(({ name }) => name)).size, kind).toBe(docs.length);
    for (const { name } of docs) expect(name).toMatch(/^\p{Lu}(?!.* {2})[\p{L}\d .,:'&()+-]+$/u);
  }
  expect(objects.service.some(({ variants }) => variants.length > 1)).toBe(true);
  expect(objects.service.some(({ addons }) => addons.length > 0)).toBe(true);
  expect(objects.menu_item.some(({ allergens }) => allergens.length > 0)).toBe(true);
});
