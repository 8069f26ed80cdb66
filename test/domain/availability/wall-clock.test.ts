import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  DAY_MIN,
  dateOf,
  dayNumber,
  weekdayOf,
  closureInterval,
  dateExists,
  dayAt,
  formatMinute,
  instantsOf,
  openingInterval,
  wallAt,
} from "../../../src/domain/availability/wall-clock.ts";
import type { Interval } from "../../../src/domain/availability/intervals.ts";
import { formatInstant } from "../../../src/domain/local-time.ts";
import { ZONES } from "./time-zones.ts";

const wall = (date: string, hours: number) => dayNumber(date) * DAY_MIN + hours * 60;
const opening = (zone: string, date: string, from: number, to: number) =>
  openingInterval(zone, wall(date, from), wall(date, to));
const closing = (zone: string, date: string, from: number, to: number) =>
  closureInterval(zone, wall(date, from), wall(date, to));

const utc = (minute: number) => new Date(minute * 60_000).toISOString().slice(5, 16);
const show = ({ start, end }: Interval) => `${utc(start)}/${utc(end)} ${end - start}`;

describe("hours on the day of a clock change", () => {
  test.each([
    ["America/New_York", "2026-03-08", 0, 24, "03-08T05:00/03-09T04:00 1380"],
    ["America/New_York", "2026-03-07", 22, 30, "03-08T03:00/03-08T10:00 420"],
    ["America/New_York", "2026-03-08", 2.5, 5, "03-08T07:30/03-08T09:00 90"],
    ["America/New_York", "2026-03-08", 1.5, 2.5, "03-08T06:30/03-08T07:00 30"],
    ["America/New_York", "2026-03-08", 13, 18, "03-08T17:00/03-08T22:00 300"],
    ["America/New_York", "2026-11-01", 0, 24, "11-01T04:00/11-02T05:00 1500"],
    ["America/New_York", "2026-11-01", 1, 3, "11-01T05:00/11-01T08:00 180"],
    ["America/New_York", "2026-11-01", 1, 1.5, "11-01T05:00/11-01T05:30 30"],
    ["Australia/Lord_Howe", "2026-04-05", 0, 24, "04-04T13:00/04-05T13:30 1470"],
    ["Australia/Lord_Howe", "2026-10-04", 0, 24, "10-03T13:30/10-04T13:00 1410"],
    ["Africa/Cairo", "2026-04-24", 0, 24, "04-23T22:00/04-24T21:00 1380"],
    ["Africa/Cairo", "2026-04-23", 20, 24, "04-23T18:00/04-23T22:00 240"],
    ["Africa/Cairo", "2026-10-29", 22, 26, "10-29T19:00/10-30T00:00 300"],
    ["Africa/Casablanca", "2026-02-15", 0, 24, "02-14T23:00/02-16T00:00 1500"],
    ["Africa/Casablanca", "2026-03-22", 0, 24, "03-22T00:00/03-22T23:00 1380"],
    ["Pacific/Chatham", "2026-04-05", 0, 24, "04-04T10:15/04-05T11:15 1500"],
    ["Europe/Berlin", "2028-02-29", 9, 17, "02-29T08:00/02-29T16:00 480"],
  ])(
    "opening hours in %s on %s from %d to %d h become the right instants",
    (zone, date, from, to, expected) => {
      expect(show(opening(zone, date, from, to))).toBe(expected);
    },
  );

  test.each([
    ["America/New_York", "2026-03-08", 1.5, 2.5, "03-08T06:30/03-08T07:30 60"],
    ["America/New_York", "2026-03-08", 2.25, 3.25, "03-08T07:00/03-08T07:15 15"],
    ["America/New_York", "2026-11-01", 1, 1.5, "11-01T05:00/11-01T06:30 90"],
    ["Africa/Cairo", "2026-04-24", 0, 24, "04-23T22:00/04-24T21:00 1380"],
    ["America/Havana", "2026-10-31", 0, 24, "10-31T04:00/11-01T05:00 1500"],
  ])(
    "breaks and closures in %s on %s from %d to %d h become the right instants",
    (zone, date, from, to, expected) => {
      expect(show(closing(zone, date, from, to))).toBe(expected);
    },
  );

  test("opening hours within the skipped hour are empty", () => {
    const { start, end } = opening("America/New_York", "2026-03-08", 2.25, 2.75);
    expect(start).toBeGreaterThan(end);
  });
});

describe("dates and clocks", () => {
  test("dates that time zones skipped do not exist: 30 December 2011 in Apia, 31 December 1994 in Kiritimati", () => {
    const existing = (zone: string, dates: string[]) =>
      dates.filter((date) => dateExists(zone, dayNumber(date)));
    expect(existing("Pacific/Apia", ["2011-12-29", "2011-12-30", "2011-12-31"])).toEqual([
      "2011-12-29",
      "2011-12-31",
    ]);
    expect(existing("Pacific/Kiritimati", ["1994-12-30", "1994-12-31", "1995-01-01"])).toEqual([
      "1994-12-30",
      "1995-01-01",
    ]);
    expect(existing("Africa/Cairo", ["2026-04-23", "2026-04-24"])).toEqual([
      "2026-04-23",
      "2026-04-24",
    ]);
  });

  test("a local time that clocks repeat has two instants, and a local time that clocks skip has none", () => {
    const at = (date: string, hours: number) =>
      instantsOf("America/New_York", wall(date, hours)).map(utc);
    expect(at("2026-11-01", 1.5)).toEqual(["11-01T05:30", "11-01T06:30"]);
    expect(at("2026-11-01", 2)).toEqual(["11-01T07:00"]);
    expect(at("2026-03-08", 2)).toEqual([]);
    expect(at("2026-03-08", 3)).toEqual(["03-08T07:00"]);
  });

  test("day numbers and weekdays match the calendar", () => {
    for (const date of [
      "1969-12-31",
      "1970-01-01",
      "2000-02-29",
      "2026-11-23",
      "2028-02-29",
      "2199-12-31",
    ]) {
      const plain = Temporal.PlainDate.from(date);
      expect(dateOf(dayNumber(date))).toBe(date);
      expect(weekdayOf(dayNumber(date))).toBe(
        ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][plain.dayOfWeek - 1],
      );
    }
  });

  test.each(ZONES)(
    "every quarter hour in $zone around $date is converted as Temporal converts it",
    ({ zone, date }) => {
      for (let quarter = -3 * 96; quarter < 4 * 96; quarter += 1) {
        const clock = wall(date, 0) + quarter * 15;
        const plain = Temporal.PlainDateTime.from(date).add({ minutes: quarter * 15 });
        const read = (disambiguation: "earlier" | "later") =>
          plain.toZonedDateTime(zone, { disambiguation }).epochMilliseconds / 60_000;
        const [earlier, later] = [read("earlier"), read("later")];
        const skipped = !plain
          .toZonedDateTime(zone, { disambiguation: "later" })
          .toPlainDateTime()
          .equals(plain);
        const expected = skipped ? [] : [...new Set([earlier, later])];
        expect(instantsOf(zone, clock)).toEqual(expected);
        expect(openingInterval(zone, clock, clock).start).toBe(skipped ? later : earlier);
        expect(closureInterval(zone, clock, clock).end).toBe(later);
        for (const instant of expected) {
          expect(wallAt(zone, instant)).toBe(clock);
          expect(formatMinute(instant, zone)).toBe(formatInstant(instant * 60_000, zone));
          expect(dateOf(dayAt(zone, instant))).toBe(plain.toPlainDate().toString());
        }
      }
    },
  );
});

test("the offset of a zone is computed once for all its instants until the next clock change", () => {
  const compute = vi.spyOn(Temporal.ZonedDateTime.prototype, "getTimeZoneTransition");
  onTestFinished(() => compute.mockRestore());
  const change = Date.parse("2031-03-09T07:00:00Z") / 60_000;
  expect(wallAt("America/Toronto", change) - change).toBe(-4 * 60);
  const { length } = compute.mock.calls;
  expect(length).toBeGreaterThan(0);
  for (const minute of [change, change, change + DAY_MIN])
    expect(wallAt("America/Toronto", minute) - minute).toBe(-4 * 60);
  expect(compute.mock.calls).toHaveLength(length);
  expect(wallAt("America/Toronto", change - 1) - change).toBe(-5 * 60 - 1);
});
