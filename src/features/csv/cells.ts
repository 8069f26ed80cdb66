import { type Currency, parseMoneyCell } from "../../domain/money.ts";
import { quote } from "../../domain/text.ts";
import { CSV_SEPARATOR } from "./format.ts";

/** What is wrong with a cell: the rest of a sentence that begins with the title of the column. */
type CellProblem = { problem: string };

export const splitList = (text: string): string[] =>
  text
    .split(CSV_SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== "");

export type PriceCell = { price?: string; priceType?: string };

/** Price types and their words in English and German. */
const PRICE_TYPES: readonly [words: RegExp, priceType: string][] = [
  [/^(?:free|gratis|kostenlos)$/i, "FREE"],
  [/^(?:market|tagespreis)$/i, "MARKET"],
  [/^(?:on[_ ]request|(?:auf|nach) anfrage)$/i, "ON_REQUEST"],
];
const FROM = /^(?:from|ab)\s+/i;

/** Parses `35.00`, `from 35.00`, or a price type such as `free`. */
export function parsePriceCell(text: string, currency: Currency): PriceCell | CellProblem {
  const [, priceType] = PRICE_TYPES.find(([words]) => words.test(text)) ?? [];
  if (priceType !== undefined) return { priceType };
  const isFrom = FROM.test(text);
  const money = parseMoneyCell(text.replace(FROM, ""), currency);
  if ("problem" in money) return money;
  return isFrom ? { price: money.amount, priceType: "FROM" } : { price: money.amount };
}

/**
 * Parses `30`, `30 min` or `30 Minuten`. A time such as `1:30` is a problem. Any other text is
 * returned as it is: the validation reports it.
 */
export function parseDurationCell(text: string): { durationMin: string | number } | CellProblem {
  const [, minutes] = /^(\d{1,6}) *(?:min\.?|mins|minutes?|minuten?)?$/i.exec(text) ?? [];
  if (minutes !== undefined) return { durationMin: Number(minutes) };
  const [, hours, minutesPastHour] = /^(\d{1,2}):([0-5]\d)(?::00)?$/.exec(text) ?? [];
  if (hours === undefined) return { durationMin: text };
  const total = Number(hours) * 60 + Number(minutesPastHour);
  return { problem: `must be a number of minutes, not ${quote(text)}. Write ${total}` };
}

/** Matches months as spreadsheets abbreviate them in English and German. */
const MONTH = "(?:jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\\.?";
const DATES = [
  /^\d{1,4}[./-]\d{1,2}[./-]\d{2,4}(?: \d{1,2}:\d\d(?::\d\d)?)?$/,
  new RegExp(`^\\d{1,2}\\.?[ -]?${MONTH}(?:[ -]?\\d{2,4})?$`, "i"),
  new RegExp(`^${MONTH}[ -]\\d{2,4}$`, "i"),
];

/**
 * Returns how a spreadsheet has spoiled the text of a cell; undefined if the text seems unchanged.
 * Prose may look like a date or number, so dates and numbers count as spoiled only in cells that
 * are not prose.
 */
export function findSpoiledText(
  text: string,
  { isProse }: { isProse: boolean },
): string | undefined {
  if (/^#(?:[A-ZÜ][A-ZÜ0-9/]*[!?]|N\/A|NV)$/.test(text))
    return `contains the spreadsheet's error ${quote(text)}. Correct the formula in this cell`;
  if (/^#{2,}$/.test(text))
    return `contains ${quote(text)}, because the column is too narrow. Make it wider and save again`;
  if (isProse) return undefined;
  const restore = "Format the column as text and type the value again";
  if (/^\d(?:[.,]\d+)?E[+-]\d+$/i.test(text))
    return `is in scientific notation: ${quote(text)}. ${restore}`;
  if (DATES.some((date) => date.test(text)))
    return `contains a date, ${quote(text)}; spreadsheets turn some texts into dates. ${restore}`;
  return undefined;
}
