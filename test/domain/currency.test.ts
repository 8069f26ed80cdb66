import { describe, expect, it } from "vitest";
import { CURRENCY_CODES, currencyChange, isoCurrency } from "../../src/domain/currency.ts";

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
