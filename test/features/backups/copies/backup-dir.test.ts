import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assertNoEarlierCopies } from "../../../../src/features/backups/copies/backup-dir.ts";
import { backupName } from "../../../../src/features/backups/store/files.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { createStandbyConfig, createTestRuntime } from "../../../support/test-runtime.ts";

test("a server without a database is refused a backup folder with copies, and may use a folder without copies", () => {
  const rt = createTestRuntime();
  const empty = createStandbyConfig(rt.config);
  const dir = createTempFolder();
  writeFileSync(join(dir, "notes.txt"), "");
  expect(() => assertNoEarlierCopies(empty, dir)).not.toThrow();
  writeFileSync(join(dir, backupName(rt.now())), "");
  expect(() => assertNoEarlierCopies(empty, dir)).toThrow(
    `${empty.dataDir} has no businesses, and ${dir} has the backups of a server that has`,
  );
  expect(() => assertNoEarlierCopies(rt.config, dir)).not.toThrow();
});
