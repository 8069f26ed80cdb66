import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BUGS_FOUND } from "../../.config/proofs/history.ts";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** The claims of the README: the items of the list in its section about proofs. */
const claims = (/^## Proofs\n([^]*?)^## /m.exec(read("../../README.md"))?.[1] ?? "")
  .split(/^- /m)
  .slice(1)
  .map((item) => item.split("\n\n")[0]!.replaceAll(/\s+/g, " ").trim());
const results = read("RESULTS.md");

const findResult = (claim: string): string | undefined =>
  results.split(/^(?=##+ )/m).find((part) => part.startsWith(`### ${claim}\n`));

describe("the results", () => {
  const lines = results.split("\n").filter((one) => /^- (?:Test|Result|Control|Run): /.test(one));

  test("the results say in whole sentences what each proof did and found", () => {
    expect(lines.length).toBeGreaterThan(4 * claims.length);
    expect(lines.filter((line) => !/^- \w+: [A-Z`\d].* .*\.$/.test(line))).toEqual([]);
  });

  test("no two numbers follow each other in the results, because each number is followed by what it counts", () => {
    expect(lines.filter((line) => /\d [\d,]*\d\b/.test(line))).toEqual([]);
  });

  // A run of the proofs writes this table again, so a row that is only in the results would be lost.
  test("the bugs in the results are those of .config/proofs/history.ts", () => {
    const [, table = ""] = /^## Bugs that proofs have found\n([^]*?)^## /m.exec(results) ?? [];
    const rows = table.split("\n").filter((line) => /^\| .* \| .* \| [0-9a-f]{7} \|$/.test(line));
    expect(rows).toEqual(
      BUGS_FOUND.map(({ bug, foundBy, commit }) => `| ${bug} | ${foundBy} | ${commit} |`),
    );
  });
});

describe("the README", () => {
  test.each(claims)("the README claims only what is in the results: %s", (item) => {
    const [, claim = "", figures = ""] = /^(.*?)(?: \((.*)\))?$/.exec(item) ?? [];
    const result = findResult(claim)?.replaceAll(/(?<=\d),(?=\d)/g, "");
    expect(result).toMatch(/^- Control: /m);
    for (const [figure] of figures.replaceAll(/(?<=\d),(?=\d)/g, "").matchAll(/\d+/g))
      expect(result).toMatch(new RegExp(`\\b${figure}\\b`));
  });

  test("the README has claims, and the results have no failed proof", () => {
    expect(claims.length).toBeGreaterThan(0);
    expect(results).not.toMatch(/^### FAILED/m);
  });
});
