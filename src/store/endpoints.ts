import type { Db } from "./database.ts";

export function createEndpointStore(_db: Db) {
  return {};
}
