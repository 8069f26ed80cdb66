import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url);
const SRC = new URL("src/", ROOT);

const read = (page: string): string => readFileSync(new URL(page, ROOT), "utf8");

/** Placeholders in a path, such as `<name>`, `GROUP` or `NNNN_what.sql`. */
const PLACEHOLDER = /<|\/[A-Z]{4}/;

/**
 * Returns the paths in inline code that are relative to the root or to src/. The pattern leaves out
 * routes, which begin with /, and packages, which begin with @.
 */
const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`(\w|\.\w)[\w.<>-]*\/[\w./<>-]*`/g)]
    .map(([code]) => code.slice(1, -1))
    .filter((path) => !PLACEHOLDER.test(path));

const exists = (path: string): boolean =>
  [ROOT, SRC].some((folder) => existsSync(new URL(path, folder)));

test.each([
  ".github/CONTRIBUTING.md",
  ".github/PERFORMANCE.md",
  ".github/SECURITY.md",
  "README.md",
])("each path that %s names exists", (page) => {
  const text = read(page);
  expect(pathsOf(text).filter((path) => !exists(path))).toEqual([]);
  const links = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, to = ""]) => to);
  expect(links.filter((to) => !existsSync(new URL(to, new URL(page, ROOT))))).toEqual([]);
});

test("each folder and file in the structure that CONTRIBUTING.md shows exists", () => {
  const [, tree = ""] = /```\n(src\/\n[^]*?)\n```/.exec(read(".github/CONTRIBUTING.md")) ?? [];
  const parents: string[] = [];
  const paths = [...tree.matchAll(/^((?: {2}){0,2})([\w-]+(?:\/|\.ts))/gm)].map(
    ([, indent = "", name = ""]) => {
      parents.splice(indent.length / 2, Infinity, name);
      return parents.join("");
    },
  );
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((each) => !exists(each))).toEqual([]);
});

test("a path is recognised in inline code, and a route, a package or a placeholder is not", () => {
  expect(pathsOf("`store/none.ts`, `test/app/`, `/docs`, `@redocly/cli`, `test/GROUP/x`")).toEqual([
    "store/none.ts",
    "test/app/",
  ]);
});
