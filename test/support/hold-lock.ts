import Database from "better-sqlite3";
import type { TestRuntime } from "./test-runtime.ts";

/** Takes the write lock as another program would. @returns a function that releases the lock */
export function holdLock({ config }: TestRuntime): () => void {
  const other = new Database(config.databasePath);
  other.exec("BEGIN IMMEDIATE");
  return () => void other.close();
}
