const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Untrusted text made safe for a terminal or log: control characters become pictures, characters
 * that reorder, hide or join letters become U+FFFD. Truncates first, to limit the work.
 */
export function safe(text: string, maxLength = 500): string {
  if (text.length <= maxLength && PLAIN.test(text)) return text;
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return cut
    .replace(/[\x00-\x1f]/g, (char) => String.fromCodePoint(0x2400 + char.charCodeAt(0)))
    .replace(/\x7f/g, "\u2421")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, "\ufffd");
}

/** An untrusted name or value in quotes, for a message. */
export const quote = (text: string): string => `'${safe(text, 80)}'`;

/** A value of any type, for an error message. */
export function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a group of fields";
  return value === undefined || value === null ? "nothing" : String(value);
}
