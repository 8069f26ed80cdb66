import type { Db } from "./database.ts";

export function createKeyStore(_db: Db) {
  return {};
}
