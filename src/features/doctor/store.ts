import { countMigrations } from "../../platform/assets.ts";
import type { Db } from "../../store/database/db.ts";
import { withReadOnlyDatabase } from "../../store/database/read-only-database.ts";
import { findDamage } from "../../store/database/schema.ts";

export type DatabaseFacts = {
  /** The version of SQLite. */
  sqlite: string;
  bytes: number;
  /** The number of migrations that the database has had. */
  schema: number;
  /** The newest schema that this version of deskbell knows. */
  knownSchema: number;
  /** The problem that SQLite or a comparison of the schema finds; null if there is none. */
  damage: string | null;
  /** The names of tables with rows that refer to a missing row. */
  orphansIn: string[];
  /** Whether Litestream has replicated the file. */
  hasLitestreamTables: boolean;
};

/**
 * Returns facts about a database, and checks the whole file for damage.
 * @throws AppError if the file is not a database, or too damaged to be read
 */
export const readDatabaseFacts = (path: string): DatabaseFacts => withReadOnlyDatabase(path, read);

function read(db: Db): DatabaseFacts {
  const readValue = (sql: string): unknown => db.prepare(sql).pluck().get();
  return {
    sqlite: readValue("SELECT sqlite_version()") as string,
    bytes: readValue(
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    ) as number,
    schema: readValue("PRAGMA user_version") as number,
    knownSchema: countMigrations(),
    damage: findDamage(db)?.replaceAll(/\s+/g, " ").trim() ?? null,
    orphansIn: db
      .prepare(`SELECT DISTINCT "table" FROM pragma_foreign_key_check()`)
      .pluck()
      .all() as string[],
    hasLitestreamTables:
      readValue(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name GLOB '_litestream_*'",
      ) !== 0,
  };
}
