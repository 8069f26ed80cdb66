import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { CacheFile } from "../../.config/mutants/cache.ts";
import { insertMutants } from "../../.config/mutants/copy.ts";
import { findMutants } from "../../.config/mutants/find-mutants.ts";
import { applyMutant } from "../../.config/mutants/instrument.ts";
import { measureTests, runMutants } from "../../.config/mutants/run-mutants.ts";
import { takeSample } from "../../.config/mutants/sample.ts";
import { classifyMutant, rate } from "../../.config/mutants/score.ts";
import { findInvalid } from "../../.config/mutants/type-check.ts";
import { createTempFolder } from "../support/cli.ts";
import { patient } from "../support/patience.ts";

/** The test starts the compiler and vitest. */
const LONG = { timeout: patient(120_000) };

const ROOT = resolve(import.meta.dirname, "../..");

const SOURCE = `export function totalOf(prices: number[], tip: number): number {
  let sum = 0;
  for (const price of prices) if (price > 0) sum += price;
  while (tip > 5) tip -= 1;
  return sum + tip;
}

export const label = (name: string): string => "total " + name;
`;

const TEST = `import { expect, test } from "vitest";
import { totalOf } from "../src/total.ts";

test("a total has all prices", () => expect(totalOf([2, 3], 0)).toBe(5));
test("a tip is at most 5", () => expect(totalOf([], 6)).toBe(5));
`;

describe("mutants", () => {
  test("a mutant counts as killed, endless, surviving, not reached or invalid", LONG, async () => {
    const checkout = createTempFolder();
    for (const folder of ["src", "test"]) mkdirSync(join(checkout, folder));
    symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
    cpSync(join(ROOT, "tsconfig.json"), join(checkout, "tsconfig.json"));
    writeFileSync(join(checkout, "package.json"), '{ "type": "module" }');
    writeFileSync(join(checkout, "src/total.ts"), SOURCE);
    writeFileSync(join(checkout, "test/total.test.ts"), TEST);
    const all = takeSample(checkout, { seed: 1, count: 100, sources: ["src/*.ts"] });
    const chosen = (line: string, change: string) => {
      const key = `src/total.ts: ${line}: ${change}`;
      return all.find((mutant) => mutant.key === key)!;
    };
    const [loop, tips] = [
      "for (const price of prices) if (price > 0) sum += price;",
      "while (tip > 5) tip -= 1;",
    ];
    const name = 'export const label = (name: string): string => "total " + name;';
    const sample = [
      chosen(loop, "+= becomes -="),
      chosen(tips, "-= becomes +="),
      // No price is zero, and adding zero would not change the sum, so this mutant survives.
      chosen(loop, "> becomes >="),
      chosen(name, "+ becomes -"),
    ];
    const invalid = await findInvalid(checkout, sample.slice(2));
    const cache = new CacheFile(join(checkout, "cache"), checkout, sample);
    insertMutants(checkout, all);
    const options = {
      copy: checkout,
      workers: 1,
      cache,
      log: () => undefined,
      limitMs: patient(5000),
    };
    await measureTests(options, ["test/total.test.ts"]);
    await runMutants(options, sample);
    const reached = cache.findReached();
    const outcomes = sample.map((mutant) =>
      classifyMutant(cache.verdictOn(mutant), {
        isReached: reached.has(mutant.id),
        isEquivalent: false,
      }),
    );
    expect(outcomes).toEqual(["killed", "timedOut", "survived", "notReached"]);
    expect([...invalid]).toEqual([sample[3]]);
    expect(cache.verdictOn(sample[0]!).by).toBe("test/total.test.ts: a total has all prices");
    const resumed = new CacheFile(join(checkout, "cache"), checkout, sample);
    // The run has put mutants into the source, so the cache drops what it knew about the old text.
    expect(resumed.cache.files).toEqual({});
  });

  test("a test file that failed without a mutant is measured again in the next run", () => {
    const folder = createTempFolder();
    const first = new CacheFile(folder, ROOT, []);
    const measured = { sha256: "", ms: 1, loading: [], tests: [] };
    first.cache.files["test/passes.test.ts"] = { ...measured, passes: true };
    first.cache.files["test/fails.test.ts"] = { ...measured, passes: false };
    first.save();
    const { cache } = new CacheFile(folder, ROOT, []);
    expect(Object.keys(cache.files)).toEqual(["test/passes.test.ts"]);
  });

  test.each([
    ["WHERE status = 'PENDING'", ["= becomes <>", "'PENDING' becomes ''"]],
    ["UPDATE hold SET at = ? WHERE at <= ?", ["<= becomes <"]],
    ["SELECT a FROM b ORDER BY a DESC", ["DESC becomes ASC"]],
  ])("%s is mutated as SQL", (sql, changes) => {
    const mutants = findMutants("src/a.ts", `const sql = \`${sql}\`;`);
    expect(mutants.map(({ change }) => change).sort()).toEqual(
      changes.map((change) => `${change} in SQL`).sort(),
    );
  });

  test("a mutant keeps its key when lines are added before it", () => {
    const [before] = findMutants("src/a.ts", "export const isOpen = 1 < 2;");
    const [after] = findMutants("src/a.ts", "// A comment.\n\nexport const isOpen = 1 < 2;");
    expect(after).toMatchObject({ key: before!.key, line: 3 });
  });

  test("sentences and types are not mutated", () => {
    const source = 'type Side = "left"; throw new Error("The name is too long.");';
    expect(findMutants("src/a.ts", source).map(({ change }) => change)).toEqual([
      "the throw is removed",
    ]);
  });

  test("a list without its filter is a mutant", () => {
    const source = "const open = list.filter(isOpen);";
    const [mutant] = findMutants("src/a.ts", source);
    expect(applyMutant(source, mutant!)).toBe("const open = (list);");
  });

  test("the share of noticed mutants comes with its Wilson interval", () => {
    const counts = { survived: 5, notReached: 5, equivalent: 7, invalid: 9 };
    const { share, low, high } = rate({ killed: 80, timedOut: 10, ...counts });
    expect(share).toBe(0.9);
    // Newcombe (1998) gives these bounds for 90 of 100, as method 3.
    expect([low, high].map((bound) => bound.toFixed(4))).toEqual(["0.8256", "0.9448"]);
  });
});
