import { fc } from "../../../support/property.ts";
import { load } from "js-yaml";
import { beforeAll, describe, expect, test } from "vitest";
import { readCatalog } from "../../../../src/domain/catalog/source/read-catalog.ts";
import type { AppError } from "../../../../src/domain/errors.ts";
import { parseSource } from "../../../../src/domain/catalog/source/catalog-source.ts";
import { PRESETS, readPreset, readStarter } from "../../../../src/platform/assets.ts";
import { DECIMAL_FIELDS } from "../../../../src/domain/catalog/file/fields.ts";
import { writeYaml } from "../../../../src/domain/catalog/yaml.ts";
import { collectIssues, readCatalogBody } from "../../../support/catalog-file.ts";
import { readPartOfSample } from "../../../support/sample-catalog.ts";

const parse = (text: string) => parseSource({ name: "x", text });

const read = (text: string): unknown => {
  const { content, issues } = parse(text);
  expect(issues).toEqual([]);
  return content;
};

const issuesIn = (text: string): string[] =>
  parse(text).issues.map(({ line, column, detail }) => `${line}:${column} ${detail}`);

describe("plain scalars follow the core schema of YAML 1.2", () => {
  test.each<[string, unknown]>([
    ["[yes, no, on, off, y, n, tRUE]", ["yes", "no", "on", "off", "y", "n", "tRUE"]],
    ["[true, True, TRUE, false]", [true, true, true, false]],
    ["[null, Null, ~, nULL]", [null, null, null, "nULL"]],
    ["[0o17, 017, 0x1F, 0b11, 1_000]", [15, 17, 31, "0b11", "1_000"]],
    ["[1e3, .5, 5., +1, 1.2.3, 1e400]", [1000, 0.5, 5, 1, "1.2.3", "1e400"]],
    ["[.inf, -.Inf, .nan]", [Infinity, -Infinity, Number.NaN]],
    ["[2026-12-01, 2026-12-01T10:00, 10:30]", ["2026-12-01", "2026-12-01T10:00", "10:30"]],
    ["[a b, a#b, a:b, -x, ?x, 'it''s', é😀]", ["a b", "a#b", "a:b", "-x", "?x", "it's", "é😀"]],
    ['["\\u00e9\\x41\\n\\/", "a # b", "12", ""]', ["éA\n/", "a # b", "12", ""]],
    ["[! 12, !!str 12, !!int '12', !!float 1.50, !!bool 'true']", ["12", "12", 12, 1.5, true]],
    ["{12: a, null: b, 35.00: c, <<: d}", { 12: "a", null: "b", "35.00": "c", "<<": "d" }],
    ["https://x.y:80/z?q=1#f # comment", "https://x.y:80/z?q=1#f"],
  ])("plain scalars follow the core schema of YAML 1.2: %s", (value, expected) => {
    expect(read(`a: ${value}\n`)).toEqual({ a: expected });
  });
});

test("a field without a value is undefined, and a list item without a value is null", () => {
  expect(read("a:\nb: ~\nc: null\nd: ''\ne:\n-\n- ~\n")).toStrictEqual({
    a: undefined,
    b: undefined,
    c: undefined,
    d: "",
    e: [null, null],
  });
});

test("decimals keep their digits in fields for amounts, and nowhere else", () => {
  const text = `price: 35.00
percent: [10.50, '5.0', 1e1, 0x1F]
capacity: 3.0
x: { price: 35.00 }
`;
  const expected = {
    price: "35.00",
    percent: ["10.50", "5.0", "1e1", "0x1F"],
    capacity: 3,
    x: { price: "35.00" },
  };
  expect(read(text)).toEqual(expected);
  const json = '{"price": 35.00, "percent": [10.50, "5.0", 1e1, "0x1F"], "capacity": 3.0';
  expect(read(`${json}, "x": {"price": 35.00}}`)).toEqual(expected);
});

describe("texts over several lines", () => {
  test.each([
    ["a: |\n  x\n   y\n\n  z\n\n", "x\n y\n\nz\n"],
    ["a: |-\n  # not a comment\n  ]\n# comment\n", "# not a comment\n]"],
    ["a: |+\n  x\n\n", "x\n\n"],
    ["a: |2\n   x\n", " x\n"],
    ["a: >-\n  x\n  y\n\n  z\n", "x y\nz"],
    ["a: x\n  y\n\n  z\n", "x y\nz"],
    ["a: 'x\n  y'\n", "x y"],
    ['a: "x \\\n    y"\n', "x y"],
  ])("a text over several lines is read: %j", (text, expected) => {
    expect(read(text)).toEqual({ a: expected });
    expect(read(text.replaceAll("\n", "\r\n"))).toEqual({ a: expected });
  });
});

describe("brackets", () => {
  test.each<[string, unknown]>([
    ["{\n\t'a': [\n\t\t1,\n\t],\n}", { a: [1] }],
    ["a: [\n  1, # one\n  # two\n]\nb: 2\n", { a: [1], b: 2 }],
    ["a:\r\n  - {\r\n    b: '#1'\r\n  }\r\n", { a: [{ b: "#1" }] }],
    ["a: [\n  1\n]\nb: |\n  x\n  ]\nc: 'x\n  ] y'\n", { a: [1], b: "x\n]\n", c: "x ] y" }],
    ["a: [x,\ty]\nb: 'x\ty'\n", { a: ["x", "y"], b: "x\ty" }],
    ["a: [b: 1, c]\n", { a: [{ b: 1 }, "c"] }],
  ])("brackets are read, even without indentation: %j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("brackets that are not indented do not move the positions of issues", () => {
    expect(issuesIn("a: [\n  1 # one\n]\na: 2\n")).toEqual([
      "4:1 'a' appears twice here. Keep one of them.",
    ]);
    expect(issuesIn("a: [\n  1\n]\nb: c: d\n")).toEqual([
      "4:5 Unexpected ': ' in a value. Put the text in quotes, or begin a new line.",
    ]);
  });
});

test("a decimal that is read through an alias keeps its digits only in a field for amounts", () => {
  expect(read("a: &x 35.00\nprice: *x\nb: &l [1.0, {price: 2.00}]\npercent: *l\n")).toEqual({
    a: 35,
    price: "35.00",
    b: [1, { price: "2.00" }],
    percent: ["1.0", { price: "2.00" }],
  });
});

test("several aliases of a nested value each have a copy of the value", () => {
  expect(read("a: [1, {b: 2}]\nc: &x {d: [3, {e: 4}], f: 5}\ng: *x\nh: [*x]\n")).toEqual({
    a: [1, { b: 2 }],
    c: { d: [3, { e: 4 }], f: 5 },
    g: { d: [3, { e: 4 }], f: 5 },
    h: [{ d: [3, { e: 4 }], f: 5 }],
  });
});

test("a byte order mark, document markers and directives are accepted", () => {
  expect(read("\ufeff%YAML 1.1\n---\n# comment\na: yes\n...\n# end\n")).toEqual({ a: "yes" });
});

test("locate returns the position of a path, or of its nearest ancestor", () => {
  const text =
    "\ufeffa: 1\r\nb:\r\n  - x\r\n  - c: &c\r\n      d: [1, 'é']\r\ne: *c\r\nf: [\r\n]\r\n";
  const { locate } = parse(text);
  const at = (...path: (string | number)[]): string => {
    const { line, column } = locate(path);
    return `${line}:${column}`;
  };
  expect([at(), at("a"), at("b"), at("b", 0), at("b", 1), at("b", 1, "c")]).toEqual([
    "1:1",
    "1:1",
    "2:1",
    "3:5",
    "4:5",
    "4:5",
  ]);
  expect([at("b", 1, "c", "d", 1), at("e"), at("e", "d")]).toEqual(["5:14", "6:1", "5:7"]);
  expect([at("f", 3), at("b", 1, "x"), at("x"), at("constructor")]).toEqual([
    "7:1",
    "4:5",
    "1:1",
    "1:1",
  ]);
});

describe("syntax errors", () => {
  test.each([
    ["a:\n  b: 1\n c: 2\n", "3:2 The indentation of this line does not match the lines above it."],
    ["- a\nb: c\n", "2:1 The indentation of this line does not match the lines above it."],
    ["a: - b\n", "1:4 Unexpected '-'. Put the text in quotes, or begin a new line."],
    ["a: `b`\n", "1:4 Unexpected '`'. Put the text in quotes, or begin a new line."],
    ["a: 'b' c\n", "1:8 Unexpected 'c'. Put the text in quotes, or begin a new line."],
    ["a: b: c\n", "1:5 Unexpected ': ' in a value. Put the text in quotes, or begin a new line."],
    [
      "a: 1\nb\n\nc: 2\n",
      "2:1 This line continues in the next one, because there is no ': ' after the name of a field.",
    ],
    [
      "a: 1\nb:2\n",
      "2:1 This line continues in the next one, because there is no ': ' after the name of a field.",
    ],
    [
      "a:1\nb: 2\n",
      "1:1 This line continues in the next one, because there is no ': ' after the name of a field.",
    ],
    [
      "a: [1, 2\nb: 3\n",
      "2:1 This line is not indented enough, or a bracket or quotation mark above it is not closed.",
    ],
    [
      "a: 'b\nc: d\n",
      "2:1 This line is not indented enough, or a bracket or quotation mark above it is not closed.",
    ],
    ["a: [1, 2", "1:9 A bracket is not closed."],
    ["a: 'b", "1:6 A quotation mark is not closed."],
    ["a: {b: 1 c: 2}\n", "1:11 A ',' or a closing bracket is missing here."],
    ["a: [{b: 1], c: 2}\n", "1:10 A ',' or a closing bracket is missing here."],
    ["a: [1,,2]\n", "1:7 A value is missing before this ','."],
    ['a: "\\q"\n', "1:6 This is not an escape sequence. For a backslash, write two of them."],
    ["a: b\0c\n", "1:5 Write this character as an escape sequence, in double quotes."],
    ["a: '\x1b'\n", "1:5 Write this character as an escape sequence, in double quotes."],
    [
      "a: !list []\n",
      "1:4 Tags such as '!name' have no meaning in a catalog (unresolved tag: !list).",
    ],
    [
      "a: !!int x\n",
      "1:4 Tags such as '!name' have no meaning in a catalog (unresolved tag: !!int).",
    ],
    [
      "a: !x!y z\n",
      "1:8 Tags such as '!name' have no meaning in a catalog (undeclared tag handle \"!x!\").",
    ],
    ["a: |x\n", "1:5 This is not valid YAML: a line break is expected."],
    ["a:\n\tb: 1\n", "2:1 A tab is used for indentation here; YAML takes spaces only."],
    ["{12: {[a]: b}}\n", "1:7 The name of a field must be text."],
    ["!!int 12: a\n", "1:7 The name of a field must be text."],
    [
      "---\na: |\n  ---\n---\nb: 2\n",
      "4:1 A second document begins here ('---'). Move it to a separate file.",
    ],
    ['{\n  "a": 1\n  "b": 2\n}\n', "3:6 A ',' or a closing bracket is missing here."],
    ['{"a": 1} x\n', "1:10 Unexpected 'x'. Put the text in quotes, or begin a new line."],
  ])("a syntax error is reported at its place: %j", (text, expected) => {
    expect(issuesIn(text)).toEqual([expected]);
  });
});

/**
 * Returns the value in a form that can be compared with the result of js-yaml. Decimals become
 * numbers. Empty fields are left out, and so are fields with names that js-yaml resolves to another
 * type, such as `true` or `1`.
 */
function comparable(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, field) ?? null);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, inner]) => (inner ?? null) !== null && !RESOLVED_NAME.test(name))
        .map(([name, inner]) => [name, comparable(inner, name)]),
    );
  return DECIMAL_FIELDS.has(field) && typeof value === "string" && value.trim() !== ""
    ? Number(value)
    : value;
}

const RESOLVED_NAME = /^(?:|~|null|true|false|[-+.\d].*)$/i;

const EXPORTED = readPartOfSample(12, 5);
const SEEDS = [
  writeYaml(EXPORTED, "A test."),
  JSON.stringify(EXPORTED, null, 2),
  readStarter(),
  ...PRESETS.map((preset) => readPreset(preset)),
  "a: 1\nb:\n- x\n- y: 2\n  z: [a, b: c]\nc: |-\n  text\n   more\n\n  end\nd: 'it''s' # comment\n",
  "a: \"x\n  y\\\n  z\"\nb: 'm\n\n  n'\nc: plain\n  over\n  lines\nd:\r\n  - |\r\n    f\r\n    g\r\n",
];

/** Characters with a meaning in YAML, and a few others. */
const PIECES = [
  ..." :#-{}[],'\"|>&*!?%@`~\n\t0189.eax_+=\\",
  "\n  ",
  "\n- ",
  "\n]",
  ": ",
  " #",
  "- ",
  "&a ",
  "<<: ",
  "|-\n",
  "''",
  "---\n",
  "\r\n",
  "\ufeff",
  "null",
  "true",
  "0x1f",
  "1e3",
  ".5",
  "é😀",
];

test("a randomly edited file is read as js-yaml reads it, or has a syntax error", () => {
  const edit = fc.record({
    at: fc.nat(100_000),
    removed: fc.nat(3),
    inserted: fc.constantFrom("", ...PIECES),
  });
  let compared = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...SEEDS),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      (seed, edits) => {
        let text = seed;
        for (const { at, removed, inserted } of edits) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + inserted + text.slice(start + removed);
        }
        const { content, issues, broken } = parse(text);
        for (const { line, column } of issues) expect(Math.min(line, column)).toBeGreaterThan(0);
        if (broken) expect(issues.map(({ code }) => code)).toContain("invalid_syntax");
        if (issues.length > 0) return;
        compared += 1;
        let expected: unknown;
        try {
          expected = load(text);
        } catch {
          // js-yaml rejects some texts that are accepted here. The tests of brackets show these
          // texts.
          return;
        }
        expect(comparable(content)).toEqual(comparable(expected));
      },
    ),
    { numRuns: 800 },
  );
  expect(compared).toBeGreaterThan(100);
});

test("JSON is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ depthSize: "small" })),
      fc.constantFrom("", "  ", "\t"),
      (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        fc.pre(!json.includes("__proto__"));
        expect(comparable(read(json))).toEqual(comparable(JSON.parse(json)));
      },
    ),
    { numRuns: 300 },
  );
});

describe("an adversarial file costs little more than a valid one", () => {
  const repeated = (count: number, part: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => part(index)).join("");
  const business = "catalog: 1\nbusiness: { slug: xx, name: X, timezone: UTC, currency: CHF }\n";
  const services = (count: number, item: (index: number) => string) =>
    `${business}services:\n${repeated(count, (index) => `  - { ${item(index)} }\n`)}`;
  const fields = "name: X, durationMin: 30, price: 10";

  const read = (text: string) =>
    readCatalog([{ name: "x.yaml", text }], {
      current: () => null,
      prune: false,
      seedingAt: null,
    });
  const measureCpuMs = (work: () => unknown): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const valid = services(10_000, (i) => `key: s${i}, ${fields}`);
  /** Machines differ in speed. A cost that is quadratic would be hundreds of times as high. */
  let limitMs = 0;
  beforeAll(() => {
    read(valid);
    limitMs = 5 * measureCpuMs(() => read(valid));
  });

  test.each([
    ["300,000 spaces before a value", `a:${" ".repeat(300_000)}b\n`],
    ["300,000 spaces after a value", `a: b${" ".repeat(300_000)}\n`],
    ["300,000 spaces in brackets", `a: [${" ".repeat(300_000)}]\n`],
    ["300,000 spaces in a text", `a: 'b${" ".repeat(300_000)}c'\n`],
    ["300,000 tabs", `a: [${"\t".repeat(300_000)}]\n`],
    ["60,000 anchors", repeated(60_000, (index) => `- &a${index} x\n`)],
    ["60,000 anchors in brackets", `[${repeated(60_000, (index) => `&a${index} x, `)}]`],
    ["60,000 aliases", `- &a x\n${"- *a\n".repeat(60_000)}`],
    ["60,000 fields", repeated(60_000, (index) => `a${index}: x\n`)],
    ["60,000 repeated fields", "a: x\n".repeat(60_000)],
    ["60,000 open brackets", "[".repeat(60_000)],
    ["60,000 quotation marks", `a: ${'"'.repeat(60_001)}`],
    ["60,000 documents", "---\n".repeat(60_000)],
    ["60,000 directives", "%TEST a\n".repeat(60_000)],
    ["60,000 brackets on lines of their own", `a: [\n${"[\n],\n".repeat(60_000)}]\n`],
    ["60,000 comment signs before a bracket", `a: [ ${" #".repeat(60_000)}\n]\n`],
  ])("a file with %s is parsed or rejected at little cost", (_name, text) => {
    expect(measureCpuMs(() => parse(text))).toBeLessThan(limitMs);
  });

  test.each([
    ["30,000 unknown fields", business + repeated(30_000, (index) => `a${index}: x\n`)],
    [
      "an object with 100,000 unknown fields",
      services(1, () => repeated(100_000, (i) => `f${i}: 1, `)),
    ],
    ["99,999 empty objects", services(99_999, () => "")],
    ["18,000 invalid values", services(18_000, (i) => `key: s${i}, ${fields}, status: FOO`)],
    ["18,000 repeated keys", services(18_000, () => `key: s, ${fields}`)],
    ["12,000 broken references", services(12_000, (i) => `key: s${i}, ${fields}, category: q${i}`)],
    [
      "10,000 long keys with 5,000 broken references that resemble them",
      `${services(10_000, (i) => `key: ${`s${i}`.padEnd(80, "x")}, ${fields}`)}promotions:\n${repeated(
        50,
        (i) =>
          `  - { key: p${i}, name: P, benefit: { type: percent_off, percent: 5 }, appliesTo: { services: [${repeated(100, (j) => `${`z${i}y${j}`.padEnd(80, "x")},`)}] } }\n`,
      )}`,
    ],
    [
      "15,000 categories in one cycle",
      `${business}serviceCategories:\n${repeated(15_000, (i) => `  - { key: s${i}, name: X, parent: s${(i + 1) % 15_000} }\n`)}`,
    ],
    ["20,000 open quotation marks", services(20_000, (i) => `key: s${i}, name: "X`)],
    ["60,000 repeated fields", `${business}${"a: x\n".repeat(60_000)}`],
    [
      "an object with 300,000 invalid items",
      services(1, () => `key: s, tags: [${"[], ".repeat(300_000)}]`),
    ],
    [
      "an object with 190,000 invalid items",
      services(1, () => `key: s, tags: [${"[], ".repeat(190_000)}]`),
    ],
  ])("a file with %s is read at little cost, and at most 100 errors are listed", (_name, text) => {
    let thrown: unknown;
    const cpuMs = measureCpuMs(() => {
      try {
        read(text);
      } catch (error) {
        thrown = error;
      }
    });
    expect(thrown).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/ errors? in x\.yaml\./),
    });
    expect((thrown as AppError).issues.length).toBeLessThanOrEqual(100);
    expect(cpuMs).toBeLessThan(limitMs);
  });

  test("aliases that expand to billions of values are rejected at little cost", () => {
    const bomb = repeated(12, (n) => `a${n}: &a${n} [${repeated(10, () => `*a${n - 1}, `)}]\n`);
    const reject = () =>
      expect(collectIssues(() => readCatalogBody(bomb.replaceAll("*a-1", "x")))).toEqual([
        expect.stringContaining("The aliases (*name) in this file expand to too many values."),
      ]);
    expect(measureCpuMs(reject)).toBeLessThan(limitMs);
  });
});
