const PLAIN = /^[\x20-\x7e]*$/;

// These characters control a terminal, or reorder, hide or join other characters.
const HIDDEN = String.raw`\x7f-\x9f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0`;
const JOINED = String.raw`[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}]`;
// Persian, Indic scripts and emoji need joiners between two characters, so a joiner there is not
// unsafe.
const UNSAFE = new RegExp(
  String.raw`[\x00-\x1f${HIDDEN}](?<!${JOINED}[\u200c\u200d](?=${JOINED}))`,
  "gu",
);

/**
 * Returns text that a terminal, log or alert can show. ASCII control characters become pictures.
 * Other control characters, and characters that reorder or hide other characters, become U+FFFD.
 * Joiners within words stay. The text is truncated first, to limit the work.
 */
export function safe(text: string, maxLength = 500): string {
  if (text.length <= maxLength && PLAIN.test(text)) return text;
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return cut.replace(UNSAFE, (char) => {
    if (char < " ") return String.fromCodePoint(0x2400 + char.charCodeAt(0));
    return char === "\x7f" ? "\u2421" : "\ufffd";
  });
}

/** Returns why the text cannot be a name of one line; undefined if no character is unsafe. */
export function unsafeNameError(name: string): string | undefined {
  const [char] = name.match(UNSAFE) ?? [];
  if (char === undefined) return undefined;
  const codePoint = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `contains the character U+${codePoint}: use one line without control or invisible characters.`;
}

export const isSafeLine = (text: string): boolean => text.search(UNSAFE) === -1;

/** Returns whether no line of the text has an unsafe character. Tabs are allowed. */
export const isSafeText = (text: string): boolean => isSafeLine(text.replaceAll(/[\t\n\r]/g, " "));

/**
 * Returns the text with U+FFFD for each unsafe character, such as one that reorders or hides other
 * characters. Characters below U+0020, such as line breaks, stay.
 */
export const showHidden = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(UNSAFE, (char) => (char < " " ? char : "\ufffd"));

const UNSAFE_IN_JSON = new RegExp(`[${HIDDEN}]`, "gu");

/** Escapes the characters that JSON allows but a terminal must not get. */
export const escapeJson = (json: string): string =>
  json.replace(UNSAFE_IN_JSON, (char) =>
    char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

const DEFANGED: Record<string, string> = {
  "<": "‹",
  ">": "›",
  "&": "+",
  "@": "(at)",
  "[": "(",
  "]": ")",
  ":": ": ",
  ".": "·",
};

/** Returns untrusted text in which Slack, Mattermost and Discord find no mention and no link. */
export const defang = (text: string): string =>
  safe(text, 2000).replace(
    /[<>@[\]]|&(?=[#\w])|:(?=\/)|\.(?=\p{L})/gu,
    (char) => DEFANGED[char] ?? "",
  );

/** Returns the text in quotation marks, safe and short enough for a message. */
export const quote = (text: string): string => `'${safe(text, 80)}'`;

/** Returns a value for a message: a text in quotation marks, a list or object only by its kind. */
export function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value))
    return value.length === 0 ? "an empty list" : `a list of ${countOf(value.length, "entry")}`;
  if (typeof value === "object" && value !== null) return "a group of fields";
  return value === undefined || value === null ? "nothing" : String(value);
}

/** Returns the text for a shell, in quotation marks only if necessary. */
export const shellQuote = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns `1 entry`, `2 entries` or `3 dishes`. */
export function countOf(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  if (/[^aeiou]y$/.test(noun)) return `${count} ${noun.slice(0, -1)}ies`;
  return `${count} ${noun}${/(?:s|sh|x)$/.test(noun) ? "es" : "s"}`;
}

const MAX_NAMES = 5;

/**
 * Returns `a, b, c, d, e and 3 more`.
 * @param count the number of all names, if `names` has only the first of them
 */
export function summarizeNames(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  return `${shown.join(", ")}${count > shown.length ? ` and ${count - shown.length} more` : ""}`;
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** Returns a size such as `4.2 MB`. */
export function byteSize(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** unit;
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`;
}

/** Returns the time in UTC, such as `2026-11-20T12:00:00Z`. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
