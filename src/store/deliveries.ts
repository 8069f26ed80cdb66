import type { Db } from "./database.ts";

export function createDeliveryStore(_db: Db) {
  return {};
}
