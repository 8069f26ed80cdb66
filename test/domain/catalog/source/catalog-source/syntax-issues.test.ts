import { expect, test } from "vitest";
import { parseSource } from "../../../../../src/domain/catalog/source/catalog-source.ts";
import { readPreset } from "../../../../../src/platform/assets.ts";

const errorsIn = (text: string): string[] =>
  parseSource({ name: "catalog.yaml", text }).issues.map(
    ({ line, column, detail }) => `${line}:${column} ${detail}`,
  );

test("the syntax errors of all items and sections are reported together", () => {
  const text = `catalog: 1
services:
  - { key: a, name: A, price: 1.00
  # a comment
  - { key: b, name: B: C }
  - { key: c, name: C }
staff:
	- { key: x }
menu:
  categories:
    - key: d
      name: D: E
  items:
    - key: f
      description: |
        - { not an item

    - { key: "g }
areas: [
`;
  expect(errorsIn(text)).toEqual([
    "3:34 A bracket or quotation mark is not closed.",
    "5:22 A ',' or a closing bracket is missing here.",
    "8:1 A tab is used for indentation here; YAML takes spaces only.",
    "12:14 Unexpected ': ' in a value. Put the text in quotes, or begin a new line.",
    "18:17 A bracket or quotation mark is not closed.",
    "19:8 A bracket or quotation mark is not closed.",
  ]);
});

test("a single syntax error in a file causes no other errors", () => {
  const preset = readPreset("salon");
  const flows = [...preset.matchAll(/\}\n/g)].map(({ index }) => index);
  for (const at of [3, 20, 60, 100].map((index) => flows[index] as number))
    expect(errorsIn(preset.slice(0, at) + preset.slice(at + 1))).toHaveLength(1);
  const outside = "catalog: 1\nareas:\n  - { key: a }\nx\nstaff: []\n";
  expect(errorsIn(outside)).toEqual([
    "4:1 This line continues in the next one, because there is no ': ' after the name of a field.",
  ]);
  const bracket = "catalog: 1\nbusiness: {\nslug: x,\nname: Y\n}\nareas: []\n";
  expect(errorsIn(bracket)).toHaveLength(1);
  expect(errorsIn("--- \ncatalog: [\nareas: [\n")).toHaveLength(1);
});
