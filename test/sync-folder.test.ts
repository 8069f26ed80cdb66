import { expect, test } from "vitest";
import { syncFolder } from "../src/sync-folder.ts";

test("a folder is flushed, except on Windows, which cannot do so", () => {
  expect(() => syncFolder("/no/such/folder", "linux")).toThrow(/ENOENT/);
  expect(() => syncFolder("/no/such/folder", "darwin")).toThrow(/ENOENT/);
  expect(() => syncFolder("/no/such/folder", "win32")).not.toThrow();
  expect(() => syncFolder(import.meta.dirname)).not.toThrow();
});
