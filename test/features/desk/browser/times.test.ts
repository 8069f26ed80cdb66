import { expect, test } from "vitest";
import { localeOfTimes, timesIn } from "../../../../src/features/desk/browser/times.ts";

const TODAY = "2026-12-01";
/** Replaces all spaces by plain ones, because browsers and Node use several kinds of spaces. */
const plain = (text: string) => text.replaceAll(/\s/g, " ");

test.each([
  ["en-GB", "09:05", "Sat 5 Dec", "Tue, 5 Jan 2027", "3 minutes ago"],
  ["en-US", "9:05 AM", "Sat, Dec 5", "Tue, Jan 5, 2027", "3 minutes ago"],
  ["de", "09:05", "Sa., 5. Dez.", "Di., 5. Jan. 2027", "vor 3 Minuten"],
  ["fr", "09:05", "sam. 5 déc.", "mar. 5 janv. 2027", "il y a 3 minutes"],
  ["es", "09:05", "sáb, 5 dic", "mar, 5 ene 2027", "hace 3 minutos"],
  ["it", "09:05", "sab 5 dic", "mar 5 gen 2027", "3 minuti fa"],
])("times in %s are written as %s, %s, %s and %s", (locale, time, day, dayOfYear, age) => {
  const times = timesIn(locale);
  expect(plain(times.time("2026-12-05T09:05"))).toBe(time);
  expect(times.day("2026-12-05", TODAY)).toBe(day);
  expect(times.day("2027-01-05", TODAY)).toBe(dayOfYear);
  expect(times.age(3 * 60_000 + 59_000)).toBe(age);
});

test("an age is written in the largest unit that it fills", () => {
  const { age } = timesIn("en-GB");
  expect([25_000, 3_600_000, 90_000_000].map(age)).toEqual([
    "25 seconds ago",
    "1 hour ago",
    "yesterday",
  ]);
});

test.each([
  ["en", "en", "en-GB"],
  ["en", "en-US", "en-US"],
  ["de", "de-AT", "de-AT"],
  ["de", "en-US", "de"],
  ["fr", "fr", "fr"],
])("a page in %s of a business in %s writes times as %s", (language, locale, expected) => {
  expect(localeOfTimes(language, locale)).toBe(expected);
});
