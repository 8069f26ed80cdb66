import { showHidden } from "../../domain/text.ts";

// Writes iCalendar (RFC 5545, 7986).

export type CalendarEvent = {
  /** An ID that never changes, so that clients recognise an entry whose time has changed. */
  uid: string;
  /** A number that rises with each change. */
  sequence: number;
  status: "TENTATIVE" | "CONFIRMED" | "CANCELLED";
  /** Times are epoch milliseconds. */
  startsAt: number;
  endsAt: number;
  createdAt: number;
  updatedAt: number;
  summary: string;
  location: string | null;
  description: string | null;
  /** The sender's mail address; absent in a feed. */
  organizer?: string;
};

/** The interval at which calendar apps should read the feed again. */
const REFRESH_INTERVAL = "PT15M";

/** Returns the lines before the entries. @param missing which visits the calendar lacks, or null */
export function writeCalendarStart(name: string, missing: string | null): string {
  const header = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//deskbell//calendar feed//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    textLine("NAME", name),
    textLine("X-WR-CALNAME", name),
    ...(missing === null
      ? []
      : [textLine("DESCRIPTION", missing), textLine("X-WR-CALDESC", missing)]),
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH_INTERVAL}`,
    `X-PUBLISHED-TTL:${REFRESH_INTERVAL}`,
  ];
  return `${header.join("\r\n")}\r\n`;
}

export type CalendarMethod = "PUBLISH" | "CANCEL";

/** Returns the lines before an entry that is sent by mail (RFC 5546). CANCEL removes the entry. */
export const writeMailedStart = (method: CalendarMethod): string =>
  `${["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//deskbell//mail//EN", "CALSCALE:GREGORIAN", `METHOD:${method}`].join("\r\n")}\r\n`;

export const CALENDAR_END = "END:VCALENDAR\r\n";

/** Returns an entry. One template is faster than a list of lines: a feed has thousands. */
export function writeEntry(event: CalendarEvent): string {
  const { location, description, organizer } = event;
  const updatedAt = utcText(event.updatedAt);
  return `BEGIN:VEVENT\r
${textLine("UID", event.uid)}\r
DTSTAMP:${updatedAt}\r
DTSTART:${utcText(event.startsAt)}\r
DTEND:${utcText(event.endsAt)}\r
CREATED:${utcText(event.createdAt)}\r
LAST-MODIFIED:${updatedAt}\r
SEQUENCE:${event.sequence}\r
STATUS:${event.status}\r
${textLine("SUMMARY", event.summary)}\r
${location === null ? "" : `${textLine("LOCATION", location)}\r\n`}${
    description === null ? "" : `${textLine("DESCRIPTION", description)}\r\n`
  }${organizer === undefined ? "" : `${fold(`ORGANIZER:mailto:${organizer}`)}\r\n`}END:VEVENT\r
`;
}

const DAY_MS = 86_400_000;
const MAX_CACHED_DAYS = 1000;
/** Caches days since 1970 as texts such as `20261201`: a feed has only a few hundred of them. */
const dayTexts = new Map<number, string>();

/** Returns a text such as `20261201T150000Z`. */
function utcText(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  const seconds = Math.floor((ms - day * DAY_MS) / 1000);
  const time = minuteText(Math.floor(seconds / 60)) + twoDigits(seconds % 60);
  return `${dayTexts.get(day) ?? addDay(day)}T${time}Z`;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

const twoDigits = (number: number): string => TWO_DIGITS[number] as string;

/** Caches the minutes of a day as texts such as `1500`. */
const minuteTexts: string[] = [];

const minuteText = (minute: number): string =>
  (minuteTexts[minute] ??= twoDigits(Math.floor(minute / 60)) + twoDigits(minute % 60));

function addDay(day: number): string {
  if (dayTexts.size >= MAX_CACHED_DAYS) dayTexts.clear();
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
  dayTexts.set(day, text);
  return text;
}

const MAX_LINE_BYTES = 75;

/** Matches printable ASCII and Latin letters without characters that need an escape. */
const PLAIN = /^[ -+\--:<-[\]-~\u00a0-\u00ac\u00ae-\u024f]*$/;

/**
 * Matches the characters of PLAIN, and the four that `escapeSyntax` escapes: backslash, semicolon,
 * comma and line break.
 */
const SIMPLE = /^[\n -~\u00a0-\u00ac\u00ae-\u024f]*$/;

/** Returns a property with its text as a folded line, without the CRLF at its end. */
const textLine = (property: string, text: string): string =>
  fold(`${property}:${PLAIN.test(text) ? text : escapeText(text)}`);

/**
 * Escapes a text (section 3.3.11). Control characters other than tabs and line breaks are invalid,
 * so a space replaces them.
 */
const escapeText = (text: string): string =>
  SIMPLE.test(text)
    ? escapeSyntax(text)
    : escapeSyntax(showHidden(text).replaceAll(/\r\n?/g, "\n")).replaceAll(/[^\P{Cc}\t]/gu, " ");

const SPECIAL = /[\\;,]/;

const escapeSyntax = (text: string): string =>
  (SPECIAL.test(text) ? text.replaceAll(/[\\;,]/g, "\\$&") : text).replaceAll("\n", "\\n");

/** Folds a line (section 3.1): at most 75 bytes; a continuation begins with a space. */
function fold(line: string): string {
  if (line.length <= MAX_LINE_BYTES && Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  let folded = "";
  let start = 0;
  let bytes = 0;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.codePointAt(at) as number;
    const size = utf8Length(code);
    if (bytes + size > MAX_LINE_BYTES) {
      folded += `${line.slice(start, at)}\r\n `;
      start = at;
      // The space at the beginning of the continuation counts.
      bytes = 1;
    }
    bytes += size;
    // A character above U+FFFF takes two places in a JavaScript string.
    if (code > 0xff_ff) at += 1;
  }
  return folded + line.slice(start);
}

function utf8Length(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_00_00 ? 3 : 4;
}
