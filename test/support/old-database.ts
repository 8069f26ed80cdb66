import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { readMigrations } from "../../src/platform/assets.ts";
import { createTempFolder } from "./cli.ts";
import type { TestRuntime } from "./test-runtime.ts";

/** The file of each older version, without data. */
const emptyFiles = new Map<number, Buffer>();

/**
 * Returns the file of a version, made from that of the version before. Starting with the first
 * version each time would take seconds.
 */
function emptyFileOf(schema: number): Buffer {
  const known = emptyFiles.get(schema);
  if (known !== undefined) return known;
  const db = schema === 1 ? new Database(":memory:") : new Database(emptyFileOf(schema - 1));
  db.exec(readMigrations()[schema - 1] ?? "");
  db.pragma(`user_version = ${schema}`);
  const file = db.serialize();
  db.close();
  emptyFiles.set(schema, file);
  return file;
}

/** Creates a database of an older version, with one business. */
export function createOldDatabase(schema: number, dataDir = createTempFolder()) {
  const path = join(dataDir, "deskbell.db");
  writeFileSync(path, emptyFileOf(schema));
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.exec(`INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at)
    VALUES ('biz_1', 'old-shop', '{}', '{}', 5, 7, 0, 0)`);
  db.close();
  return { dataDir, path };
}

/** Lists the files of a data folder that outlive its processes. */
export const listDataFiles = (dataDir: string) =>
  readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .filter(
      (name) =>
        !/-(shm|wal)$|\.lock(-journal)?$/.test(name) && statSync(join(dataDir, name)).isFile(),
    )
    .sort();

/** Returns the first value that a query finds. */
export function readValue(path: string, sql: string): unknown {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(sql).pluck().get();
  } finally {
    db.close();
  }
}

/**
 * Makes a migration fail: the object that it creates exists already, or the one that it changes is
 * missing.
 */
export function breakMigration(path: string, schema: number): void {
  const made = /^(CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|INSERT INTO|UPDATE) (\w+)/m.exec(
    readMigrations()[schema - 1] ?? "",
  );
  const db = new Database(path);
  db.exec(
    made?.[1]?.startsWith("CREATE")
      ? `CREATE TABLE ${made[2]} (x)`
      : `ALTER TABLE ${made?.[2]} RENAME TO elsewhere`,
  );
  db.close();
}

/** Deletes guests whose data are a text, and leaves them in free space, as version 0.2 did. */
export function leaveOldSpace({ config }: TestRuntime, text: string): void {
  const db = new Database(config.databasePath);
  db.pragma("secure_delete = OFF");
  const insert = db.prepare(
    "INSERT INTO guest (visit_id, business_id, sealed) SELECT 'bkg_' || :n, id, :sealed FROM business",
  );
  for (let n = 0; n < 200; n++) insert.run({ n, sealed: Buffer.from(`${text} ${n} `.repeat(50)) });
  db.exec("DELETE FROM guest; UPDATE server SET has_old_space = 1");
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}

/** Returns whether the file of the database and its log contain a text. */
export function contains({ config: { databasePath } }: TestRuntime, text: string) {
  const has = (path: string): boolean => existsSync(path) && readFileSync(path).includes(text);
  return { file: has(databasePath), log: has(`${databasePath}-wal`) };
}
