import Database from "better-sqlite3";
import { readBuiltSchema, readMigrations } from "../assets.ts";
import { type Db, isSqliteError } from "./db.ts";

// A database has the schema that the migrations up to its version create. If not, a disk has changed
// a byte of it, or another program has: SQLite reports neither as damage.

type SchemaEntry = { type: string; name: string; sql: string };

/** Without the tables that SQLite or Litestream adds. */
const listEntries = (db: Db): string[] =>
  (
    db
      .prepare(`SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_litestream\\_%' ESCAPE '\\'`)
      .all() as SchemaEntry[]
  ).map(({ type, name, sql }) => `${type} ${name} ${sql}`);

/** Returns the schema that the first migrations create. */
export function createSchema(migrations: readonly string[]): string[] {
  const db = new Database(":memory:");
  try {
    for (const sql of migrations) db.exec(sql);
    return listEntries(db);
  } finally {
    db.close();
  }
}

/** By version. Running all migrations takes 50 ms. */
const known = new Map<number, string[]>();

/** Those of the version that the database has; none if it is newer than this deskbell. */
function listKnownEntries(db: Db): string[] {
  const version = db.pragma("user_version", { simple: true }) as number;
  const entries = known.get(version) ?? createEntries(version);
  known.set(version, entries);
  return entries;
}

function createEntries(version: number): string[] {
  const built = readBuiltSchema();
  if (built?.version === version) return built.entries;
  const migrations = readMigrations();
  return version > migrations.length ? [] : createSchema(migrations.slice(0, version));
}

/** Returns which part of the schema is missing or changed; undefined if none is. */
export function findChangedPart(db: Db): string | undefined {
  const changed = findMissing(listKnownEntries(db), listEntries(db));
  return changed && `its ${describe(changed)} is missing or was changed`;
}

/** Returns a part of the schema that no migration created, such as `trigger 'x'`. */
export function findForeignPart(db: Db): string | undefined {
  const foreign = findMissing(listEntries(db), listKnownEntries(db));
  return foreign && describe(foreign);
}

/** Returns the first entry that the others lack. Comments and spaces differ between versions. */
function findMissing(entries: string[], others: string[]): string | undefined {
  const exact = new Set(others);
  const candidates = entries.filter((entry) => !exact.has(entry));
  if (candidates.length === 0) return undefined;
  const normalized = new Set(others.map(removeSpace));
  return candidates.find((entry) => !normalized.has(removeSpace(entry)));
}

const removeSpace = (entry: string): string => entry.replace(/--.*$|\s+/gm, "");

const describe = (entry: string): string => {
  const [type, name] = entry.split(" ");
  return `${type} '${name}'`;
};

/** Reads the whole file. @returns the first problem of the schema, or that SQLite finds */
export function findDamage(db: Db): string | undefined {
  const changed = findChangedPart(db);
  if (changed !== undefined) return changed;
  const result = db.pragma("integrity_check(1)", { simple: true }) as string;
  return result === "ok" ? undefined : result;
}

/**
 * Returns the damage of the schema that made SQLite reject a statement; undefined if the schema is
 * intact, so that the error is a bug, and for other errors.
 */
export function findSchemaDamage(error: unknown, db: Db): string | undefined {
  if (!isSqliteError(error) || !/^SQLITE_(?:ERROR|CONSTRAINT)/.test(error.code)) return undefined;
  const changed = findChangedPart(db);
  return changed && `${changed} (${error.message})`;
}
