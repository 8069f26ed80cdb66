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
