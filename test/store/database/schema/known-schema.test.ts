import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { assertDatabaseUsable } from "../../../../src/cli/running/daemon.ts";
import { readMigrations } from "../../../../src/platform/assets.ts";
import {
  findChangedPart,
  findDamage,
  findForeignPart,
} from "../../../../src/store/database/schema.ts";
import { createTerminal } from "../../../support/cli.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

/** Creates a server with a business, and changes bytes of the schema as a failing disk does. */
function createDamagedServer(from: string, to: string) {
  const rt = createTestRuntime();
  addBusiness(rt);
  rt.close();
  const { dataDir, databasePath } = rt.config;
  // `replaceAll` also changes the copies of the schema in free pages of the file.
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
  // The statement that fails first depends on the features, and may name the table.
  expect({ code, stderr: stderr.replace(`${table}.last_sequence`, "last_sequence") }).toEqual({
    code: 5,
    stderr: `error: ${damage} (${error}).\nfix: stop the daemon and restore a backup: deskbell backup list (exit 5)\n`,
  });

  const rt = createTestRuntime({ dataDir });
  await expect(assertDatabaseUsable(rt)).rejects.toThrow(`${damage}.`);
});

function createDatabase(migrations = readMigrations()) {
  const db = new Database(":memory:");
  for (const sql of migrations) db.exec(sql);
  db.pragma(`user_version = ${migrations.length}`);
  return db;
}

test("an index that the operator adds is reported as foreign, not as damage", () => {
  const db = createDatabase();
  expect([findChangedPart(db), findForeignPart(db)]).toEqual([undefined, undefined]);
  db.exec("CREATE INDEX mine ON business (created_at)");
  expect([findChangedPart(db), findForeignPart(db)]).toEqual([undefined, "index 'mine'"]);
  db.exec("DROP INDEX api_key_business");
  expect(findChangedPart(db)).toBe("its index 'api_key_business' is missing or was changed");
  // The schema of a newer version is not known, so no part of it counts as changed.
  db.pragma("user_version = 999");
  expect(findChangedPart(db)).toBeUndefined();
});

const OLD_COMMENT = "-- SHA-256 of the code that admits its holder, which is nowhere on file.";

test("a database that version 0.1 created has the known schema, although its comments differ", () => {
  const respelled = (sql: string) =>
    sql
      .replace("-- SHA-256 of the admission code, which is not stored.", OLD_COMMENT)
      .replace(
        /-- Rises with each insert, so the delivery worker .*\n  -- seen\./,
        "-- Rises with each insert: whatever is new to the courier lies above the last one it has seen.",
      );
  const migrations = readMigrations().map(respelled);
  expect(migrations.join()).toContain(OLD_COMMENT);
  const db = createDatabase(migrations);
  expect([findChangedPart(db), findForeignPart(db)]).toEqual([undefined, undefined]);
});
test("tables that ANALYZE or Litestream adds count neither as damage nor as foreign", () => {
  const db = createDatabase();
  db.exec(`
    CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
    CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);
    ANALYZE`);
  expect([findChangedPart(db), findForeignPart(db)]).toEqual([undefined, undefined]);
});

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Replaces a part of the schema's text, as an attacker with a hex editor can. */
const rewrite = (from: string, to: string) =>
  `PRAGMA writable_schema = ON;
   UPDATE sqlite_schema SET sql = replace(sql, ${literal(from)}, ${literal(to)})`;

test.for([
  "CREATE TABLE _litestream_more (id INTEGER)",
  "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER, more TEXT)",
  "CREATE TRIGGER _litestream_run AFTER UPDATE ON business BEGIN DELETE FROM api_key; END",
  "CREATE VIEW _litestream_seen AS SELECT * FROM api_key",
  "CREATE INDEX _litestream_upper ON business (upper(slug))",
  "CREATE VIRTUAL TABLE extra USING fts5 (text)",
  "ALTER TABLE business ADD COLUMN twice INTEGER AS (catalog_version * 2)",
  rewrite("'The audit log", "'The--'); DELETE FROM api_key; SELECT ('\n audit log"),
  rewrite("json_valid(doc)", "json_valid(doc) /* */ OR TRUE"),
  rewrite("json_valid(doc)", "json_valid(doc)\n"),
  "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET tbl_name = 'event' WHERE name = 'audit_entry_update'",
  "CREATE TABLE _litestream_lock (id INTEGER); PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'other', tbl_name = 'other' WHERE name = '_litestream_lock'",
])("an object that deskbell did not create is found: %s", (sql) => {
  const db = createDatabase();
  db.unsafeMode();
  db.exec(sql);
  expect(findForeignPart(db)).toMatch(/^\w+ '\w+'$/);
});

test("a page that the disk cannot read is a read error, not damage", () => {
  const rt = createTestRuntime();
  const db = new Database(rt.config.databasePath);
  const damage = (code: number): string | undefined => {
    const result = `Tree 3 page 9: unable to get the page. error code=${code}`;
    return findDamage(
      Object.assign(Object.create(db) as Database.Database, {
        pragma: (sql: string) =>
          sql.startsWith("integrity_check") ? result : db.pragma(sql, { simple: true }),
        prepare: db.prepare.bind(db),
      }),
    );
  };
  // The code 266 is SQLITE_IOERR_READ, and 11 is SQLITE_CORRUPT.
  expect(() => damage(266)).toThrow(expect.objectContaining({ code: "SQLITE_IOERR_READ" }));
  expect(damage(11)).toContain("unable to get the page");
  db.close();
});
