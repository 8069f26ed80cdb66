import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url);
const POLICY = readFileSync(new URL(".github/SECURITY.md", ROOT), "utf8");

test("SECURITY.md names existing tests for each of the ten OWASP API risks", () => {
  const rows = [...POLICY.matchAll(/^\| API(\d+) .*$/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const [row] of rows) {
    const paths = [...row.matchAll(/`(test\/\S+)`/g)].map(([, path = ""]) => path);
    expect({ row, paths }).not.toEqual({ row, paths: [] });
    expect(paths.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  }
});
