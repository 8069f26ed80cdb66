import { expect, test } from "vitest";
import { parsePastTime } from "../../src/domain/local-time.ts";

const NOW = Date.parse("2026-11-20T08:00:00Z");

test.each([
  ["15m", "2026-11-20T07:45:00Z"],
  ["2d", "2026-11-18T08:00:00Z"],
  ["07:30", "2026-11-20T06:30:00Z"],
  ["23:00", "2026-11-19T22:00:00Z"],
  ["2026-11-20", "2026-11-19T23:00:00Z"],
  ["2026-11-19T12:00", "2026-11-19T11:00:00Z"],
  ["2026-11-19T12:00Z", "2026-11-19T12:00:00Z"],
])("the past time '%s' in Zurich is %s", (text, expected) => {
  expect(parsePastTime(text, "Europe/Zurich", NOW)).toBe(Date.parse(expected));
});

test.each(["", "15", "15x", "24:00", "someday", "2026-02-30"])(
  "'%s' is not a past time",
  (text) => {
    expect(parsePastTime(text, "UTC", NOW)).toBeNaN();
  },
);
