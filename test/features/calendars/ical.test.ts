import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import {
  CALENDAR_END,
  type CalendarEvent,
  writeCalendarStart,
  writeEntry,
} from "../../../src/features/calendars/ical.ts";
import { parseInstant } from "../../../src/domain/local-time.ts";
import { parseCalendar } from "../../support/ical.ts";

const event: CalendarEvent = {
  uid: "bkg_1-0@deskbell",
  sequence: 2,
  status: "CONFIRMED",
  startsAt: Date.parse("2026-12-01T15:00:00Z"),
  endsAt: Date.parse("2026-12-01T16:00:00Z"),
  createdAt: Date.parse("2026-11-20T12:00:00Z"),
  updatedAt: Date.parse("2026-11-21T12:00:00Z"),
  summary: "Cut",
  location: null,
  description: null,
};

const writeCalendar = (name: string, entries: string[]): string =>
  [writeCalendarStart(name, null), ...entries, CALENDAR_END].join("");

test("a calendar has the properties that RFC 5545 and 7986 require or recommend", () => {
  expect(writeCalendar("Maya, Salon", [writeEntry(event)]).split("\r\n")).toEqual([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//deskbell//calendar feed//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    "NAME:Maya\\, Salon",
    "X-WR-CALNAME:Maya\\, Salon",
    "REFRESH-INTERVAL;VALUE=DURATION:PT15M",
    "X-PUBLISHED-TTL:PT15M",
    "BEGIN:VEVENT",
    "UID:bkg_1-0@deskbell",
    "DTSTAMP:20261121T120000Z",
    "DTSTART:20261201T150000Z",
    "DTEND:20261201T160000Z",
    "CREATED:20261120T120000Z",
    "LAST-MODIFIED:20261121T120000Z",
    "SEQUENCE:2",
    "STATUS:CONFIRMED",
    "SUMMARY:Cut",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]);
});

const TEXTS = [
  "Cut; wash, dry",
  "back\\slash",
  "two\nlines",
  "notes ".repeat(40),
  `${"é".repeat(33)}, a`,
  `${"Färben, Strähnen & Schnitt für lange Haare · ".repeat(6)}ende`,
  "髪を切る".repeat(40),
  "👩🏽‍🦱".repeat(30),
];

test.each(TEXTS)("the text %j is read back unchanged from lines of at most 75 bytes", (text) => {
  const written = writeCalendar(text, [
    writeEntry({ ...event, summary: text, location: text, description: text }),
  ]);
  const lines = written.split("\r\n");
  for (const [at, line] of lines.entries()) {
    expect(Buffer.byteLength(line), line).toBeLessThanOrEqual(75);
    // A line is folded only where its next character would not fit.
    const [space, next = ""] = lines[at + 1] ?? "";
    if (space === " ") expect(Buffer.byteLength(line + next), line).toBeGreaterThan(75);
  }
  expect(parseCalendar(written)).toMatchObject([
    { summary: text, location: text, description: text },
  ]);
});

test("a text with letters of two bytes is folded at the last letter that fits into 75 bytes", () => {
  const [first, second, third] = ["é".repeat(35), "é".repeat(37), "é"];
  expect(writeCalendarStart(`${first}${second}${third}`, null)).toContain(
    `\r\nNAME:${first}\r\n ${second}\r\n ${third}\r\n`,
  );
});

test("control characters in a calendar entry become spaces", () => {
  const written = writeCalendar("", [
    writeEntry({ ...event, summary: "a\u0000b\u001B[31mc\r\nd\te" }),
  ]);
  expect(written).toContain("SUMMARY:a b [31mc\\nd\te\r\n");
});

test("a backslash before an n in a calendar entry is not read as a line break", () => {
  // Libraries cannot read this text back: node-ical and icalendar 4 unescape it in the wrong order.
  expect(writeCalendar("", [writeEntry({ ...event, summary: "C:\\new" })])).toContain(
    "SUMMARY:C:\\\\new\r\n",
  );
});

/**
 * Local dates of clock changes in each zone. The entries of the test lie before, at and after the
 * changes.
 */
const CHANGES: [zone: string, dates: string[]][] = [
  ["America/New_York", ["2026-11-01", "2027-03-14"]],
  ["Europe/Zurich", ["2026-10-25", "2027-03-28"]],
  ["Europe/London", ["2026-10-25", "2027-03-28"]],
  ["Australia/Sydney", ["2026-10-04", "2027-04-04"]],
  ["Australia/Lord_Howe", ["2026-10-04", "2027-04-04"]],
  ["America/Santiago", ["2026-09-06", "2027-04-04"]],
  ["Africa/Cairo", ["2026-10-30", "2027-04-30"]],
  ["Asia/Beirut", ["2026-10-25", "2027-03-28"]],
  ["Pacific/Auckland", ["2026-09-27", "2027-04-04"]],
  ["America/Havana", ["2026-11-01", "2027-03-14"]],
];
const instants = CHANGES.flatMap(([zone, dates]) =>
  dates.flatMap((date) =>
    ["00:30", "01:30", "03:30", "12:00"].map((time) => parseInstant(`${date}T${time}`, zone)),
  ),
);
const feed = writeCalendar(
  "DST",
  instants.map((startsAt, i) =>
    writeEntry({ ...event, uid: `${i}@deskbell`, startsAt, endsAt: startsAt + 90 * 60_000 }),
  ),
);

test("node-ical reads the right times of calendar entries across clock changes in 10 zones", () => {
  expect(parseCalendar(feed).map(({ start, end }) => [start.getTime(), end.getTime()])).toEqual(
    instants.map((startsAt) => [startsAt, startsAt + 90 * 60_000]),
  );
});

const READ_WITH_PYTHON = `
import sys, json, icalendar
calendar = icalendar.Calendar.from_ical(sys.stdin.buffer.read())
print(json.dumps([[e.decoded("dtstart").timestamp() * 1000, e.decoded("dtend").timestamp() * 1000, str(e["summary"])] for e in calendar.walk("VEVENT")]))
`;
const hasPython = spawnSync("python3", ["-c", "import icalendar"]).status === 0;
if (!hasPython) console.warn("python3-icalendar is not installed: its test is skipped.");

test.skipIf(!hasPython)("python3-icalendar reads the right times and texts of feeds", () => {
  const read = (text: string) => {
    const { stdout } = spawnSync("python3", ["-c", READ_WITH_PYTHON], { input: text });
    return JSON.parse(stdout.toString()) as [number, number, string][];
  };
  expect(read(feed).map(([start]) => start)).toEqual(instants);
  const calendar = writeCalendar(
    "",
    TEXTS.map((summary) => writeEntry({ ...event, summary })),
  );
  expect(read(calendar).map(([, , summary]) => summary)).toEqual(TEXTS);
});
