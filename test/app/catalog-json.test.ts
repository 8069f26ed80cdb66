import fc from "fast-check";
import { expect, test } from "vitest";
import { readSoundJson } from "../../src/app/catalog/catalog-json.ts";
import { parseSource } from "../../src/app/catalog/catalog-source.ts";

/** A comment makes it YAML, which is read by its nodes. */
const readByNodes = (json: string): unknown =>
  parseSource({ name: "x", text: `# YAML\n${json}` }).content;

test("sound JSON is read as its YAML nodes are", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ depthSize: "small" })),
      fc.constantFrom(0, 2),
      (value, space) => {
        const json = JSON.stringify(value, null, space);
        // Left to those who explain it, see below.
        fc.pre(!json.includes("__proto__"));
        expect(readSoundJson(json)?.content).toEqual(readByNodes(json));
      },
    ),
    { numRuns: 300 },
  );
});

test("decimals keep their digits, where money is expected and nowhere else", () => {
  expect(readSoundJson('{"price": 35.00, "capacity": 3.0, "percent": [1e1]}')?.content).toEqual({
    price: "35.00",
    capacity: 3,
    percent: ["1e1"],
  });
});

test.each([
  ['{"a": 1, "a": 2}', "a field twice"],
  ['{"__proto__": {}}', "a prototype"],
  [`${'{"a":'.repeat(50)}1${"}".repeat(50)}`, "a depth that no catalog has"],
  ['{"a": 1,}', "a comma too many"],
  ['{"a": 01}', "a leading zero"],
  ['{"a": "\t"}', "a raw tab"],
  ['{"a": "\\x"}', "an unknown escape"],
  ['{"a": 1} x', "something behind the end"],
  ['{"a": tru}', "half a word"],
  ['{"a": "b', "a text without end"],
  ["[1]", "a list"],
  ["", "nothing"],
])("%s is left to those who explain %s", (text) => {
  expect(readSoundJson(text)).toBeNull();
});
