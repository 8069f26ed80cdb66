import {
  assert,
  constantFrom,
  double,
  integer,
  oneof,
  property,
  string,
} from "../support/property.ts";
import { isoCurrency } from "../../src/domain/currency.ts";
import { describe, expect, it } from "vitest";
import {
  formatMoney,
  MAX_MINOR_UNITS,
  parseMoney,
  parsePercent,
  totalOfPrices,
} from "../../src/domain/money.ts";

describe("parseMoney", () => {
  it.each([
    ["35.00", "USD", 3500],
    ["35.5", "USD", 3550],
    ["35", "USD", 3500],
    ["0", "USD", 0],
    ["0.07", "USD", 7],
    ["035.00", "USD", 3500],
    ["1.005", "KWD", 1005],
    ["1200", "JPY", 1200],
    ["10000000000.00", "USD", MAX_MINOR_UNITS],
    ["0000000000000000000012.00", "USD", 1200],
  ])("parseMoney reads %s in %s as %i minor units", (text, currency, units) => {
    expect(parseMoney(text, isoCurrency(currency))).toEqual({ units });
  });

  it.each([
    ["35.555", "USD", "has 3 decimals in '35.555', but USD has 2"],
    ["1200.0", "JPY", "has 1 decimal in '1200.0', but JPY has none"],
    ["1.0005", "KWD", "has 4 decimals in '1.0005', but KWD has 3"],
    ["-1.00", "USD", "must not be negative"],
    ["1e3", "USD", "must be an amount such as 35.00, not '1e3'"],
    ["35,00", "CHF", "must be an amount such as 35.00, not '35,00'"],
    ["$35", "USD", "must be an amount such as 35.00, not '$35'"],
    ["1'200", "JPY", "must be an amount such as 35, not '1'200'"],
    [".50", "KWD", "must be an amount such as 35.000, not '.50'"],
    ["", "USD", "must be an amount such as 35.00, not ''"],
    [".inf", "USD", "must be an amount such as 35.00, not '.inf'"],
    ["10000000000.01", "USD", "must be at most 10000000000.00, not '10000000000.01'"],
    ["9".repeat(400), "JPY", `must be at most 1000000000000, not '${"9".repeat(39)}…'`],
  ])("parseMoney rejects %s in %s", (text, currency, problem) => {
    expect(parseMoney(text, isoCurrency(currency))).toEqual({ problem });
  });

  it("parseMoney round-trips every amount in currencies with zero, two and three decimals", () => {
    assert(
      property(
        integer({ min: 0, max: MAX_MINOR_UNITS }),
        constantFrom("JPY", "USD", "KWD"),
        (units, currency) => {
          expect(
            parseMoney(formatMoney(units, isoCurrency(currency)), isoCurrency(currency)),
          ).toEqual({ units });
        },
      ),
    );
  });

  it("parseMoney never throws and returns only integers in range", () => {
    assert(
      property(
        oneof(string(), double().map(String)),
        constantFrom("JPY", "USD", "KWD"),
        (text, currency) => {
          const amount = parseMoney(text, isoCurrency(currency));
          const units = "units" in amount ? amount.units : 0;
          expect(Number.isInteger(units) && units >= 0 && units <= MAX_MINOR_UNITS).toBe(true);
        },
      ),
    );
  });
});

describe("formatMoney", () => {
  it.each([
    [3500, "USD", "35.00"],
    [7, "USD", "0.07"],
    [0, "JPY", "0"],
    [1200, "JPY", "1200"],
    [5, "KWD", "0.005"],
    [-250, "EUR", "-2.50"],
  ])("formatMoney prints %i minor units of %s", (units, currency, text) => {
    expect(formatMoney(units, isoCurrency(currency))).toBe(text);
  });
});

describe("parsePercent", () => {
  it("parsePercent parses basis points exactly", () => {
    expect(["20", "12.5", "0.01", "100"].map(parsePercent)).toEqual(
      [2000, 1250, 1, 10_000].map((units) => ({ units })),
    );
  });

  it.each([
    ["101", "must be at most 100.00, not '101'"],
    ["1.234", "has 3 decimals in '1.234', but at most 2 are allowed"],
    ["20%", "must be a percentage such as 12.5, not '20%'"],
  ])("parsePercent rejects %s", (text, problem) => {
    expect(parsePercent(text)).toEqual({ problem });
  });
});

describe("totalOfPrices", () => {
  it("totalOfPrices adds prices times their quantities", () => {
    const prices = [
      { priceCents: MAX_MINOR_UNITS, quantity: 9000 },
      { priceCents: 5, quantity: 3 },
    ];
    expect(totalOfPrices(prices)).toBe(9_000_000_000_000_015);
  });

  it("totalOfPrices refuses a total that a number cannot represent", () => {
    expect(() => totalOfPrices([{ priceCents: MAX_MINOR_UNITS, quantity: 10_000 }])).toThrow(
      "The total exceeds",
    );
  });
});
