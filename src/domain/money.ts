import { AppError } from "./errors.ts";
import { memoized } from "./lazy.ts";
import { countOf, safe, quote } from "./text.ts";

/** A currency. `currencyDigits` is the number of decimals: with 2, 3500 minor units are 35.00. */
export type Currency = { currency: string; currencyDigits: number };

// Currency codes by their number of decimals, from list one of ISO 4217 as published on 2024-06-25,
// with amendment 176 (XCG). Precious metals, test codes and currencies of institutions are left
// out. Node's Intl has different decimals for some currencies, because its data come from CLDR and
// are the decimals of cash.
const CODES_BY_DIGITS = [
  "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  "",
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
   CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL
   GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD
   LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
   PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
   TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  "BHD IQD JOD KWD LYD OMR TND",
  "CLF UYW",
];

const digitsByCode = new Map(
  CODES_BY_DIGITS.flatMap((codes, digits) =>
    [...codes.matchAll(/[A-Z]{3}/g)].map(([code]) => [code, digits]),
  ),
);

export const CURRENCY_CODES: readonly string[] = [...digitsByCode.keys()].sort();

/** Returns the currency with the decimals of ISO 4217; 2 for an unknown code. */
export const isoCurrency = (code: string): Currency => ({
  currency: code,
  currencyDigits: digitsByCode.get(code) ?? 2,
});

export type CurrencyChange = { from: Currency; to: Currency };

export const currencyChange = (from: Currency, to: Currency): CurrencyChange | null =>
  from.currency === to.currency && from.currencyDigits === to.currencyDigits
    ? null
    : { from: pickCurrency(from), to: pickCurrency(to) };

const pickCurrency = ({ currency, currencyDigits }: Currency): Currency => ({
  currency,
  currencyDigits,
});

/** Returns the end of a sentence about the change: `from CHF to EUR`. */
export const currencyChangeText = ({ from, to }: CurrencyChange): string =>
  from.currency === to.currency
    ? `${from.currency} from ${from.currencyDigits} to ${to.currencyDigits} decimals`
    : `from ${from.currency} to ${to.currency}`;

/**
 * The largest amount: 10,000,000,000.00 with two decimals. Prices in Iranian rials exceed
 * 1,000,000,000.00.
 */
export const MAX_MINOR_UNITS = 1_000_000_000_000;

/**
 * Returns the sum of prices, each times its quantity.
 * @throws AppError validation_failed if a number cannot represent it exactly
 */
export function totalOfPrices(prices: readonly { priceCents: number; quantity: number }[]): number {
  const total = prices.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0);
  if (Number.isSafeInteger(total)) return total;
  const detail = `The total exceeds ${Number.MAX_SAFE_INTEGER} minor units of the currency.`;
  throw new AppError("validation_failed", detail, {
    fix: "book fewer guests, services or tickets at a time",
    // The issue points to the whole request, because several fields together make the total.
    issues: [{ pointer: "#", code: "invalid_value", detail }],
  });
}

/** Returns an amount with its decimals: `35.00` for 3500 in USD. */
export const formatMoney = (minorUnits: number, { currencyDigits }: Currency): string =>
  formatDecimal(minorUnits, currencyDigits);

/** Returns a percentage: `12.5` for 1250 basis points. */
export const formatPercent = (basisPoints: number): string =>
  formatDecimal(basisPoints, 2).replace(/\.?0+$/, "");

/**
 * An amount, or what is wrong with it: the end of a sentence that begins with the name of the
 * field.
 */
type ParsedAmount = { units: number } | { problem: string };

/** Parses an amount such as `35.00` into minor units, without floating-point arithmetic. */
export function parseMoney(
  text: string,
  { currency, currencyDigits: digits }: Currency,
): ParsedAmount {
  return parseDecimal(text, {
    digits,
    max: MAX_MINOR_UNITS,
    noun: "an amount",
    // A file without a valid currency is read with four decimals, the most that any currency has.
    // The example then has the usual two.
    example: digits > 3 ? "35.00" : formatDecimal(35 * 10 ** digits, digits),
    limit: `${currency} has ${digits === 0 ? "none" : digits}`,
  });
}

/** Parses a percentage into basis points. */
export const parsePercent = (text: string): ParsedAmount =>
  parseDecimal(text, {
    digits: 2,
    max: 10_000,
    noun: "a percentage",
    example: "12.5",
    limit: "at most 2 are allowed",
  });

type DecimalRules = { digits: number; max: number; noun: string; example: string; limit: string };

function parseDecimal(text: string, rules: DecimalRules): ParsedAmount {
  const shown = `'${safe(text, 40)}'`;
  if (/^-\d+(?:\.\d+)?$/.test(text)) return { problem: "must not be negative" };
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null)
    return { problem: `must be ${rules.noun} such as ${rules.example}, not ${shown}` };
  const [, whole = "", decimals = ""] = match;
  if (decimals.length > rules.digits)
    return {
      problem: `has ${countOf(decimals.length, "decimal")} in ${shown}, but ${rules.limit}`,
    };
  // A number with more than 15 digits exceeds every maximum, and would lose precision.
  const significant = (whole + decimals.padEnd(rules.digits, "0")).replace(/^0+(?=\d)/, "");
  const units = significant.length > 15 ? Number.POSITIVE_INFINITY : Number(significant);
  if (units > rules.max)
    return { problem: `must be at most ${formatDecimal(rules.max, rules.digits)}, not ${shown}` };
  return { units };
}

function formatDecimal(units: number, digits: number): string {
  const sign = units < 0 ? "-" : "";
  const text = String(Math.abs(units)).padStart(digits + 1, "0");
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * An amount in the format of catalog files, or what is wrong with it: the end of a sentence about
 * the cell.
 */
type MoneyCell = { amount: string } | { problem: string };

/**
 * Parses an amount as people and spreadsheets write it, such as `1.065,50`, `89,90 €` or `35.-`.
 * Text that is not an amount is returned unchanged: the check of the catalog explains what is
 * wrong.
 */
export function parseMoneyCell(text: string, currency: Currency): MoneyCell {
  if (text.length > MAX_CELL_LENGTH) return { amount: text };
  const plain = text.replaceAll(/[\u00a0\u2007\u2009\u202f]/g, " ").replaceAll("\u2019", "'");
  const [, before, number, after] = AMOUNT.exec(plain) ?? [];
  if (before === undefined || number === undefined || after === undefined) return { amount: text };
  const otherMarker = [before, after].find((marker) => !isMarkerOf(currency.currency, marker));
  if (otherMarker !== undefined)
    return isCurrencyMarker(otherMarker)
      ? {
          problem: `is in ${quote(otherMarker)}, but the prices of this business are in ${currency.currency}`,
        }
      : { amount: text };
  return readSeparators(number, currency, text);
}

/**
 * Matches digits with separators, between the markers of a currency. A dash may stand for no cents.
 */
const AMOUNT = /^(\D*?) *(\d(?:[\d.,' ]*\d)?)(?:[.,] ?[-\u2013\u2014]{1,2})? *(\D*)$/u;

/**
 * The longest text that is parsed: a longer amount exceeds every maximum, and matching would take
 * long.
 */
const MAX_CELL_LENGTH = 60;

/**
 * Parses digits with separators for thousands and decimals.
 * @param text the whole cell, with markers of the currency
 */
function readSeparators(number: string, currency: Currency, text: string): MoneyCell {
  const separators = number.replaceAll(/\d/g, "");
  const last = separators.at(-1);
  if (last === undefined) return { amount: number };
  const [whole = "", decimals = ""] = splitAtLast(number, last);
  const earlier = separators.slice(0, -1);
  // A separator that occurs twice, or is no point or comma, separates thousands. Text in which
  // thousands are not groups of three digits is returned unchanged.
  if (earlier.includes(last) || !/[.,]/.test(last))
    return { amount: isGrouped(number, last) ? number.replaceAll(last, "") : text };
  // The last separator marks the decimals if a different separator comes before it.
  if (earlier !== "") {
    const ofThousands = earlier.charAt(0);
    return {
      amount: isGrouped(whole, ofThousands)
        ? `${whole.replaceAll(ofThousands, "")}.${decimals}`
        : text,
    };
  }
  // A single separator is ambiguous in most currencies if one to three digits come before it and
  // exactly three after it, unless the number begins with zero.
  const digits = currency.currencyDigits;
  if (!isGrouped(number, last)) return { amount: `${whole}.${decimals}` };
  if (digits === 0) return { amount: whole + decimals };
  // Catalog files and exports write a point before the decimals if a currency has three of them.
  if (digits === 3 && last === ".") return { amount: number };
  const thousands = formatMoney(Number(whole + decimals) * 10 ** digits, currency);
  return {
    problem:
      `is ambiguous: the '${last}' in ${quote(text)} can separate thousands or decimals. ` +
      `Write ${thousands}, or an amount with exactly ${digits} decimals`,
  };
}

const splitAtLast = (text: string, separator: string): [string, string] => {
  const at = text.lastIndexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
};

/**
 * Returns whether the first group has one to three digits and no leading zero, and every other
 * group has three digits.
 */
const isGrouped = (number: string, separator: string): boolean =>
  /^[1-9]\d{0,2}$/.test(number.split(separator)[0] ?? "") &&
  number
    .split(separator)
    .slice(1)
    .every((group) => /^\d{3}$/.test(group));

/** Names of currencies in prices, besides the codes and the symbols that Intl knows. */
const INFORMAL_MARKERS: Readonly<Record<string, readonly string[]>> = {
  CHF: ["fr", "sfr"],
  EUR: ["euro"],
};

/** Returns whether the text before or after an amount is empty or names this currency. */
function isMarkerOf(currency: string, marker: string): boolean {
  const name = marker
    .trim()
    .toLowerCase()
    .replace(/(?<=\p{L})\.$/u, "");
  return name === "" || markersOf(currency).includes(name);
}

/**
 * The markers of each currency are cached: building a formatter takes longer than reading thousands
 * of cells.
 */
const markersOf = memoized((currency: string): readonly string[] => [
  ...(["code", "symbol", "narrowSymbol"] as const).map(
    (currencyDisplay) =>
      new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay })
        .formatToParts(0)
        .find(({ type }) => type === "currency")
        ?.value.toLowerCase() ?? "",
  ),
  ...(INFORMAL_MARKERS[currency] ?? []),
]);

/** Returns the other currency that a title such as `Preis (EUR)` names, or undefined. */
export const foreignCurrencyIn = (title: string, { currency }: Currency): string | undefined =>
  title.split(/[\s()[\]]+/).find((word) => isCurrencyMarker(word) && !isMarkerOf(currency, word));

const isCurrencyMarker = (marker: string): boolean =>
  /^\p{Sc}$/u.test(marker.trim()) ||
  CURRENCY_CODES.includes(marker.trim().toUpperCase()) ||
  Object.keys(INFORMAL_MARKERS).some((currency) => isMarkerOf(currency, marker));
