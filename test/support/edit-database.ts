import Database from "better-sqlite3";
import type { TestRuntime } from "./test-runtime.ts";

/** Changes the database as another program would. */
export function edit(rt: TestRuntime, sql: string): void {
  const db = new Database(rt.config.databasePath);
  db.exec(sql);
  db.close();
}
