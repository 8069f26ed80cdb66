import { expect, test } from "vitest";
import { emptySchedule, type ScheduleDoc } from "../../../../src/domain/catalog/catalog.ts";
import { WEEK } from "../../../../src/domain/catalog/common.ts";
import {
  listSpecialDays,
  readOpeningState,
} from "../../../../src/features/public-pages/content/opening.ts";

const ZURICH = "Europe/Zurich";
const at = (text: string): number => Date.parse(text);

const schedule = (fields: Partial<ScheduleDoc> = {}): ScheduleDoc => ({
  ...emptySchedule(),
  hours: [{ days: [...WEEK], start: "18:00", end: "26:00", validFrom: null, validTo: null }],
  ...fields,
});

const stateAt = (time: string, fields: Partial<ScheduleDoc> = {}) => {
  const { isOpen, changesAt } = readOpeningState(schedule(fields), ZURICH, at(time));
  return [isOpen, changesAt === null ? null : new Date(changesAt).toISOString()];
};

test("a bar whose hours end after midnight is open until their end", () => {
  expect(stateAt("2026-11-21T00:30:00+01:00")).toEqual([true, "2026-11-21T01:00:00.000Z"]);
  expect(stateAt("2026-11-21T02:00:00+01:00")).toEqual([false, "2026-11-21T17:00:00.000Z"]);
});

test("a closure from midnight on ends opening hours that last beyond midnight", () => {
  const closures = [{ name: "Off", from: "2026-11-21", to: "2026-11-21" }];
  expect(stateAt("2026-11-20T23:00:00+01:00", { closures })).toEqual([
    true,
    "2026-11-20T23:00:00.000Z",
  ]);
});

test("a business that never closes has no next change, and its page is valid until midnight", () => {
  const hours = [{ days: [...WEEK], start: "00:00", end: "24:00", validFrom: null, validTo: null }];
  const state = readOpeningState(schedule({ hours }), ZURICH, at("2026-11-20T12:00:00+01:00"));
  expect(state).toEqual({
    isOpen: true,
    changesAt: null,
    validUntil: at("2026-11-21T00:00:00+01:00"),
  });
});

test("the time of closing is given only if it is within a day, because it is shown without a date", () => {
  const hours = [{ days: [...WEEK], start: "00:00", end: "24:00", validFrom: null, validTo: null }];
  const closures = [{ name: "Off", from: "2026-11-25", to: "2026-11-25" }];
  const closesAt = at("2026-11-25T00:00:00+01:00");
  const read = (time: string) => readOpeningState(schedule({ hours, closures }), ZURICH, at(time));
  expect(read("2026-11-20T12:00:00+01:00")).toMatchObject({ isOpen: true, changesAt: null });
  expect(read("2026-11-24T00:00:00+01:00")).toMatchObject({ isOpen: true, changesAt: closesAt });
});

test("a page that does not name the time of closing is valid until the closing is a day away", () => {
  const hours = [
    { days: ["mon" as const], start: "00:00", end: "46:00", validFrom: null, validTo: null },
  ];
  // The business closes on Tuesday at 22:00.
  const state = readOpeningState(schedule({ hours }), ZURICH, at("2026-11-23T12:00:00+01:00"));
  expect(state).toEqual({
    isOpen: true,
    changesAt: null,
    validUntil: at("2026-11-23T22:00:00+01:00"),
  });
});

test("a business without opening hours is neither open nor closed", () => {
  expect(stateAt("2026-11-20T12:00:00+01:00", { hours: [] })).toEqual([null, null]);
});

test.each([
  ["2026-12-02", "2026-12-03T17:00:00.000Z"],
  ["2026-12-03", null],
])("after a closure until %s, a business with hours from 18:00 opens at %s", (to, next) => {
  const closures = [{ name: "Off", from: "2026-11-21", to }];
  const hours = [{ days: [...WEEK], start: "18:00", end: "22:00", validFrom: null, validTo: null }];
  expect(stateAt("2026-11-21T12:00:00+01:00", { hours, closures })).toEqual([false, next]);
});

test("a closing time that occurs twice because clocks are set back counts at its first occurrence", () => {
  const hours = [{ days: [...WEEK], start: "01:00", end: "02:30", validFrom: null, validTo: null }];
  // Clocks go back from 03:00 to 02:00: hours end at the first 02:30.
  expect(stateAt("2026-10-25T02:29:00+02:00", { hours })[0]).toBe(true);
  expect(stateAt("2026-10-25T02:29:00+01:00", { hours })[0]).toBe(false);
});

test("special days are the closures and exceptions of the next 60 days, in order", () => {
  const days = listSpecialDays(
    schedule({
      closures: [
        { name: "Over", from: "2026-11-01", to: "2026-11-19" },
        { name: "Holidays", from: "2026-11-18", to: "2026-11-22" },
        { name: "New Year", yearly: "01-01" },
        { name: "Far", from: "2027-06-01", to: "2027-06-02" },
      ],
      exceptions: [
        { date: "2026-12-24", mode: "REPLACE", intervals: [{ start: "12:00", end: "16:00" }] },
        { date: "2026-12-26", mode: "ADD", intervals: [{ start: "10:00", end: "12:00" }] },
        { date: "2026-11-20", mode: "REPLACE", intervals: [] },
      ],
    }),
    ZURICH,
    at("2026-11-20T12:00:00+01:00"),
  );
  expect(days).toEqual([
    { from: "2026-11-18", to: "2026-11-22", name: "Holidays", hours: [] },
    { from: "2026-12-24", to: "2026-12-24", name: null, hours: [{ start: 720, end: 960 }] },
    {
      from: "2026-12-26",
      to: "2026-12-26",
      name: null,
      hours: [
        { start: 600, end: 720 },
        { start: 1080, end: 1560 },
      ],
    },
    { from: "2027-01-01", to: "2027-01-01", name: "New Year", hours: [] },
  ]);
});

test.each([
  ["2027-02-01", []],
  ["2028-02-01", ["2028-02-29"]],
])("at %s, the special days of a closure of every 29 February are %j", (today, expected) => {
  const closures = [{ name: "Off", yearly: "02-29" }];
  const days = listSpecialDays(schedule({ closures }), ZURICH, at(`${today}T12:00:00+01:00`));
  expect(days.map(({ from, to }) => [from, to])).toEqual(expected.map((date) => [date, date]));
});
