import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);

/** Matches a bug in the source of a proof: `file: "src/….ts", find: "…"`. */
const BUG = /file: "(src\/[^"]+)",\s*find: ("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g;

const inQuotes = (literal: string): string =>
  JSON.parse(
    literal.startsWith("'") ? `"${literal.slice(1, -1).replaceAll('"', '\\"')}"` : literal,
  ) as string;

const isOfRemovedFeature = (file: string): boolean => {
  const [folder] = /^src\/features\/[^/]+\//.exec(file) ?? [];
  return folder !== undefined && !existsSync(new URL(folder, ROOT));
};

// Controls run only in the long proofs. A bug that no longer fits the source would make them void.
test("each bug that a proof inserts as a control changes exactly one place of the source", () => {
  const bugs = globSync("test/proofs/**/*.ts", { cwd: ROOT }).flatMap((test) =>
    [...readFileSync(new URL(test, ROOT), "utf8").matchAll(BUG)].map(
      ([, file = "", literal = ""]) => ({ test, file, find: inQuotes(literal) }),
    ),
  );
  expect(bugs.length).toBeGreaterThan(15);
  const misplaced = bugs.filter(
    ({ file, find }) =>
      !isOfRemovedFeature(file) &&
      readFileSync(new URL(file, ROOT), "utf8").split(find).length !== 2,
  );
  expect(misplaced).toEqual([]);
});
