import { showHidden } from "../text.ts";

// Writes iCalendar (RFC 5545, 7986).

export type CalendarEvent = {
  /** Never changes, so that clients recognise an event that has moved. */
  uid: string;
  /** Rises with each change. */
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
};

const REFRESH = "PT15M";

/**
 * @param entries what `writeEntry` returns
 * @param notice what the calendar lacks, or null
 */
export function writeCalendar(
  name: string,
  entries: readonly string[],
  notice: string | null = null,
): string {
  const header = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//deskbell//calendar feed//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    textLine("NAME", name),
    textLine("X-WR-CALNAME", name),
    ...(notice === null ? [] : [textLine("DESCRIPTION", notice), textLine("X-WR-CALDESC", notice)]),
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
  ];
  return `${header.join("\r\n")}\r\n${entries.join("")}END:VCALENDAR\r\n`;
}

/** One template, not a list of lines: a feed has thousands of entries. */
export function writeEntry(event: CalendarEvent): string {
  const { location, description } = event;
  const updatedAt = utc(event.updatedAt);
  return `BEGIN:VEVENT\r
${textLine("UID", event.uid)}\r
DTSTAMP:${updatedAt}\r
DTSTART:${utc(event.startsAt)}\r
DTEND:${utc(event.endsAt)}\r
CREATED:${utc(event.createdAt)}\r
LAST-MODIFIED:${updatedAt}\r
SEQUENCE:${event.sequence}\r
STATUS:${event.status}\r
${textLine("SUMMARY", event.summary)}\r
${location === null ? "" : `${textLine("LOCATION", location)}\r\n`}${
    description === null ? "" : `${textLine("DESCRIPTION", description)}\r\n`
  }END:VEVENT\r
`;
}

const DAY_MS = 86_400_000;
const MAX_DAYS = 1000;
/** The days since 1970 as `20261201`: the entries of a feed share a few hundred. */
const days = new Map<number, string>();

/** `20261201T150000Z` */
function utc(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  const seconds = Math.floor((ms - day * DAY_MS) / 1000);
  const [hour, minute] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  // The leading 1 keeps the zeros of the time.
  const time = 1_000_000 + hour * 10_000 + minute * 100 + (seconds % 60);
  return `${days.get(day) ?? addDay(day)}T${String(time).slice(1)}Z`;
}

function addDay(day: number): string {
  if (days.size >= MAX_DAYS) days.clear();
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
  days.set(day, text);
  return text;
}

const MAX_LINE_BYTES = 75;

/** Printable ASCII without a character that needs an escape. */
const PLAIN = /^[ -+\--:<-[\]-~]*$/;

/** Without the end of the line. */
const textLine = (property: string, text: string): string =>
  PLAIN.test(text) && property.length + 1 + text.length <= MAX_LINE_BYTES
    ? `${property}:${text}`
    : fold(`${property}:${escapeText(text)}`);

/** Section 3.3.11. Other control characters are not allowed in a text. */
const escapeText = (text: string): string => (PLAIN.test(text) ? text : escapeSpecial(text));

const escapeSpecial = (text: string): string =>
  showHidden(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll("\n", "\\n")
    .replaceAll(/[^\P{Cc}\t]/gu, " ");

/** Section 3.1: a line has at most 75 bytes; a continuation begins with a space. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  let folded = "";
  let bytes = 0;
  for (const character of line) {
    const size = utf8Length(character);
    if (bytes + size > MAX_LINE_BYTES) {
      folded += "\r\n ";
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return folded;
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_00_00 ? 3 : 4;
}
