const PLAIN = /^[\x20-\x7e]*$/;

/**
 * For a terminal or log: control characters become pictures, characters that reorder, hide or join
 * letters become U+FFFD. Truncates first, to limit the work.
 */
export function safe(text: string, maxLength = 500): string {
  if (text.length <= maxLength && PLAIN.test(text)) return text;
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return cut
    .replace(/[\x00-\x1f]/g, (char) => String.fromCodePoint(0x2400 + char.charCodeAt(0)))
    .replace(/\x7f/g, "\u2421")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, "\ufffd");
}

export const quote = (text: string): string => `'${safe(text, 80)}'`;

export function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a group of fields";
  return value === undefined || value === null ? "nothing" : String(value);
}

/** Quotes the text only if necessary. */
export const shellQuote = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** `1 entry`, `2 entries`, `3 dishes`. */
export function countOf(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  if (/[^aeiou]y$/.test(noun)) return `${count} ${noun.slice(0, -1)}ies`;
  return `${count} ${noun}${/(?:s|sh|x)$/.test(noun) ? "es" : "s"}`;
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** Such as `4.2 MB`. */
export function byteSize(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** unit;
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`;
}
