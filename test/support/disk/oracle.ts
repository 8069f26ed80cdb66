import { join } from "node:path";
import Database from "better-sqlite3";
import { hasMatchingMasterKey } from "../../../src/features/backups/restore/restore.ts";
import { openRuntime } from "../../../src/app/runtime.ts";
import { readConfig } from "../../../src/config.ts";
import { listMissingDeliveries } from "../missing-deliveries.ts";

/**
 * Opens a data folder after a power cut. Returns what it lacks of `acknowledged`, and any damage.
 * @param acknowledged texts such as `booking bkg_1` or `price 9100`
 */
export function listLost(dataDir: string, acknowledged: readonly string[]): string[] {
  try {
    const rt = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
    try {
      const damage = findDamage(join(dataDir, "deskbell.db"), acknowledged);
      return hasMatchingMasterKey(rt) ? damage : [...damage, "the master key"];
    } finally {
      rt.close();
    }
  } catch (error) {
    return [String(error)];
  }
}

const PRICES = `SELECT CAST(body AS TEXT) ->> '$.data.object.priceCents' FROM event
  WHERE type = 'service.updated'`;

const SECRETS = "SELECT count(*) FROM endpoint_secret GROUP BY endpoint_id";

/** Returns the damage of a database, and what it lacks of `acknowledged`. */
export function findDamage(path: string, acknowledged: readonly string[]): string[] {
  const db = new Database(path);
  try {
    const list = (sql: string) => db.prepare(sql).pluck().all();
    const problems = [...list("PRAGMA integrity_check"), ...list("PRAGMA foreign_key_check")];
    const found = new Set(
      ["api_key", "booking", "endpoint"].flatMap((table) =>
        list(`SELECT '${table} ' || id FROM ${table}`),
      ),
    );
    for (const last4 of list("SELECT last4 FROM api_key_secret")) found.add(`secret ...${last4}`);
    for (const count of list(SECRETS)) found.add(`${count} signing secrets`);
    for (const slug of list("SELECT slug FROM business")) found.add(`business ${slug}`);
    for (const price of list(PRICES)) found.add(`price ${price}`);
    const lost = acknowledged.filter((text) => !found.has(text));
    const damage = problems.filter((problem) => problem !== "ok").map(String);
    return [...damage, ...lost, ...listMissingDeliveries(db)];
  } finally {
    db.close();
  }
}
