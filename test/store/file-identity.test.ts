import { closeSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findIdentity, findLoss, findProcessOnDeletedFile } from "../../src/store/file-identity.ts";
import { createTempFolder } from "../support/cli.ts";

test("a file that is deleted, replaced or unreachable is lost", () => {
  const path = join(createTempFolder(), "deskbell.db");
  writeFileSync(path, "");
  const opened = findIdentity(path);
  expect(findLoss(path, opened)).toBeUndefined();
  renameSync(path, `${path}.old`);
  expect(findLoss(path, opened)).toBe("was deleted or moved");
  writeFileSync(path, "");
  expect(findLoss(path, opened)).toBe("was replaced by another file");
  rmSync(path);
  renameSync(`${path}.old`, path);
  expect(findLoss(path, opened)).toBeUndefined();
  rmSync(path);
  symlinkSync(path, path);
  expect(findLoss(path, opened)).toBe("cannot be reached (ELOOP)");
});

test.skipIf(process.platform !== "linux")("finds the process that uses a deleted file", () => {
  const path = join(createTempFolder(), "deskbell.db");
  const file = openSync(path, "w");
  onTestFinished(() => closeSync(file));
  expect(findProcessOnDeletedFile(path)).toBeUndefined();
  rmSync(path);
  expect(findProcessOnDeletedFile(path)).toBe(process.pid);
});
