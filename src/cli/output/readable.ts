import { WEEK } from "../../domain/catalog/common.ts";
import { type Currency, isoCurrency, formatMoney, formatPercent } from "../../domain/money.ts";
import {
  formatInstant,
  isInstant,
  isLocalTime,
  parseInstant,
  toLocalMinute,
} from "../../domain/local-time.ts";

/** What `toReadable` needs to know besides the object. */
export type ReadableContext = {
  /** The business of the object; undefined if it has none. */
  business: (Currency & { timezone: string }) | undefined;
  /**
   * Returns the name of the object with this ID; undefined if there is no such object any longer.
   */
  nameOf: (id: string) => string | undefined;
};

type Fields = Record<string, unknown>;

/** Fields that only programs need, which --json prints. */
const HIDDEN = new Set(["version", "currencyDigits", "sortOrder"]);

/**
 * Returns the fields of an object as people read them: words instead of field names, names instead
 * of IDs, amounts with their currency, local times, and no empty fields. Deeply nested lists and
 * objects become one line each.
 */
export function toReadable(object: object, context: ReadableContext, depth = 0): Fields {
  const fields = object as Fields;
  const currency = currencyOf(fields, context);
  const readable: Fields = {};
  for (const [name, stored] of Object.entries(fields)) {
    // The stored name of an object, such as its name at the time of a booking, replaces its ID.
    const value = (name.endsWith("Id") && fields[name.replace(/Id$/, "Name")]) || stored;
    const replacesId = name.endsWith("Name") && name.replace(/Name$/, "Id") in fields;
    const isInAmounts = name === "currency" && currency !== undefined && hasAmount(fields);
    if (!isFilled(value) || HIDDEN.has(name) || replacesId || isInAmounts) continue;
    const ownContext = {
      ...context,
      business: context.business && { ...context.business, ...currency },
    };
    const text = readableValue(name, value, ownContext, depth);
    if (isFilled(text)) readable[labelOf(name, ownContext)] = text;
  }
  return readable;
}

const isFilled = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== "" &&
  (typeof value !== "object" || Object.values(value).length > 0);

const hasAmount = (fields: Fields): boolean =>
  Object.keys(fields).some((name) => name.endsWith("Cents"));

/** Returns the currency of the object, which may be one that the business had before. */
function currencyOf(fields: Fields, { business }: ReadableContext): Currency | undefined {
  const { currency, currencyDigits } = fields;
  if (typeof currency !== "string" || currency === business?.currency) return business;
  return typeof currencyDigits === "number" ? { currency, currencyDigits } : isoCurrency(currency);
}

/**
 * Returns a value as people read it. A list or object stays nested at depth 0 (the fields of the
 * whole object), and an object stays nested at depth 1. Every other list or object becomes one
 * line.
 */
function readableValue(
  name: string,
  value: unknown,
  context: ReadableContext,
  depth: number,
): unknown {
  if (typeof value !== "object" || value === null) return formatScalar(name, value, context);
  if (isWeeklyWindow(value)) return windowText(value);
  const nested = Array.isArray(value)
    ? value.map((item) => readableValue(name, item, context, depth + 1))
    : toReadable(value, context, depth + 1);
  return depth === 0 || (depth === 1 && !Array.isArray(value)) ? nested : inline(nested);
}

/** Returns the fields of an object, each on one line. */
export const inlineFields = (readable: object): Record<string, string> =>
  Object.fromEntries(Object.entries(readable).map(([name, value]) => [name, inline(value)]));

function inline(value: unknown): string {
  if (Array.isArray(value))
    return value.map(inline).join(value.some((item) => typeof item === "object") ? "; " : ", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${inline(inner)}`)
    .join(", ");
}

/** Formats of numbers by the unit at the end of a field's name, which the label leaves out. */
const UNITS: [ending: RegExp, format: (value: number, business: Currency) => string][] = [
  [/Cents$/, (value, business) => `${formatMoney(value, business)} ${business.currency}`],
  [/Bps$/, (value) => `${formatPercent(value)} %`],
  [/Min$/, (value) => `${value} min`],
  [/Ms$/, (value) => `${value / 1000} s`],
];

/** Returns a text, number or boolean as people read it, with the unit that `name` ends with. */
function formatScalar(name: string, value: unknown, { business, nameOf }: ReadableContext): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    const [, format] = UNITS.find(([ending]) => ending.test(name)) ?? [];
    const needsCurrency = name.endsWith("Cents") && business === undefined;
    return format === undefined || needsCurrency
      ? String(value)
      : // Formats other than that of amounts ignore the currency.
        format(value, business ?? isoCurrency(""));
  }
  const text = String(value);
  if (/Ids?$/.test(name)) return nameOf(text) ?? text;
  // A local time, without an offset, is already as people read it.
  return isInstant(text) && !isLocalTime(text) ? localTime(text, business?.timezone) : text;
}

/** Formats an instant as the local time of the business; in UTC if there is no business. */
function localTime(text: string, timezone: string | undefined): string {
  const local = formatInstant(parseInstant(text, "UTC"), timezone ?? "UTC");
  const isWholeMinute = local.slice(17, 19) === "00";
  const shown = isWholeMinute ? toLocalMinute(local, timezone ?? "UTC") : local.slice(0, 19);
  const time = shown.replace("T", " ");
  return timezone === undefined ? `${time} UTC` : time;
}

/** Returns the label of a field: `bufferAfterMin` -> `buffer after`. */
function labelOf(name: string, { business }: ReadableContext): string {
  // An amount without a business is printed as a number of cents, so its label keeps the unit.
  const ending = /(?:Bps|Min|Ms|At|Name|Ids?)$/;
  const stem = name.endsWith("Cents") && business ? name.slice(0, -5) : name.replace(ending, "");
  return (stem === "" ? name : stem).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

type Window = { days: string[]; start: string; end: string };

const isWeeklyWindow = (value: object): value is Window =>
  "days" in value && "start" in value && "end" in value && Array.isArray(value.days);

/** Returns a text such as `tue-fri 09:00-18:00, from 2026-12-01`. */
function windowText({ days, start, end, ...otherFields }: Window): string {
  const indexes = days.map((day) => WEEK.indexOf(day as (typeof WEEK)[number]));
  const isRange =
    indexes.length > 2 && indexes.every((index, i) => index === (indexes[0] ?? 0) + i);
  const named = isRange ? `${days[0]}-${days.at(-1)}` : days.join(", ");
  const others = Object.entries(otherFields)
    .filter(([, value]) => isFilled(value))
    .map(([name, value]) => `, ${name.replace("valid", "").toLowerCase()} ${String(value)}`);
  return `${named} ${start}-${end}${others.join("")}`;
}
