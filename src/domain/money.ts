import type { Currency } from "./currency.ts";
import { AppError } from "./errors.ts";
import { countOf, safe } from "./text.ts";

/** 10,000,000,000.00 in a currency with cents: a car costs more than 1,000,000,000.00 rials. */
export const MAX_MINOR_UNITS = 1_000_000_000_000;

/**
 * Returns the sum of prices, each times its quantity.
 * @throws AppError validation_failed if a number cannot represent it exactly
 */
export function totalOfPrices(prices: readonly { priceCents: number; quantity: number }[]): number {
  const total = prices.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0);
  if (Number.isSafeInteger(total)) return total;
  throw new AppError(
    "validation_failed",
    `The total exceeds ${Number.MAX_SAFE_INTEGER} minor units of the currency.`,
    { fix: "book fewer guests, services or tickets at a time" },
  );
}

/** 3500 in USD is `35.00`. */
export const formatMoney = (minorUnits: number, { currencyDigits }: Currency): string =>
  formatDecimal(minorUnits, currencyDigits);

/** 1250 basis points are `12.5`. */
export const formatPercent = (basisPoints: number): string =>
  formatDecimal(basisPoints, 2).replace(/\.?0+$/, "");

/** An amount, or a problem as the rest of a sentence that begins with the field's name. */
type ParsedAmount = { units: number } | { problem: string };

/** Reads the digits, without floating-point arithmetic. */
export function parseMoney(
  text: string,
  { currency, currencyDigits: digits }: Currency,
): ParsedAmount {
  return parseDecimal(text, {
    digits,
    max: MAX_MINOR_UNITS,
    noun: "an amount",
    // Four decimals also stand for an unknown currency, and most have two.
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
  // More than 15 digits exceed every maximum, and would lose precision as a number.
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
