import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { readMigrations } from "../../src/platform/assets.ts";
import { createTempFolder } from "./cli.ts";
import type { Reply } from "./documented-mirror.ts";
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

/**
 * Stores guests with a text in place of their encrypted data, and deletes them. The bytes stay in
 * the free space of the file, as with version 0.2.
 */
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

const UPGRADE = new URL("../e2e/upgrade/", import.meta.url);

/**
 * Returns a file that version 0.2 has made: a business with two services, a booking and an API key.
 */
export const readFileOfVersion02 = (): Buffer =>
  gunzipSync(readFileSync(new URL("version-0.2.db.gz", UPGRADE)));

/**
 * Returns what version 0.2 responded to `GET /v1/businesses/shop…` with the file that
 * `readFileOfVersion02` returns, by the rest of the path.
 */
export const readResponsesOfVersion02 = () =>
  JSON.parse(readFileSync(new URL("version-0.2.json", UPGRADE), "utf8")) as Record<string, Reply>;

/** Tables of the first schema, in the order of their references. */
const FIRST_TABLES = ["business", "catalog_object", "representation", "api_key", "api_key_secret"];

/**
 * Writes the catalog, API keys and events of a file of version 0.2 as a file of the first schema.
 */
export function writeFileOfFirstSchema(path: string): void {
  const newer = join(createTempFolder(), "newer.db");
  writeFileSync(newer, readFileOfVersion02());
  writeFileSync(path, emptyFileOf(1), { mode: 0o600 });
  const db = new Database(path);
  db.prepare("ATTACH ? AS newer").run(newer);
  const columnsOf = (schema: string, table: string) =>
    db.prepare("SELECT name FROM pragma_table_info(?, ?)").pluck().all(table, schema) as string[];
  for (const table of [...FIRST_TABLES, "event"]) {
    const known = new Set(columnsOf("newer", table));
    const columns = columnsOf("main", table);
    // A later schema replaced the positions of objects by sort orders, which have gaps of 1024.
    const values = columns.map((name) => (known.has(name) ? name : "sort_order / 1024 - 1"));
    db.exec(`INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM newer.${table}`);
  }
  // A later schema also stores when the business itself changed, in rows that the first schema does
  // not have.
  db.exec("DELETE FROM representation WHERE object_id = business_id");
  db.close();
}
