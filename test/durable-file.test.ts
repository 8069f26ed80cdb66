import { expect, test } from "vitest";
import { appendDurably, syncFolder } from "../src/durable-file.ts";

test("a folder is flushed, except on Windows, which cannot do so", () => {
  expect(() => syncFolder("/no/such/folder", "linux")).toThrow(/ENOENT/);
  expect(() => syncFolder("/no/such/folder", "darwin")).toThrow(/ENOENT/);
  expect(() => syncFolder("/no/such/folder", "win32")).not.toThrow();
  expect(() => syncFolder(import.meta.dirname)).not.toThrow();
});

test("an error of an open file names the file", () => {
  expect(() => appendDurably("/dev/full", "x")).toThrow(
    expect.objectContaining({ code: "ENOSPC", path: "/dev/full" }),
  );
});
