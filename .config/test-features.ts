import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FEATURES } from "../src/features/index.ts";

// npm run test:features [-- NAME…]: removes each feature from a copy of the sources, as a developer
// would, and runs the type check, the linter, the build and the tests of the core in the copy.

const ROOT = resolve(import.meta.dirname, "..");
const COPIED = ["src", "test", "bin", "data", ".config", "package.json", "tsconfig.json"];
const CONFIGS = ["vitest.config.ts", ".oxlintrc.json", "README.md", "LICENSE", ".github"];

/** Tests that may name any feature: of the whole program, of pages, and of this script. */
const OF_PROGRAM = [
  "test/e2e",
  "test/proofs",
  "test/bench",
  "test/release",
  "test/named-paths.test.ts",
  "test/security-policy.test.ts",
  "test/features/index.test.ts",
];

/**
 * Copies the sources without a feature to a folder, and returns it. The caller deletes the folder.
 */
export function copyWithout(feature: string): string {
  const folder = mkdtempSync(join(tmpdir(), `deskbell-without-${feature}-`));
  // Some tests run the program as another user, who must be able to read the folder.
  chmodSync(folder, 0o755);
  for (const name of [...COPIED, ...CONFIGS])
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.endsWith("node_modules"),
    });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const path of ["src/features", "test/features"])
    rmSync(join(folder, path, feature), { recursive: true, force: true });
  for (const list of globSync(join(folder, "src/features/*.ts")))
    writeFileSync(list, withoutFeature(readFileSync(list, "utf8"), feature));
  const config = JSON.parse(readFileSync(join(folder, "tsconfig.json"), "utf8")) as object;
  // Test helpers are not listed: they are checked together with the tests that import them.
  const tests = ["test/**/*.test.ts", "test/**/*.test.tsx", "test/support/empty-database.ts"];
  const include = ["src", ...tests, "test/**/*.d.ts"];
  const types = { ...config, include, exclude: [...OF_PROGRAM] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(types));
  return folder;
}

/** Returns the source of a feature list without a feature. */
export function withoutFeature(list: string, feature: string): string {
  const [line, name] =
    new RegExp(`^import \\{ (\\w+) \\} from "./${feature}/[\\w/-]+.ts";\n`, "m").exec(list) ?? [];
  if (line === undefined) return list;
  return list.replace(line, "").replace(/( = \[)([^\]]*)\]/, (_, head: string, names: string) => {
    const others = names.split(/,\s*/).filter((each) => each !== "" && each.trim() !== name);
    return `${head}${others.join(", ")}]`;
  });
}

/** Runs checks in a copy, and returns the output of each that failed. */
export function checkWithout(folder: string, commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap(([program = "", ...args]) => {
    const bin = join(ROOT, "node_modules/.bin", program);
    const env = { ...process.env, EXCLUDED_TESTS: OF_PROGRAM.join(" ") };
    const { status, stdout, stderr } = spawnSync(bin, args, { cwd: folder, encoding: "utf8", env });
    return status === 0 ? [] : [`${program} ${args.join(" ")}\n${stdout}${stderr}`];
  });
}

export const STATIC_CHECKS = [["tsc", "--noEmit", "--singleThreaded"], ["oxlint"]] as const;
const BUILD = ["node", ".config/build.ts"];
const TESTS = ["vitest", "run", "--reporter=minimal"];

if (import.meta.main) {
  const named = process.argv.slice(2);
  const names = named.length > 0 ? named : FEATURES.map(({ name }) => name);
  let failed = 0;
  for (const name of names) {
    const users = FEATURES.filter(({ uses = [] }) => uses.includes(name));
    if (users.length > 0) {
      console.log(`${name}: left out, because ${users.map((user) => user.name).join()} uses it`);
      continue;
    }
    const folder = copyWithout(name);
    const failures = checkWithout(folder, [...STATIC_CHECKS, BUILD, TESTS]);
    rmSync(folder, { recursive: true });
    console.log(`${name}: ${failures.length === 0 ? "everything else passes" : "failed"}`);
    for (const failure of failures) console.error(failure);
    failed += failures.length;
  }
  process.exitCode = failed === 0 ? 0 : 1;
}
