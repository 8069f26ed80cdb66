import fc from "fast-check";
import { expect, test } from "vitest";
import { readPlainYaml } from "../../src/app/catalog/catalog-plain-yaml.ts";
import { parseNodes } from "../../src/app/catalog/catalog-source.ts";
import { PRESETS, readPreset, readStarter } from "../../src/assets.ts";
import { generateCatalog } from "../../src/app/sample-catalog/generate.ts";
import { writeYaml } from "../../src/domain/catalog/yaml.ts";

const byNodes = (text: string) => parseNodes({ name: "x", text });

test.each([
  ...PRESETS.map((preset) => [preset, readPreset(preset)] as const),
  ["starter", readStarter()] as const,
])("the shipped %s is plain, and read as its nodes are", (_name, text) => {
  const plain = readPlainYaml(text);
  expect(plain).not.toBeNull();
  expect(plain?.content).toEqual(byNodes(text).content);
});

const exported = writeYaml(generateCatalog(12, 5), "A test.");
const SEEDS = [
  exported,
  readStarter(),
  "a: 1\nb:\n- x\n- y: 2\n  z: [a, b: c]\nc: |-\n  text\n   more\n\n  end\nd: 'it''s' # comment\ne:\n  f: \"\\u00e9\"\n",
];

/** Characters that mean something, and a few that do not. */
const PIECES = [
  ..." :#-{}[],'\"|>&*!?%@`~\n\t0189.eax_+=\\",
  "\n  ",
  "\n- ",
  ": ",
  " #",
  "- ",
  "null",
  "true",
  "---\n",
  "\r\n",
  "|-\n",
  "''",
  "0x1f",
  ".5",
  "1e3",
];

test("whatever it accepts, however somebody has edited the file, means what YAML says it means", () => {
  const cut = fc.record({
    at: fc.nat(100_000),
    remove: fc.nat(3),
    insert: fc.constantFrom("", ...PIECES),
  });
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...SEEDS),
      fc.array(cut, { minLength: 1, maxLength: 4 }),
      (seed, cuts) => {
        let text = seed;
        for (const { at, remove, insert } of cuts) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + insert + text.slice(place + remove);
        }
        const plain = readPlainYaml(text);
        if (plain === null) return;
        accepted += 1;
        const { content, mistakes } = byNodes(text);
        expect(mistakes).toEqual([]);
        expect(plain.content).toEqual(content);
      },
    ),
    { numRuns: 2000 },
  );
  // Otherwise nothing was compared.
  expect(accepted).toBeGreaterThan(200);
});
