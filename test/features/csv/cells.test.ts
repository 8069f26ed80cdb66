import { describe, expect, test } from "vitest";
import {
  findSpoiledText,
  parseDurationCell,
  parsePriceCell,
} from "../../../src/features/csv/cells.ts";
import { isoCurrency } from "../../../src/domain/money.ts";

test.each([
  ["ab 35,00 €", { price: "35.00", priceType: "FROM" }],
  ["from 35.00", { price: "35.00", priceType: "FROM" }],
  ["gratis", { priceType: "FREE" }],
  ["auf Anfrage", { priceType: "ON_REQUEST" }],
  ["Tagespreis", { priceType: "MARKET" }],
])("the text '%s' in a price column is parsed", (text, expected) => {
  expect(parsePriceCell(text, isoCurrency("EUR"))).toEqual(expected);
});

test.each([
  ["30", { durationMin: 30 }],
  ["30 min", { durationMin: 30 }],
  ["30 Minuten", { durationMin: 30 }],
  ["soon", { durationMin: "soon" }],
  ["1:30", { problem: "must be a number of minutes, not '1:30'. Write 90" }],
])("the text '%s' in a duration column is parsed", (text, expected) => {
  expect(parseDurationCell(text)).toEqual(expected);
});

describe("a cell that a spreadsheet has spoiled", () => {
  test.each([
    ["1,06E+03", "scientific notation"],
    ["1.23E-05", "scientific notation"],
    ["12. Mai", "contains a date"],
    ["12-May", "contains a date"],
    ["Mrz 26", "contains a date"],
    ["05.12.2026", "contains a date"],
    ["2026-12-05 00:00:00", "contains a date"],
    ["#NAME?", "the spreadsheet's error"],
    ["#WERT!", "the spreadsheet's error"],
    ["#N/A", "the spreadsheet's error"],
    ["#####", "the column is too narrow"],
  ])("a cell that a spreadsheet has spoiled is recognised: %s", (text, spoiled) => {
    expect(findSpoiledText(text, { isProse: false })).toContain(spoiled);
  });

  test.each(["12.05", "1.065,50", "1e5", "Mai", "Marinade 20", "1. Mai Brunch", "#1 Roll"])(
    "'%s' is a normal text, not a spoiled cell",
    (text) => {
      expect(findSpoiledText(text, { isProse: false })).toBeUndefined();
    },
  );

  test("a description that looks like a date is not reported as a spoiled cell", () => {
    expect(findSpoiledText("12. Mai", { isProse: true })).toBeUndefined();
  });
});
