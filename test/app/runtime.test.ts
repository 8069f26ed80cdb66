import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/app/runtime.ts";
import { createTempFolder } from "../support/cli.ts";

test("a folder and its parents are created with mode 0700", () => {
  const folder = createTempFolder();
  makeFolder(join(folder, "a/b"));
  expect(["a", "a/b"].map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([
    0o700, 0o700,
  ]);
});

test("makeFolder leaves an existing folder unchanged", () => {
  const path = join(createTempFolder(), "a");
  mkdirSync(path);
  chmodSync(path, 0o750);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o750);
});

test("the error of makeFolder names a file that is in the way", () => {
  const path = join(createTempFolder(), "a");
  writeFileSync(path, "");
  expect(() => makeFolder(path)).toThrow(/Cannot create .*a: file already exists/);
  expect(() => makeFolder(join(path, "b"))).toThrow(/Cannot create .*a: file already exists/);
});

test.runIf(process.platform === "linux")(
  "makeFolder fails below /proc, where nobody can create a folder, and names a fix",
  () => {
    expect(() => makeFolder("/proc/deskbell/data")).toThrow(
      expect.objectContaining({
        code: "not_permitted",
        fix: expect.stringContaining("--data-dir"),
      }),
    );
  },
);
