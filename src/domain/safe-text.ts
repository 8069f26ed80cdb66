const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Text from outside made harmless for a terminal or a log: control characters as pictures, whatever reorders, hides or
 * joins letters as U+FFFD. Cut first, so that a megabyte costs no more than a line.
 */
export function safe(text: string, maxLength = 500): string {
  if (text.length <= maxLength && PLAIN.test(text)) return text;
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return cut
    .replace(/[\x00-\x1f]/g, (char) => String.fromCodePoint(0x2400 + char.charCodeAt(0)))
    .replace(/\x7f/g, "\u2421")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, "\ufffd");
}

/** A name or value from outside, in quotes for a message. */
export const quote = (text: string): string => `'${safe(text, 80)}'`;

/** A value of any type as an error message repeats it. */
export function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a group of fields";
  return value === undefined || value === null ? "nothing" : String(value);
}
