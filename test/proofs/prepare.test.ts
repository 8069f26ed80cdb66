import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder } from "../support/cli.ts";

const PREPARE = resolve(import.meta.dirname, "../../.config/prepare.js");

/** Creates a checkout whose build only appends to a file. */
function createCheckout() {
  const folder = createTempFolder();
  const at = (path: string) => join(folder, path);
  for (const path of ["src", "dist", ".config"]) mkdirSync(at(path));
  const scripts = { build: "echo built >> builds.txt" };
  writeFileSync(at("package.json"), JSON.stringify({ type: "module", scripts }));
  cpSync(PREPARE, at(".config/prepare.js"));
  writeFileSync(at("src/main.ts"), "");
  writeFileSync(at("builds.txt"), "");
  const modify = (path: string, secondsAgo: number) => {
    const time = Date.now() / 1000 - secondsAgo;
    utimesSync(at(path), time, time);
  };
  const prepare = (): number => {
    execFileSync(process.execPath, [at(".config/prepare.js")], { cwd: folder, stdio: "ignore" });
    return readFileSync(at("builds.txt"), "utf8").split("built").length - 1;
  };
  return { at, modify, prepare };
}

test("preparing a checkout builds it only if the build is missing or older than a source", () => {
  const { at, modify, prepare } = createCheckout();
  expect(prepare()).toBe(1);
  for (const path of ["dist/main.js", "dist/schema.json"]) writeFileSync(at(path), "");
  for (const path of ["src", "src/main.ts", ".config", ".config/prepare.js", "package.json"])
    modify(path, 60);
  modify("dist/main.js", 30);
  expect(prepare()).toBe(1);
  modify("src/main.ts", 10);
  expect(prepare()).toBe(2);
});
