import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createBackup } from "../../src/app/operations/backups.ts";
import { assertDatabaseUsable } from "../../src/cli/running/daemon.ts";
import { readMigrations } from "../../src/assets.ts";
import { findChangedPart, findForeignPart } from "../../src/store/known-schema.ts";
import { createTerminal } from "../support/cli.ts";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

/** A server with a business, whose disk has changed bytes of the schema. */
function createDamagedServer(from: string, to: string) {
  const rt = createTestRuntime();
  addBusiness(rt);
  rt.close();
  const { dataDir, databasePath } = rt.config;
  // Free pages have copies of the schema, too.
  const bytes = readFileSync(databasePath, "latin1");
  expect(bytes).toContain(from);
  writeFileSync(databasePath, bytes.replaceAll(from, to), "latin1");
  return { dataDir, databasePath };
}

const CREATE_KEY = "keys create --name site --secret";

test.for([
  {
    from: "CHECK (json_valid(scopes))",
    to: "CHECK (json_vadid(scopes))",
    table: "api_key",
    line: CREATE_KEY,
    error: "unknown function: json_vadid()",
  },
  {
    from: "'RESTRICTED'",
    to: "'SESTRICTED'",
    table: "api_key",
    line: "keys create --name site --scope services.read",
    error: "CHECK constraint failed: kind IN ('SECRET', 'SESTRICTED')",
  },
  {
    from: "last_sequence",
    to: "last_sequenbe",
    table: "business",
    line: "status",
    error: "no such column: last_sequence",
  },
])("a change of the schema by the disk is damage: $error", async (change) => {
  const { from, to, table, line, error } = change;
  const { dataDir, databasePath } = createDamagedServer(from, to);
  const part = `its table '${table}' is missing or was changed`;
  const damage = `${databasePath} is damaged or is not a database: ${part}`;

  const { deskbell } = createTerminal({ dataDir });
  const { code, stderr } = await deskbell(line);
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: `error: ${damage} (${error}).\nfix: stop the daemon and restore a backup: deskbell backup list (exit 5)\n`,
  });
  const doctor = await deskbell("doctor");
  expect(doctor.code).toBe(6);
  expect(doctor.stdout).toContain(`the database is damaged: ${part}`);

  const rt = createTestRuntime({ dataDir });
  await expect(assertDatabaseUsable(rt)).rejects.toThrow(`${damage}.`);
  await expect(createBackup(rt)).rejects.toThrow(part);
});

test("what the operator adds to the schema is not damage, and neither are spaces and comments", () => {
  const db = new Database(":memory:");
  const migrations = readMigrations();
  for (const sql of migrations)
    db.exec(sql.replaceAll("\n", " \n-- A comment of another version.\n"));
  db.pragma(`user_version = ${migrations.length}`);
  expect([findChangedPart(db), findForeignPart(db)]).toEqual([undefined, undefined]);
  db.exec("CREATE INDEX mine ON business (created_at)");
  expect([findChangedPart(db), findForeignPart(db)]).toEqual([undefined, "index 'mine'"]);
  db.exec("DROP INDEX api_key_business");
  expect(findChangedPart(db)).toBe("its index 'api_key_business' is missing or was changed");
  // The schema of a newer version is not known.
  db.pragma("user_version = 999");
  expect(findChangedPart(db)).toBeUndefined();
});
