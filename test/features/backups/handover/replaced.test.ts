import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkReplaced } from "../../../../src/features/backups/handover/replaced.ts";
import { saveBackupState } from "../../../../src/features/backups/state.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

/** Creates a stopped server with a copy in a folder in which another server has taken over. */
function createReplaced() {
  const rt = createTestRuntime();
  const dir = createTempFolder();
  const where = { dir, isOtherDisk: false, hasCommand: false };
  mkdirSync(rt.config.backupFolder);
  saveBackupState(rt.config, "copy", { at: rt.now(), name: "", createdAt: rt.now(), ...where });
  writeFileSync(join(dir, "epoch-1"), "");
  return { rt, dir };
}

test("a stopped server is reported as replaced if another one has taken over with a copy", () => {
  const { rt, dir } = createReplaced();
  expect(checkReplaced(rt, false)).toMatchObject([
    { code: "server.replaced", text: expect.stringContaining(dir) },
  ]);
  expect(checkReplaced(rt, true)).toEqual([]);
});

test("a server that cannot read its own epoch reports the error, so that no takeover is overlooked", () => {
  const { rt } = createReplaced();
  mkdirSync(join(rt.config.dataDir, "epoch"));
  expect(() => checkReplaced(rt, false)).toThrow("EISDIR");
});
