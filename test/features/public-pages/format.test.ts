import { expect, test } from "vitest";
import { WEEK, type Weekday } from "../../../src/domain/catalog/common.ts";
import { getFormat } from "../../../src/features/public-pages/format.ts";

const format = getFormat({
  language: "en",
  country: "US",
  timezone: "America/New_York",
  currency: "USD",
  currencyDigits: 2,
});

test.each<[what: string, days: readonly Weekday[], start: string, end: string, text: string]>([
  ["of consecutive days", ["mon", "tue", "wed"], "11:00", "14:00", "Mon – Wed 11:00 AM – 2:00 PM"],
  ["of two days", ["sat", "sun"], "11:00", "14:00", "Sat, Sun 11:00 AM – 2:00 PM"],
  [
    "of days with gaps",
    ["mon", "wed", "fri"],
    "11:00",
    "14:00",
    "Mon, Wed, Fri 11:00 AM – 2:00 PM",
  ],
  ["of all days", WEEK, "11:00", "14:00", "11:00 AM – 2:00 PM"],
  ["of whole days", ["sat", "sun"], "00:00", "24:00", "Sat, Sun"],
])("a window %s names only the days and hours that limit it", (_what, days, start, end, text) => {
  const written = format.window({ days: [...days], start, end });
  expect(written.replaceAll(/\s/g, " ")).toBe(text);
});

test.each([
  [0, 1440, "24 h"],
  [0, 720, "12:00 AM – 12:00 PM"],
  [600, 2039, "10:00 AM – 9:59 AM"],
  [600, 2040, "10:00 AM – 10:00 AM (24 h)"],
  [600, 2130, "10:00 AM – 11:30 AM (25 h 30 min)"],
])("the hours from minute %i to %i of a day are written as %s", (start, end, text) => {
  expect(format.hours(start, end).replaceAll(/\s/g, " ")).toBe(text);
});

test.each([
  [0, "0 min"],
  [1, "1 min"],
  [45, "45 min"],
  [60, "1 h"],
  [61, "1 h 1 min"],
  [90, "1 h 30 min"],
])("a duration of %i minutes is written as %s", (minutes, text) => {
  expect(format.duration(minutes)).toBe(text);
});
