import { CURRENCY_CODES, type Currency } from "./currency.ts";
import { formatMoney } from "./money.ts";
import { quote } from "./text.ts";

/** An amount as catalog files write it, or a problem as the rest of a sentence about the cell. */
type MoneyCell = { amount: string } | { problem: string };

/**
 * Reads an amount as people and spreadsheets write it, such as `1.065,50`, `89,90 €` or `35.-`.
 * What is not an amount is returned as it is: the catalog's own check explains it.
 */
export function parseMoneyCell(text: string, currency: Currency): MoneyCell {
  if (text.length > MAX_LENGTH) return { amount: text };
  const plain = text.replaceAll(/[\u00a0\u2007\u2009\u202f]/g, " ").replaceAll("\u2019", "'");
  const [, before, number, after] = AMOUNT.exec(plain) ?? [];
  if (before === undefined || number === undefined || after === undefined) return { amount: text };
  const foreign = [before, after].find((marker) => !isMarkerOf(currency.currency, marker));
  if (foreign !== undefined)
    return isCurrencyMarker(foreign)
      ? {
          problem: `is in ${quote(foreign)}, but the prices of this business are in ${currency.currency}`,
        }
      : { amount: text };
  return readSeparators(number, currency, text);
}

/** Digits with separators, and a dash for no cents, between the markers of a currency. */
const AMOUNT = /^(\D*?) *(\d(?:[\d.,' ]*\d)?)(?:[.,] ?[-\u2013\u2014]{1,2})? *(\D*)$/u;

/** Longer amounts exceed every maximum, and matching would take long. */
const MAX_LENGTH = 60;

function readSeparators(number: string, currency: Currency, text: string): MoneyCell {
  const separators = number.replaceAll(/\d/g, "");
  const last = separators.at(-1);
  if (last === undefined) return { amount: number };
  const [whole = "", decimals = ""] = splitAtLast(number, last);
  const inWhole = separators.slice(0, -1);
  // A point or a comma separates decimals, and stands there once.
  if (inWhole.includes(last) || !/[.,]/.test(last))
    return { amount: isGrouped(number, last) ? number.replaceAll(last, "") : text };
  if (inWhole !== "") {
    const group = inWhole.charAt(0);
    return {
      amount: isGrouped(whole, group) ? `${whole.replaceAll(group, "")}.${decimals}` : text,
    };
  }
  const digits = currency.currencyDigits;
  if (!isGrouped(number, last)) return { amount: `${whole}.${decimals}` };
  if (digits === 0) return { amount: whole + decimals };
  // A point before three decimals is how catalog files and exports write such a currency.
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

const isGrouped = (number: string, separator: string): boolean =>
  /^[1-9]\d{0,2}$/.test(number.split(separator)[0] ?? "") &&
  number
    .split(separator)
    .slice(1)
    .every((group) => /^\d{3}$/.test(group));

/** How prices name currencies, besides the code and the symbols that Intl knows. */
const INFORMAL_MARKERS: Readonly<Record<string, readonly string[]>> = {
  CHF: ["fr", "sfr"],
  EUR: ["euro"],
};

/** Whether the text before or after an amount is empty or names this currency. */
function isMarkerOf(currency: string, marker: string): boolean {
  const name = marker
    .trim()
    .toLowerCase()
    .replace(/(?<=\p{L})\.$/u, "");
  return name === "" || markersOf(currency).includes(name);
}

/** Building a formatter takes longer than reading thousands of cells. */
const knownMarkers = new Map<string, readonly string[]>();

function markersOf(currency: string): readonly string[] {
  const known = knownMarkers.get(currency) ?? listMarkers(currency);
  knownMarkers.set(currency, known);
  return known;
}

const listMarkers = (currency: string): string[] => [
  ...(["code", "symbol", "narrowSymbol"] as const).map(
    (currencyDisplay) =>
      new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay })
        .formatToParts(0)
        .find(({ type }) => type === "currency")
        ?.value.toLowerCase() ?? "",
  ),
  ...(INFORMAL_MARKERS[currency] ?? []),
];

/** Returns the other currency that a title such as `Preis (EUR)` names, or undefined. */
export const foreignCurrencyIn = (title: string, { currency }: Currency): string | undefined =>
  title.split(/[\s()[\]]+/).find((word) => isCurrencyMarker(word) && !isMarkerOf(currency, word));

const isCurrencyMarker = (marker: string): boolean =>
  /^\p{Sc}$/u.test(marker.trim()) ||
  CURRENCY_CODES.includes(marker.trim().toUpperCase()) ||
  Object.keys(INFORMAL_MARKERS).some((currency) => isMarkerOf(currency, marker));
