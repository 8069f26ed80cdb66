import { DamagedDatabaseError } from "./storage-error.ts";

/**
 * Parses JSON of the database: SQLite does not detect damage inside a value. The error names the
 * column only: the value may contain what must not be in a log.
 * @throws DamagedDatabaseError
 */
export function parseJson<T>(text: string, column: `${string}.${string}`): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new DamagedDatabaseError("the database", `${column} is not valid JSON`);
  }
}
