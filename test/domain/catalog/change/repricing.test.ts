import { expect, test, vi } from "vitest";
import { diffCatalog } from "../../../../src/domain/catalog/change/diff.ts";
import {
  countPrices,
  findRepricing,
  repricingText,
} from "../../../../src/domain/catalog/change/repricing.ts";
import { readCatalogBody } from "../../../support/catalog-file.ts";

const EUR = { currency: "EUR", currencyDigits: 2 };

const catalogOf = (prices: readonly (string | null)[]) =>
  readCatalogBody(
    `services:\n${prices
      .map(
        (price, i) =>
          `  - { key: s${i}, name: S${i}, durationMin: 30, ${price === null ? "priceType: FREE" : `price: "${price}"`} }`,
      )
      .join("\n")}\n`,
  );

function textOf(before: readonly string[], after: readonly (string | null)[]): string | null {
  const [old, next] = [catalogOf(before), catalogOf(after)];
  const prices = {
    exceeds: () => false,
    count: () => countPrices(Object.values(old.objects).flat()),
  };
  const found = findRepricing(diffCatalog(old, next, () => 0).changes, prices);
  return found && repricingText(found, EUR);
}

const TEN = [
  "10.00",
  "20.00",
  "30.00",
  "40.00",
  "50.00",
  "60.00",
  "70.00",
  "80.00",
  "90.00",
  "95.00",
];

test("if a fifth of all prices change by more than half, the changes are counted and the largest are named", () => {
  expect(
    textOf(
      TEN,
      TEN.map(() => "1.00"),
    ),
  ).toBe(
    "change 10 of 10 prices by more than half (s9 95.00 -> 1.00, s8 90.00 -> 1.00, s7 80.00 -> 1.00, …)",
  );
  expect(textOf(TEN, ["4.99", "31.00", ...TEN.slice(2)])).toBe(
    "change 2 of 10 prices by more than half (s0 10.00 -> 4.99, s1 20.00 -> 31.00)",
  );
});

test.each([
  ["less than a fifth changes by more than half", TEN, ["1.00", ...TEN.slice(1)]],
  ["all prices change by half", TEN, TEN.map((price) => String(Number(price) / 2))],
  ["there are fewer than ten prices", TEN.slice(1), TEN.slice(1).map(() => "1.00")],
  ["a service becomes free by its price type", TEN, [null, ...TEN.slice(1)]],
])("no change of prices is named if %s", (_, before, after) => {
  expect(textOf(before, after)).toBeNull();
});

test("a price that becomes 0 is named in a catalog of any size", () => {
  expect(textOf(["35.00", "60.00"], ["0.00", "61.00"])).toBe(
    "change 1 of 2 prices by more than half, all of them to 0 (s0 35.00 -> 0.00)",
  );
});

test("the prices of a catalog are counted only if one becomes 0 or large changes may be a fifth of all", () => {
  const countsAll = (to: string, atLeast: number): boolean => {
    const [old, next] = [catalogOf(["10.00"]), catalogOf([to])];
    const count = vi.fn(() => 100);
    const prices = { exceeds: (limit: number) => atLeast > limit, count };
    findRepricing(diffCatalog(old, next, () => 0).changes, prices);
    return count.mock.calls.length > 0;
  };
  expect(countsAll("30.00", 6)).toBe(false);
  expect(countsAll("30.00", 5)).toBe(true);
  expect(countsAll("0.00", 6)).toBe(true);
  expect(countsAll("12.00", 1)).toBe(false);
});

test("the prices that a staff member has for several services are compared service by service", () => {
  const bodyOf = (price: string) =>
    readCatalogBody(`
services:
  - { key: cut, name: Cut, durationMin: 30, price: "40.00" }
  - { key: wash, name: Wash, durationMin: 15, price: "15.00" }
staff:
  - key: mia
    name: Mia
    serviceOverrides: [{ service: cut, price: "${price}" }, { service: wash, price: "20.00" }]
`);
  const [old, next] = [bodyOf("50.00"), bodyOf("0.00")];
  const prices = { exceeds: () => false, count: () => 0 };
  expect(findRepricing(diffCatalog(old, next, () => 0).changes, prices)?.largest).toEqual([
    { key: "mia", part: "cut", from: 5000, to: 0 },
  ]);
});
