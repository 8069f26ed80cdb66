import { fc } from "../../support/property.ts";
import { load, YAML11_SCHEMA } from "js-yaml";
import { describe, expect, test } from "vitest";
import { writeYaml } from "../../../src/domain/catalog/yaml.ts";
import { parseSource } from "../../../src/domain/catalog/source/catalog-source.ts";
import type { AuthoredFile } from "../../../src/domain/catalog/file/schema.ts";

const withDescription = (description: string): AuthoredFile => ({
  catalog: 1,
  addons: [{ key: "mask", name: "Mask", price: "12.50", description }],
});

const readBack = (file: AuthoredFile): unknown =>
  parseSource({ name: "x", text: writeYaml(file, "A test.") }).content;

test("a text of any characters that was written as YAML is read back as it was", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.array(fc.string({ maxLength: 12 }), { maxLength: 5 }).map((lines) => lines.join("\n")),
    fc.constantFrom(
      "no",
      "true",
      "null",
      "~",
      "12",
      "1e3",
      "0x1f",
      "- a",
      "a: b",
      "a #b",
      "*a",
      "&a",
      "!a",
      "a:",
      " a",
      "a\n",
      "|",
      "'",
    ),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      expect(readBack(withDescription(text))).toEqual(withDescription(text));
    }),
    { numRuns: 500 },
  );
});

describe("the layout of written YAML", () => {
  test("prices are written as plain decimals, in the digits that were given", () => {
    const yaml = writeYaml(
      { catalog: 1, addons: [{ key: "a", name: "A", price: "1200.00" }] },
      "A test.",
    );
    expect(yaml).toBe(
      "# A test.\ncatalog: 1\n\naddons:\n  - { key: a, name: A, price: 1200.00 }\n",
    );
  });

  test("a text of several lines is written as a block", () => {
    expect(writeYaml(withDescription("One.\n\nTwo: yes."), "A test.")).toContain(
      "    description: |-\n      One.\n\n      Two: yes.\n",
    );
  });

  test("a text that YAML 1.1 would read as something else is written in quotes", () => {
    const yaml = writeYaml(
      { catalog: 1, addons: [{ key: "no", name: "0123", price: "1.00" }] },
      "A test.",
    );
    expect(yaml).toContain('{ key: "no", name: "0123", price: 1.00 }');
    expect(load(yaml, { schema: YAML11_SCHEMA })).toMatchObject({
      addons: [{ key: "no", name: "0123" }],
    });
  });
});
