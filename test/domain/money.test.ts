import { describe, expect, it, test } from "vitest";
import {
  CURRENCY_CODES,
  currencyChange,
  isoCurrency,
  formatMoney,
  MAX_MINOR_UNITS,
  parseMoney,
  parsePercent,
  totalOfPrices,
  foreignCurrencyIn,
  parseMoneyCell,
} from "../../src/domain/money.ts";
import {
  assert,
  constantFrom,
  double,
  integer,
  oneof,
  property,
  string,
} from "../support/property.ts";

describe("isoCurrency", () => {
  it("isoCurrency has the decimals of ISO 4217, not those of the runtime", () => {
    const digits = (codes: string) =>
      codes.split(" ").map((code) => isoCurrency(code).currencyDigits);
    expect(digits("AFN COP HUF IDR LBP PKR YER")).toEqual([2, 2, 2, 2, 2, 2, 2]);
    expect(digits("BHD IQD KWD TND")).toEqual([3, 3, 3, 3]);
    expect(digits("CLP ISK JPY KRW UYI VND XOF")).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(digits("CLF CHF EUR USD XCG")).toEqual([4, 2, 2, 2, 2]);
  });

  it("isoCurrency knows each currency once, without metals and test codes", () => {
    expect(new Set(CURRENCY_CODES).size).toBe(CURRENCY_CODES.length);
    expect(CURRENCY_CODES).toHaveLength(167);
    for (const code of ["XAU", "XTS", "XXX", "XDR"]) expect(CURRENCY_CODES).not.toContain(code);
  });
});

describe("currencyChange", () => {
  it("currencyChange is null for the same code and decimals", () => {
    const forint = { currency: "HUF", currencyDigits: 0 };
    expect(currencyChange(forint, { ...forint })).toBeNull();
    expect(currencyChange(forint, isoCurrency("HUF"))).toMatchObject({ from: forint });
  });
});

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
  it("parsePercent turns a percentage into exact basis points", () => {
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
      expect.objectContaining({
        message: expect.stringContaining("The total exceeds"),
        issues: [expect.objectContaining({ pointer: "#" })],
      }),
    );
  });
});

describe("an amount in a spreadsheet", () => {
  test.each([
    ["1.065,50", "EUR", "1065.50"],
    ["1,065.50", "USD", "1065.50"],
    ["€ 1,065.50", "EUR", "1065.50"],
    ["89,90 €", "EUR", "89.90"],
    ["89,90\u00a0€", "EUR", "89.90"],
    ["5 Euro", "EUR", "5"],
    ["1'065.50", "CHF", "1065.50"],
    ["1\u2019065.50", "CHF", "1065.50"],
    ["1\u202f065,50", "EUR", "1065.50"],
    ["Fr. 35.-", "CHF", "35"],
    ["35,\u2013 €", "EUR", "35"],
    ["CHF 35", "CHF", "35"],
    ["$35", "CAD", "35"],
    ["35,5", "EUR", "35.5"],
    ["1.065.500", "EUR", "1065500"],
    ["1.065", "JPY", "1065"],
    ["1.065", "KWD", "1.065"],
    ["0,065", "EUR", "0.065"],
    ["1065,500", "EUR", "1065.500"],
  ])("the amount '%s' in %s is %s", (text, currency, amount) => {
    expect(parseMoneyCell(text, isoCurrency(currency))).toEqual({ amount });
  });

  test.each([
    ["1.065", "EUR", "1065.00", 2],
    ["1,065", "EUR", "1065.00", 2],
    ["€ 1.065", "EUR", "1065.00", 2],
    ["1,065", "KWD", "1065.000", 3],
  ])("the amount '%s' in %s is refused as ambiguous", (text, currency, thousands, digits) => {
    expect(parseMoneyCell(text, isoCurrency(currency))).toEqual({
      problem: expect.stringMatching(
        `^is ambiguous: .* Write ${thousands}, or an amount with exactly ${digits} decimals$`,
      ),
    });
  });

  test.each(["$35", "USD 35", "35 Euro", "£35"])("the amount '%s' is refused in CHF", (text) => {
    expect(parseMoneyCell(text, isoCurrency("CHF"))).toEqual({
      problem: expect.stringMatching(/^is in '.+', but the prices of this business are in CHF$/),
    });
  });

  test("a cell of 64 KiB that is no amount is returned unchanged, for the catalog's own check", () => {
    const amount = `a${" ".repeat(65_000)}b`;
    expect(parseMoneyCell(amount, isoCurrency("EUR"))).toEqual({ amount });
  });

  test.each(["4o", "-35.00", "1.06.5", "1,065,50", "1'065 500,00", "35 / Std.", ".50", "1e5"])(
    "the amount '%s' is returned unchanged, for the catalog's own check",
    (amount) => {
      expect(parseMoneyCell(amount, isoCurrency("EUR"))).toEqual({ amount });
    },
  );
});

test.each([
  ["Preis (EUR)", "EUR"],
  ["Preis in €", "€"],
  ["Price [USD]", "USD"],
  ["Preis (CHF)", undefined],
  ["Preis in Fr.", undefined],
  ["Preis", undefined],
])("the other currency in the title '%s' is %s", (title, foreign) => {
  expect(foreignCurrencyIn(title, isoCurrency("CHF"))).toBe(foreign);
});
