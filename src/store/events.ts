import type { Db } from "./database.ts";

export function createEventStore(_db: Db) {
  return {};
}
