import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BENCHES } from "./benches.ts";

const PAGE = readFileSync(new URL("../../.github/PERFORMANCE.md", import.meta.url), "utf8");
const COLUMNS = ["what", "measured", "goal", "better is", "met", "`npm run bench --`"];

/** The cells of each table of PERFORMANCE.md; the first row has the titles. */
const tables = [...PAGE.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
  table
    .trimEnd()
    .split("\n")
    .filter((line) => !/^[|-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    ),
);
const rows = tables
  .filter(([titles]) => titles?.includes("met"))
  .flatMap(([, ...figures]) => figures)
  .map(([what = "", measured = "", goal = "", better = "", met = "", bench = ""]) => ({
    what,
    measured,
    goal,
    better,
    met,
    bench: bench.replaceAll("`", ""),
  }));

/** Returns the unit of a figure and its numbers: one, or both ends of a range. */
function parseFigure(text: string): { values: number[]; unit: string } {
  const [, first, last, unit] =
    /^(?:below )?([\d,.]+)(?:-([\d,.]+))?( (?:ms|s|MB|%|x))?$/.exec(text) ?? [];
  expect({ text, first }).toEqual({ text, first: expect.any(String) });
  const values = [first, last].flatMap((value) =>
    value === undefined ? [] : [Number(value.replaceAll(",", ""))],
  );
  return { values, unit: unit?.trim() ?? "" };
}

/** Returns whether each measured value reaches the goal. */
function isMet({ measured, goal, better }: (typeof rows)[number]): boolean {
  const [{ values, unit }, limit] = [parseFigure(measured), parseFigure(goal)];
  expect(unit).toBe(limit.unit);
  const [target = Number.NaN] = limit.values;
  return values.every((value) => (better === "higher" ? value >= target : value <= target));
}

describe("the page of performance", () => {
  test("each table of PERFORMANCE.md except that of growing costs has goals and verdicts", () => {
    const [others, withGoals] = [false, true].map((hasGoals) =>
      tables.filter(([titles]) => titles?.includes("met") === hasGoals).map(([titles]) => titles),
    );
    expect(new Set(withGoals?.map((titles) => titles?.join()))).toEqual(new Set([COLUMNS.join()]));
    expect(others?.map((titles) => titles?.[0])).toEqual(["operation"]);
    expect(rows.length).toBeGreaterThan(50);
  });

  test.each(rows)("PERFORMANCE.md says correctly whether the goal is met: $what", (row) => {
    expect(row.better).toMatch(/^(?:higher|lower)$/);
    parseFigure(row.measured);
    expect(row.met).toBe(row.goal === "-" ? "-" : isMet(row) ? "yes" : "no");
  });

  test("PERFORMANCE.md names each figure once, and only benchmarks that exist", () => {
    expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length);
    const ids = new Set(["growth", ...BENCHES.flatMap((bench) => bench.ids)]);
    expect(rows.filter(({ bench }) => !ids.has(bench))).toEqual([]);
  });
});
