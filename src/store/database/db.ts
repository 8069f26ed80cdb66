import type Database from "better-sqlite3";
import { memoized } from "../../domain/lazy.ts";

export type Db = Database.Database;

/**
 * Tells whether SQLite threw an error. The name is checked, not the class: each bundle has its own
 * copy of the class, and better-sqlite3 throws the copy that was loaded first in the process.
 */
export const isSqliteError = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof Error && error.name === "SqliteError";

const camelCase = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns columns as `created_at AS createdAt`. @param names such as `id, delivery.created_at` */
export const columns = (names: string): string =>
  names.replaceAll(/\b[a-z]+_\w+/g, (name) => `${name} AS ${camelCase(name)}`);

/** Returns an INSERT with a named parameter for each column: `:createdAt` for `created_at`. */
export const insertInto = (table: string, names: string): string =>
  `INSERT INTO ${table} (${names}) VALUES (${names.replaceAll(/\w+/g, (name) => `:${camelCase(name)}`)})`;

/** Returns SQL for the values of a parameter that is a JSON array, to be used after `IN`. */
export const listedIn = (parameter: string): string =>
  `(SELECT value FROM json_each(:${parameter}))`;

/** SQL for the values of the parameter `:ids`, a JSON array, to be used after `IN`. */
export const LISTED = listedIn("ids");

/** Matches a quoted text, a comment or a parameter. */
const QUOTED_OR_PARAMETER = /'[^']*'|"[^"]*"|--.*|[?:]\w*/g;

/**
 * Returns SQL whose parameters are expressions, `+:name`, so that SQLite does not use their values
 * to choose a plan. With plain parameters, SQLite parses and plans a third of our statements again
 * whenever they run (SQLITE_ENABLE_STAT4). This took a third of the time of a booking.
 */
export const keepPlan = (sql: string): string =>
  sql.replace(QUOTED_OR_PARAMETER, (match) => (/^[?:]/.test(match) ? `+${match}` : match));

export const parseOptional = <T>(raw: unknown, parse: (raw: unknown) => T): T | undefined =>
  raw === undefined ? undefined : parse(raw);

/** Returns the conditions, joined with AND, of the fields that a filter sets. */
export const matching = <Filter extends object>(
  conditions: Record<keyof Filter, string>,
  filter: Filter,
): string =>
  Object.entries<string>(conditions).reduce(
    (sql, [name, condition]) =>
      filter[name as keyof Filter] === undefined ? sql : `${sql} AND ${condition}`,
    "TRUE",
  );

/**
 * Returns a function that lists a business's rows, the newest first.
 * @param optional columns that must match if the filter sets them. The filter may also set
 *   `before`, which selects IDs below it
 */
export function prepareNewest(db: Db, table: string, names: string, optional: readonly string[]) {
  const conditions: Record<string, string> = {
    ...Object.fromEntries(
      optional.map((name) => [camelCase(name), `${name} = :${camelCase(name)}`]),
    ),
    before: "id < :before",
  };
  // Each combination of conditions has its own statement, so that each can use an index.
  const prepare = cacheStatements(db);
  return (filter: { businessId: string }, limit: number): unknown[] => {
    const { businessId, ...others } = filter;
    const statement = prepare(`
      SELECT ${columns(names)} FROM ${table}
      WHERE business_id = :businessId AND ${matching(conditions, others)}
      ORDER BY id DESC LIMIT :limit`);
    return statement.all({ businessId, ...others, limit });
  };
}

/** Returns a function that prepares each statement once, for SQL that depends on a filter. */
export const cacheStatements = (db: Db): ((sql: string) => ReturnType<Db["prepare"]>) =>
  memoized((sql: string) => db.prepare(sql));
