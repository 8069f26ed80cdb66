import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FEATURES } from "../src/features/index.ts";

// npm run test:features [-- NAME…]: removes each feature from a copy of the sources, as a developer
// would, and runs there the type check, the linter and the tests of the core.

const ROOT = resolve(import.meta.dirname, "..");
const COPIED = ["src", "test", "bin", "data", ".config", "package.json", "tsconfig.json"];
const CONFIGS = ["vitest.config.ts", ".oxlintrc.json", "README.md", ".github", "dist"];

/** Tests of the whole program, which may use any feature. */
const OF_PROGRAM = ["test/e2e", "test/proofs", "test/bench", "test/release"];

/** Returns a folder with the sources that lack a feature. The caller deletes it. */
export function copyWithout(feature: string): string {
  const folder = mkdtempSync(join(tmpdir(), `deskbell-without-${feature}-`));
  for (const name of [...COPIED, ...CONFIGS])
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.endsWith("node_modules"),
    });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const path of ["src/features", "test/features"])
    rmSync(join(folder, path, feature), { recursive: true, force: true });
  const list = join(folder, "src/features/index.ts");
  writeFileSync(list, withoutFeature(readFileSync(list, "utf8"), feature));
  const config = JSON.parse(readFileSync(join(folder, "tsconfig.json"), "utf8")) as object;
  const exclude = [...OF_PROGRAM, "test/client", ".config"];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...config, exclude }));
  return folder;
}

/** Returns the list of features without the import and the entry of one. */
export function withoutFeature(list: string, feature: string): string {
  const [line, name = ""] =
    new RegExp(`^import \\{ (\\w+) \\} from "./${feature}/feature.ts";\n`, "m").exec(list) ?? [];
  if (line === undefined) throw new Error(`src/features/index.ts does not import ${feature}.`);
  return list
    .replace(line, "")
    .replace(
      /(const LIST = \[)([^\]]*)(\] as const)/,
      (_, head: string, names: string, end: string) =>
        [
          head,
          names
            .split(", ")
            .filter((each) => each !== name)
            .join(", "),
          end,
        ].join(""),
    );
}

/** Runs the checks that need only the sources. Returns what failed, with its output. */
export function checkWithout(folder: string, commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap(([program = "", ...args]) => {
    const bin = join(ROOT, "node_modules/.bin", program);
    const { status, stdout, stderr } = spawnSync(bin, args, { cwd: folder, encoding: "utf8" });
    return status === 0 ? [] : [`${program} ${args.join(" ")}\n${stdout}${stderr}`];
  });
}

export const STATIC_CHECKS = [["tsc", "--noEmit", "--singleThreaded"], ["oxlint"]] as const;
const TESTS = [
  "vitest",
  "run",
  "--reporter=minimal",
  ...OF_PROGRAM.flatMap((path) => ["--exclude", `${path}/**`]),
];

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
    const failures = checkWithout(folder, [...STATIC_CHECKS, TESTS]);
    rmSync(folder, { recursive: true });
    console.log(`${name}: ${failures.length === 0 ? "everything else passes" : "failed"}`);
    for (const failure of failures) console.error(failure);
    failed += failures.length;
  }
  process.exitCode = failed === 0 ? 0 : 1;
}
