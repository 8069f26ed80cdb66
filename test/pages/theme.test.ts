import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fc } from "../support/property.ts";
import { contrastOf, writeTheme } from "../../src/pages/theme.ts";

test("text in the accent colour, and text on it, can be read in light and dark mode", () => {
  expect(contrastOf("#000000", "#ffffff")).toBeCloseTo(21);
  const style = readFileSync("src/pages/style.css", "utf8");
  const papers = [...style.matchAll(/--paper: (#.{6});/g)].map(([, paper = ""]) => paper);
  expect(papers).toHaveLength(2);
  const isReadable = fc.property(fc.integer({ min: 0, max: 0xff_ff_ff }), (number) => {
    const theme = writeTheme(`#${number.toString(16).padStart(6, "0")}`);
    const colours = [...theme.matchAll(/--accent:(#.{6});--on-accent:(#.{6})/g)];
    expect(colours).toHaveLength(2);
    for (const [i, [, accent = "", onAccent = ""]] of colours.entries()) {
      expect(contrastOf(accent, papers[i] ?? "")).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(accent, onAccent)).toBeGreaterThanOrEqual(4.5);
    }
  });
  fc.assert(isReadable);
});

test("an accent colour that can be read on the light paper is not changed in light mode", () => {
  expect(writeTheme("#aa3366")).toMatch(/^:root\{--accent:#aa3366;--on-accent:#ffffff\}/);
});
