import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

// npm run check:client: checks the built npm package deskbell-client with publint and "Are the
// types wrong?", and runs its quick start in Node 20, Deno and Bun. The tools are downloaded (300
// MB), so this is not part of `npm test`, which runs the quick start in the programs that are
// installed.

const PACKAGES = ["publint@0.3", "@arethetypeswrong/cli@0.18", "node@20", "deno@2", "bun@1"];

const ROOT = resolve(import.meta.dirname, "..");
const PACKAGE = join(ROOT, "dist/docs/deskbell-client.tgz");

/** The package has ES modules only, so "Are the types wrong?" need not look for CommonJS. */
const COMMANDS = [
  ["publint", "run", PACKAGE, "--strict"],
  ["attw", PACKAGE, "--profile", "esm-only"],
];

const folder = mkdtempSync(join(tmpdir(), "deskbell-check-client-"));
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  // The packages of Deno, Bun and Node unpack the programs with install scripts, so npm must run
  // scripts here.
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...PACKAGES], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const bin = join(folder, "node_modules/.bin");
  const check = (name: string, program: string, args: string[], path = process.env["PATH"]) => {
    const env = { ...process.env, PATH: path };
    const options = { cwd: ROOT, encoding: "utf8", env } as const;
    const { status, stdout, stderr } = spawnSync(program, args, options);
    console.log(`${status === 0 ? "ok    " : "FAILED"} ${name}\n${stdout}${stderr}`);
    if (status !== 0) process.exitCode = 1;
  };
  for (const [name = "", ...args] of COMMANDS) check(name, join(bin, name), args);
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const test = [vitest, "run", "test/e2e/client-quick-start.test.ts", "--reporter=verbose"];
  check("quick start", process.execPath, test, `${bin}${delimiter}${process.env["PATH"]}`);
} finally {
  rmSync(folder, { recursive: true });
}
