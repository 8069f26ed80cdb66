import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { prebuiltAddon } from "../../.config/executable.ts";
import { LIBRARY_VERSIONS, NODE_VERSION, TARGETS } from "../../.config/release/targets.ts";

const ROOT = resolve(import.meta.dirname, "../..");

test("a release contains the version of Node that the tests run with", () => {
  const lock = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { packages: Record<string, { version: string }> };
  expect(packages["node_modules/node"]?.version).toBe(NODE_VERSION);
});

test("each target of a release has a prebuilt addon and pinned downloads", () => {
  expect(TARGETS.map(({ name }) => name)).toEqual(["linux-x64", "linux-arm64", "win32-x64"]);
  for (const { name, node, linux } of TARGETS) {
    expect(readFileSync(prebuiltAddon(name)).length).toBeGreaterThan(1e6);
    expect(node.integrity).toMatch(/^sha512-[\w+/]{86}==$/);
    if (linux === null) continue;
    expect(Object.keys(linux.libraries)).toEqual(Object.keys(LIBRARY_VERSIONS));
    for (const sha256 of Object.values(linux.libraries)) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
});
