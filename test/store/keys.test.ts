import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { FIRST_SCOPES, SCOPES } from "../../src/domain/api-key.ts";
import { readMigrations } from "../../src/platform/assets.ts";
import { createKey, updateKey } from "../../src/app/keys.ts";
import { createTempFolder } from "../support/cli.ts";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const isThis = (sql: string): boolean => sql.includes("gained_scopes");

/** Creates a database of version 0.2 with keys of 0.1 and 0.2, all with the scopes of 0.2. */
function createOldDatabase(): string {
  const dataDir = createTempFolder();
  const db = new Database(join(dataDir, "deskbell.db"));
  db.pragma("journal_mode = WAL");
  const older = readMigrations().slice(0, readMigrations().findIndex(isThis));
  for (const sql of older) db.exec(sql);
  db.pragma(`user_version = ${older.length}`);
  db.exec(`INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at)
    VALUES ('biz_1', 'old-shop', '{}', '{}', 5, 7, 0, 0)`);
  const insertKey = db.prepare(`
    INSERT INTO api_key (id, business_id, kind, name, scopes, cidrs, limit_minute, limit_hour, created_at)
    VALUES (:id, 'biz_1', :kind, :id, :scopes, '[]', 60, 1000, 0)`);
  const insertSecret = db.prepare(
    "INSERT INTO api_key_secret VALUES (:hash, :id, 'deskbell_sk_', 'abcd', 0, NULL)",
  );
  const insertEntry = db.prepare(`
    INSERT INTO audit_entry VALUES ('aud_' || :id, 0, 'cli', 'uid:0', NULL, NULL, 'key.created', :id, :id, 'biz_1', :details)`);
  const add = (id: string, created: readonly string[] | null, kind = "SECRET") => {
    insertKey.run({ id, kind, scopes: JSON.stringify(kind === "SECRET" ? SCOPES : created) });
    insertSecret.run({ id, hash: Buffer.from(id.padEnd(32)) });
    if (created !== null) insertEntry.run({ id, details: JSON.stringify({ scopes: created }) });
  };
  add("unlogged", null);
  add("unused", FIRST_SCOPES);
  add("booking", FIRST_SCOPES);
  add("holding", FIRST_SCOPES);
  add("new", SCOPES);
  add("restricted", ["bookings.read"], "RESTRICTED");
  db.exec(`
    INSERT INTO reservation (id, business_id, status, starts_at, ends_at, party_size, table_id, created_by_key, created_at, updated_at)
      VALUES ('rsv_1', 'biz_1', 'CONFIRMED', 0, 1, 2, 'tbl_1', 'booking', 0, 0);
    INSERT INTO hold (id, business_id, key_id, status, starts_at, ends_at, segments, guests, total_cents, currency, currency_digits,
        requires_approval, cancel_until, expires_at, created_at)
      VALUES ('hld_1', 'biz_1', 'holding', 'RELEASED', 0, 1, '[]', 2, 0, 'EUR', 2, 0, 0, 0, 0);`);
  db.close();
  return dataDir;
}

test("a secret key of version 0.1 loses the scopes of version 0.2 unless it has used one of them", () => {
  const rt = createTestRuntime({ dataDir: createOldDatabase() });
  const keys = rt.store.keys.list();
  expect(keys.map(({ selfRotation }) => selfRotation)).toEqual(keys.map(() => false));
  const after = Object.fromEntries(
    keys.map(({ id, scopes, gainedScopes }) => [id, [gainedScopes, scopes]]),
  );
  expect(after).toEqual({
    unlogged: ["REMOVED", FIRST_SCOPES],
    unused: ["REMOVED", FIRST_SCOPES],
    booking: ["KEPT", SCOPES],
    holding: ["KEPT", SCOPES],
    new: [null, SCOPES],
    restricted: [null, ["bookings.read"]],
  });
});

test("the guestMail setting of a key is off until it is turned on, and can be turned off again", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const { key } = createKey(rt, { businessId, name: "site", kind: "SECRET", scopes: [] });
  const mayMail = () => rt.store.keys.findById(key.id)!.guestMail;
  expect(mayMail()).toBe(false);
  updateKey(rt, key.id, { eventGroups: ["catalog"] });
  expect(mayMail()).toBe(false);
  updateKey(rt, key.id, { guestMail: true });
  expect(mayMail()).toBe(true);
  updateKey(rt, key.id, { guestMail: false });
  expect(mayMail()).toBe(false);
});
