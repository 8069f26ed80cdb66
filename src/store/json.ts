import { DamagedDatabaseError } from "./storage-error.ts";

/**
 * Parses JSON of the database: SQLite does not detect damage inside a value.
 * @throws DamagedDatabaseError
 */
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new DamagedDatabaseError("the database", (error as Error).message);
  }
}
