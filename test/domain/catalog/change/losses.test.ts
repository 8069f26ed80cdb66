import { expect, test } from "vitest";
import type { Catalog } from "../../../../src/domain/catalog/catalog.ts";
import { diffCatalog } from "../../../../src/domain/catalog/change/diff.ts";
import { findEmptied, lossesText } from "../../../../src/domain/catalog/change/losses.ts";
import { readCatalogBody } from "../../../support/catalog-file.ts";

const BEFORE = `
hours: [{ days: mon-fri, start: "09:00", end: "17:00" }]
staff: [{ key: mia, name: Mia }]
addons: [{ key: wash, name: Wash, price: 5.00 }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 35.00, staff: [mia], addons: [wash] }
  - { key: spa, name: Spa, durationMin: 60, price: 60.00, staff: [mia] }
  - { key: trim, name: Trim, durationMin: 15, price: 9.00 }
tables: [{ key: two, maxSeats: 2 }]
`;

const PLAN = {
  currency: "EUR",
  currencyDigits: 2,
  changes: [],
  overwrittenSections: [],
  repricing: null,
};

const emptiedBy = (edit: (text: string) => string) => {
  const [before, after]: Catalog[] = [BEFORE, edit(BEFORE)].map((body) => readCatalogBody(body));
  if (!before || !after) throw new Error("no catalog");
  return findEmptied(before, after, diffCatalog(before, after, () => 0).changes);
};

test("objects that lose all their links, and sections that lose all entries, are reported as emptied", () => {
  const emptied = emptiedBy((text) =>
    text
      .replaceAll(", staff: [mia]", "")
      .replace(", addons: [wash]", "")
      .replace(/^(hours|tables): .*$/gm, "$1: []"),
  );
  expect(emptied).toEqual([
    { section: "hours", key: null, field: null, count: 1 },
    { section: "services", key: "cut", field: "staff", count: 1 },
    { section: "services", key: "cut", field: "addons", count: 1 },
    { section: "services", key: "spa", field: "staff", count: 1 },
    { section: "tables", key: null, field: null, count: 1 },
  ]);
  expect(lossesText({ ...PLAN, emptied }, false)).toBe(
    "empty hours (1 entry), empty tables (1 entry), remove all staff of cut, spa, remove all add-ons of cut",
  );
  expect(lossesText({ ...PLAN, emptied }, true)).toBe(
    "remove all staff of cut, spa, remove all add-ons of cut",
  );
});

test("an object that is deleted, keeps a link or never had one is not reported as emptied", () => {
  const emptied = emptiedBy((text) =>
    text
      .replace(/^.*key: spa.*\n/m, "")
      .replace("[{ key: mia, name: Mia }]", "[{ key: mia, name: Mia }, { key: ann, name: Ann }]")
      .replace("price: 35.00, staff: [mia]", "price: 36.00, staff: [ann]")
      .replace("price: 9.00", "price: 10.00"),
  );
  expect(emptied).toEqual([]);
  expect(lossesText({ ...PLAN, emptied }, false)).toBeNull();
});
