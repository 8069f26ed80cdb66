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

/** @param notice what the calendar lacks, or null */
export function writeCalendar(
  name: string,
  events: readonly CalendarEvent[],
  notice: string | null = null,
): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//deskbell//calendar feed//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    ...(notice === null
      ? []
      : [`DESCRIPTION:${escapeText(notice)}`, `X-WR-CALDESC:${escapeText(notice)}`]),
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
    ...events.flatMap(linesOf),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

const linesOf = (event: CalendarEvent): string[] => [
  "BEGIN:VEVENT",
  `UID:${escapeText(event.uid)}`,
  `DTSTAMP:${utc(event.updatedAt)}`,
  `DTSTART:${utc(event.startsAt)}`,
  `DTEND:${utc(event.endsAt)}`,
  `CREATED:${utc(event.createdAt)}`,
  `LAST-MODIFIED:${utc(event.updatedAt)}`,
  `SEQUENCE:${event.sequence}`,
  `STATUS:${event.status}`,
  `SUMMARY:${escapeText(event.summary)}`,
  ...(event.location === null ? [] : [`LOCATION:${escapeText(event.location)}`]),
  ...(event.description === null ? [] : [`DESCRIPTION:${escapeText(event.description)}`]),
  "END:VEVENT",
];

/** `20261201T150000Z` */
function utc(ms: number): string {
  const iso = new Date(ms).toISOString();
  const date = `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 10)}`;
  return `${date}T${iso.slice(11, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
}

/** Printable ASCII without a character that needs an escape. */
const PLAIN = /^[ -+\--:<-[\]-~]*$/;

/** Section 3.3.11. Other control characters are not allowed in a text. */
const escapeText = (text: string): string => (PLAIN.test(text) ? text : escapeSpecial(text));

const escapeSpecial = (text: string): string =>
  showHidden(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll("\n", "\\n")
    .replaceAll(/[^\P{Cc}\t]/gu, " ");

const MAX_LINE_BYTES = 75;

/** Section 3.1: a line has at most 75 bytes; a continuation begins with a space. */
function fold(line: string): string {
  // A character has at most three bytes for each unit of its length.
  if (line.length * 3 <= MAX_LINE_BYTES || Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  let folded = "";
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_LINE_BYTES) {
      folded += "\r\n ";
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return folded;
}
