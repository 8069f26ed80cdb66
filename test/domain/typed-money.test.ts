import { describe, expect, test } from "vitest";
import { foreignCurrencyIn, parseMoneyCell } from "../../src/domain/typed-money.ts";
import { isoCurrency } from "../../src/domain/currency.ts";

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
  ])("the amount '%s' in %s is ambiguous, never a guess", (text, currency, thousands, digits) => {
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

  test("a cell of 64 KiB takes no time", () => {
    const amount = `a${" ".repeat(65_000)}b`;
    expect(parseMoneyCell(amount, isoCurrency("EUR"))).toEqual({ amount });
  });

  test.each(["4o", "-35.00", "1.06.5", "1,065,50", "1'065 500,00", "35 / Std.", ".50", "1e5"])(
    "the amount '%s' is left for the catalog's own check",
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
