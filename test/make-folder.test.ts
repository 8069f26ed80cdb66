import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../src/make-folder.ts";
import { createTempFolder } from "./support/cli.ts";

test("a folder is made with those above it, for its owner alone", () => {
  const folder = createTempFolder();
  makeFolder(join(folder, "a/b"));
  expect(["a", "a/b"].map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([
    0o700, 0o700,
  ]);
});

test("one that is there stays as it is", () => {
  const path = join(createTempFolder(), "a");
  mkdirSync(path, { mode: 0o750 });
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o750);
});

test("a file in its place or above it is named", () => {
  const path = join(createTempFolder(), "a");
  writeFileSync(path, "");
  expect(() => makeFolder(path)).toThrow(/a cannot be made: EEXIST/);
  expect(() => makeFolder(join(path, "b"))).toThrow(/a cannot be made: EEXIST/);
});

test.runIf(process.platform === "linux")("where no folder can be, it says so and ends", () => {
  expect(() => makeFolder("/proc/deskbell/data")).toThrow(
    expect.objectContaining({ code: "not_permitted", fix: expect.stringContaining("--data-dir") }),
  );
});
