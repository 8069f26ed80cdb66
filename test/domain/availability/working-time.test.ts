import { describe, expect, test } from "vitest";
import { dayNumber, localDays } from "../../../src/domain/availability/wall-clock.ts";
import type { Interval } from "../../../src/domain/availability/intervals.ts";
import { createWorkingTimeReader } from "../../../src/domain/availability/working-time.ts";
import {
  emptySchedule,
  type OpeningException,
  type HoursException,
  type HoursRule,
  type ScheduleDoc,
  type StaffDoc,
} from "../../../src/domain/catalog/catalog.ts";
import { buildStaffMember } from "../../support/catalog-builders.ts";

const NEW_YORK = "America/New_York";

const rule = (start: string, end: string, fields: Partial<HoursRule> = {}): HoursRule => ({
  days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  start,
  end,
  validFrom: null,
  validTo: null,
  ...fields,
});

const exception = <Mode extends OpeningException["mode"]>(
  date: string,
  mode: Mode,
  ...intervals: [string, string][]
) => ({
  date,
  mode,
  intervals: intervals.map(([start, end]) => ({ start, end })),
});

/** Returns the working time on the requested days, in local time. */
function workOn(
  [zone, from, to]: [string, string, string],
  schedule: Partial<ScheduleDoc>,
  person?: Partial<StaffDoc>,
): string {
  const days = localDays(zone, dayNumber(from), dayNumber(to));
  const times = createWorkingTimeReader({ ...emptySchedule(), ...schedule }, days);
  const clock = (minute: number) =>
    Temporal.Instant.fromEpochMilliseconds(minute * 60_000)
      .toZonedDateTimeISO(zone)
      .toPlainDateTime()
      .toString()
      .slice(8, 16);
  const show = ({ start, end }: Interval) => `${clock(start)}-${clock(end)}`;
  return times(person && buildStaffMember("ann", person))
    .work.map(show)
    .join(" ");
}

const MONDAY: [string, string, string] = [NEW_YORK, "2026-11-23", "2026-11-23"];
const TO_TUESDAY: [string, string, string] = [NEW_YORK, "2026-11-23", "2026-11-24"];

describe("the hours of a business", () => {
  test.each<[string, Partial<ScheduleDoc>, [string, string, string], string]>([
    [
      "apply on their weekdays",
      { hours: [rule("09:00", "17:00", { days: ["mon"] })] },
      TO_TUESDAY,
      "23T09:00-23T17:00",
    ],
    [
      "that touch are merged",
      { hours: [rule("12:00", "17:00"), rule("09:00", "12:00")] },
      MONDAY,
      "23T09:00-23T17:00",
    ],
    [
      "that overlap are merged",
      { hours: [rule("09:00", "13:00"), rule("12:00", "17:00")] },
      MONDAY,
      "23T09:00-23T17:00",
    ],
    [
      "can continue past midnight",
      { hours: [rule("22:00", "30:00")] },
      MONDAY,
      "23T22:00-24T06:00",
    ],
    ["can continue until 48:00", { hours: [rule("09:00", "48:00")] }, MONDAY, "23T09:00-25T00:00"],
    [
      "round the clock are one interval",
      { hours: [rule("00:00", "24:00")] },
      TO_TUESDAY,
      "23T00:00-25T00:00",
    ],
    [
      "apply from validFrom to validTo, both included",
      { hours: [rule("09:00", "10:00", { validFrom: "2026-11-24", validTo: "2026-11-25" })] },
      [NEW_YORK, "2026-11-23", "2026-11-26"],
      "24T09:00-24T10:00 25T09:00-25T10:00",
    ],
    [
      "do not apply on a skipped date",
      { hours: [rule("09:00", "17:00")] },
      ["Pacific/Apia", "2011-12-29", "2011-12-31"],
      "29T09:00-29T17:00 31T09:00-31T17:00",
    ],
    [
      "on 29 February are those of the weekday",
      { hours: [rule("09:00", "17:00", { days: ["tue"] })] },
      ["Europe/Berlin", "2028-02-28", "2028-03-01"],
      "29T09:00-29T17:00",
    ],
  ])("the hours of a business %s", (_, schedule, range, expected) => {
    expect(workOn(range, schedule)).toBe(expected);
  });
});

describe("an exception", () => {
  const hours = [rule("09:00", "17:00")];
  test.each<[string, HoursException[], string]>([
    [
      "replaces the hours of its date",
      [exception("2026-11-23", "REPLACE", ["10:00", "14:00"])],
      "23T10:00-23T14:00 24T09:00-24T17:00",
    ],
    ["without hours closes the day", [exception("2026-11-23", "REPLACE")], "24T09:00-24T17:00"],
    [
      "adds hours",
      [exception("2026-11-23", "ADD", ["17:00", "20:00"])],
      "23T09:00-23T20:00 24T09:00-24T17:00",
    ],
    [
      "removes hours",
      [exception("2026-11-23", "REMOVE", ["11:00", "12:00"])],
      "23T09:00-23T11:00 23T12:00-23T17:00 24T09:00-24T17:00",
    ],
    [
      "with REMOVE applies after those with REPLACE and ADD, whatever their order in the list",
      [
        exception("2026-11-23", "REMOVE", ["11:00", "19:00"]),
        exception("2026-11-23", "ADD", ["18:00", "20:00"]),
        exception("2026-11-23", "REPLACE", ["10:00", "12:00"]),
      ],
      "23T10:00-23T11:00 23T19:00-23T20:00 24T09:00-24T17:00",
    ],
  ])("an exception %s", (_, exceptions, expected) => {
    expect(workOn(TO_TUESDAY, { hours, exceptions })).toBe(expected);
  });

  test("an exception applies to shifts that start on its date, not to a shift that only ends on it", () => {
    const night = { hours: [rule("22:00", "30:00")] };
    expect(workOn(TO_TUESDAY, { ...night, exceptions: [exception("2026-11-24", "REPLACE")] })).toBe(
      "23T22:00-24T06:00",
    );
    expect(
      workOn(TO_TUESDAY, {
        ...night,
        exceptions: [exception("2026-11-24", "REMOVE", ["00:00", "24:00"])],
      }),
    ).toBe("23T22:00-24T06:00 25T00:00-25T06:00");
  });
});

describe("a closure", () => {
  const hours = [rule("22:00", "26:00")];
  test("a closure also cuts the shifts that begin on the day before", () => {
    const closures = [{ name: null, from: "2026-11-24", to: "2026-11-24" }];
    expect(workOn([NEW_YORK, "2026-11-23", "2026-11-25"], { hours, closures })).toBe(
      "23T22:00-24T00:00 25T00:00-25T02:00 25T22:00-26T02:00",
    );
  });

  test("a closure with a yearly date applies every year", () => {
    const closures = [{ name: "New Year's Day", yearly: "01-01" }];
    expect(
      workOn([NEW_YORK, "2026-12-31", "2027-01-02"], { hours: [rule("09:00", "17:00")], closures }),
    ).toBe("31T09:00-31T17:00 02T09:00-02T17:00");
  });

  test("a closure on 29 February closes nothing in other years", () => {
    const schedule = {
      hours: [rule("09:00", "17:00")],
      closures: [{ name: null, yearly: "02-29" }],
    };
    expect(workOn([NEW_YORK, "2027-02-28", "2027-03-01"], schedule)).toBe(
      "28T09:00-28T17:00 01T09:00-01T17:00",
    );
    expect(workOn([NEW_YORK, "2028-02-28", "2028-03-01"], schedule)).toBe(
      "28T09:00-28T17:00 01T09:00-01T17:00",
    );
  });
});

describe("a person", () => {
  const schedule = { hours: [rule("09:00", "17:00")] };
  const at = (iso: string) => Date.parse(iso);
  test.each<[string, Partial<ScheduleDoc>, Partial<StaffDoc>, string]>([
    ["works the business's hours", schedule, {}, "23T09:00-23T17:00 24T09:00-24T17:00"],
    [
      "with own hours works those, even outside business hours",
      schedule,
      { hours: [rule("18:00", "20:00")] },
      "23T18:00-23T20:00 24T18:00-24T20:00",
    ],
    ["with an empty list of hours does not work", schedule, { hours: [] }, ""],
    [
      "without own hours follows the business's exceptions, then their own",
      { ...schedule, exceptions: [exception("2026-11-23", "REPLACE", ["10:00", "12:00"])] },
      { exceptions: [exception("2026-11-23", "ADD", ["13:00", "14:00"])] },
      "23T10:00-23T12:00 23T13:00-23T14:00 24T09:00-24T17:00",
    ],
    [
      "with own hours follows only their own exceptions",
      { ...schedule, exceptions: [exception("2026-11-23", "REPLACE")] },
      { hours: [rule("10:00", "12:00")], exceptions: [exception("2026-11-24", "REPLACE")] },
      "23T10:00-23T12:00",
    ],
    [
      "without own hours works the hours of an ONLY exception",
      { ...schedule, exceptions: [exception("2026-11-23", "ONLY", ["10:00", "20:00"])] },
      {},
      "23T10:00-23T20:00 24T09:00-24T17:00",
    ],
    [
      "with own hours and exceptions works only within the hours of an ONLY exception",
      { ...schedule, exceptions: [exception("2026-11-23", "ONLY", ["10:00", "14:00"])] },
      {
        hours: [rule("12:00", "20:00")],
        exceptions: [exception("2026-11-23", "ADD", ["08:00", "11:00"])],
      },
      "23T10:00-23T11:00 23T12:00-23T14:00 24T12:00-24T20:00",
    ],
    [
      "does not work on the date of an ONLY exception without hours",
      { ...schedule, exceptions: [exception("2026-11-23", "ONLY")] },
      { hours: [rule("12:00", "20:00")] },
      "24T12:00-24T20:00",
    ],
    [
      "does not work during breaks",
      schedule,
      { breaks: [{ days: ["mon"], start: "12:00", end: "13:00" }] },
      "23T09:00-23T12:00 23T13:00-23T17:00 24T09:00-24T17:00",
    ],
    [
      "does not work during time off, rounded out to whole minutes",
      schedule,
      { timeOff: [{ from: at("2026-11-23T17:30:30Z"), to: at("2026-11-24T18:00:01Z") }] },
      "23T09:00-23T12:30 24T13:01-24T17:00",
    ],
    [
      "does not work during closures",
      { ...schedule, closures: [{ name: null, from: "2026-11-23", to: "2026-11-23" }] },
      { hours: [rule("10:00", "12:00")] },
      "24T10:00-24T12:00",
    ],
  ])("a person %s", (_, schedule, person, expected) => {
    expect(workOn(TO_TUESDAY, schedule, person)).toBe(expected);
  });

  test("a person has a break that continues past midnight", () => {
    const person = { hours: [rule("20:00", "28:00")], breaks: [rule("23:30", "24:30")] };
    expect(workOn(MONDAY, {}, person)).toBe("23T20:00-23T23:30 24T00:30-24T04:00");
  });

  test("a person has no break on a skipped date", () => {
    const person = { breaks: [rule("09:00", "12:00", { days: ["fri"] })] };
    expect(workOn(["Pacific/Apia", "2011-12-29", "2011-12-31"], schedule, person)).toBe(
      "29T09:00-29T17:00 31T09:00-31T17:00",
    );
  });
});
