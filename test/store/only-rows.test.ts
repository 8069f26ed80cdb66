import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createBackup, verifyBackup } from "../../src/app/operations/backups.ts";
import { listDaemonConditions } from "../../src/app/operations/conditions.ts";
import { CHECKS } from "../support/checks.ts";
import { assertDatabaseUsable } from "../../src/cli/running/daemon.ts";
import { DamagedDatabaseError } from "../../src/store/storage-error.ts";
import { createTerminal } from "../support/cli.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const TABLES = ["audit_retention", "history", "server"];

test("a new database has one row in three tables, and none in the others", () => {
  const rt = createTestRuntime();
  const db = new Database(rt.config.databasePath);
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .pluck()
    .all() as string[];
  const filled = tables.filter((table) => db.prepare(`SELECT 1 FROM ${table}`).get() !== undefined);
  db.close();
  expect(filled.toSorted()).toEqual(TABLES);
});

test.each(TABLES)("a missing row of %s is damage, and not a bug", async (table) => {
  const rt = createTestRuntime();
  const db = new Database(rt.config.databasePath);
  db.exec(`DELETE FROM ${table}`);
  db.close();
  const missing = `the row of its table '${table}' is missing`;
  const damage = listDaemonConditions(rt, CHECKS).filter(({ code }) => code === "database.damaged");
  expect(damage).toMatchObject([{ text: expect.stringContaining(missing) }]);
  await expect(assertDatabaseUsable(rt)).rejects.toThrow(DamagedDatabaseError);
  await expect(createBackup(rt)).rejects.toMatchObject({ code: "storage_failed" });
  await expect(verifyBackup(rt.config.databasePath)).rejects.toThrow(missing);
  const { deskbell } = createTerminal({ dataDir: rt.config.dataDir });
  for (const line of ["status", "doctor", "audit list", "businesses list"])
    expect((await deskbell(line)).stderr).not.toMatch(/bug/);
});
