import { expect, test } from "vitest";
import {
  textWidth,
  clip,
  fit,
  mergeSpans,
  sanitize,
  span,
  wrap,
  toAscii,
} from "../../../../src/features/live-view/views/cells.ts";
import { drawBars } from "../../../../src/features/live-view/views/charts.ts";
import {
  createTimeFormat,
  groupDigits,
  formatDuration,
  formatUptime,
} from "../../../../src/features/live-view/state/time-format.ts";

test.each([
  ["short", 8, "short   "],
  ["exactly!", 8, "exactly!"],
  ["much too long", 8, "much to…"],
  ["漢字かな", 8, "漢字かな"],
  ["漢字かな交", 8, "漢字か… "],
  ["漢字", 3, "漢…"],
  ["", 2, "  "],
])("%j fitted to %i cells is %j", (text, cells, expected) => {
  expect(fit(text, cells)).toBe(expected);
  expect(textWidth(fit(text, cells))).toBe(cells);
});

test("right-aligned text is padded on the left, and text cut to 0 cells is empty", () => {
  expect(fit("7ms", 5, "right")).toBe("  7ms");
  expect(clip("abc", 0)).toBe("");
});

test.each([
  ["\x1b[31mred", "␛[31mred"],
  ["❤️", "❤"],
  ["👍🏿", "👍"],
  ["🇩🇪", "DE"],
  ["Zͫ͑ͫ", "Zͫ"],
  ["e\u0301", "é"],
  ["a\u202eb", "a\ufffdb"],
])("the external text %j is drawn as %j", (text, shown) => {
  expect(sanitize(text)).toBe(shown);
});

test("a megabyte of external text is cut before it is sanitized", () => {
  expect(sanitize("\x1b".repeat(1_000_000), 10)).toBe(`${"␛".repeat(9)}…`);
});

test.each([
  ["abcdef", 3, ["abc", "def"]],
  ["漢字か", 3, ["漢", "字", "か"]],
  ["", 3, [""]],
])("%j wrapped at %i cells has the lines %j", (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});

test("adjacent spans of one style are merged, and spaces join the span before them unless only one is inverse", () => {
  const line = [
    span("a", { dim: true }),
    span("b", { dim: true }),
    span("  "),
    span("c", { inverse: true }),
    span(" "),
  ];
  expect(mergeSpans(line)).toEqual([
    span("ab  ", { dim: true }),
    span("c", { inverse: true }),
    span(" "),
  ]);
});

test("the largest value has a full bar, and any value above 0 has a visible bar or dot", () => {
  expect(drawBars([0, 1, 4, 8], 1, 8)).toEqual([" ▁▄█"]);
  expect(drawBars([0, 1, 1000], 1, 1000)).toEqual([" .█"]);
  expect(drawBars([4, 8, 16], 2, 16)).toEqual(["  █", "▄██"]);
  expect(drawBars([0, 0], 1, 1)).toEqual(["  "]);
  expect(drawBars([3], 4, 100)).toEqual([" ", " ", " ", "▁"]);
});

test("toAscii writes our glyphs in ASCII, and other characters as question marks of equal width", () => {
  expect(toAscii("│✓ café 漢▁█")).toBe("|+ caf? ??.#");
});

test("times, durations and counts are formatted for the live view", () => {
  const clock = createTimeFormat("America/New_York");
  const at = Date.parse("2026-11-20T17:04:31Z");
  expect([
    clock.minute(at),
    clock.brief(at, at),
    clock.brief(at - 86_400_000, at),
    clock.full(at),
  ]).toEqual(["12:04", "12:04:31", "19 Nov", "2026-11-20 12:04:31"]);
  expect([0, 84, 1234, 9949, 9950, 30_000].map(formatDuration)).toEqual([
    "0ms",
    "84ms",
    "1.2s",
    "9.9s",
    "10s",
    "30s",
  ]);
  expect([0, 59_999, 3_660_000, 274_320_000].map(formatUptime)).toEqual([
    "00:00",
    "00:00",
    "01:01",
    "3d 04:12",
  ]);
  expect([7, 3214, 1_000_000].map(groupDigits)).toEqual(["7", "3 214", "1 000 000"]);
});
