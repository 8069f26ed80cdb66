import { readPublicFields } from "../../../../src/domain/catalog/file/public-page.ts";
import { readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { countMigrations, readMigrations } from "../../../../src/platform/assets.ts";
import { acquireDaemonLock, openDatabase } from "../../../../src/store/database/database.ts";
import { runProgram, createTempFolder } from "../../../support/cli.ts";
import {
  breakMigration,
  createOldDatabase,
  listDataFiles,
  readValue,
} from "../../../support/old-database.ts";
import { applyCatalogBody } from "../../../support/use-case.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const LATEST = countMigrations();
const FIRST_WITH_FEED_ID = readMigrations().findIndex((sql) => sql.includes("feed_id")) + 1;
const LATEST_WITHOUT_PARTNERS = readMigrations().findIndex((sql) =>
  sql.includes("CREATE TABLE partner "),
);
const NOON = Date.parse("2026-11-20T12:00:00Z");

test("a migration keeps the decimals with which amounts were stored", () => {
  const { dataDir, path } = createOldDatabase(11);
  const db = new Database(path);
  const insert = db.prepare(`
    INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at)
    VALUES (:slug, :slug, json_object('currency', :code), '{}', 1, 0, 0, 0)`);
  for (const code of ["HUF", "IQD", "JPY", "KWD", "CHF"]) insert.run({ slug: code, code });
  db.close();
  createTestRuntime({ dataDir });
  const digits = "SELECT group_concat(doc ->> 'currencyDigits' ORDER BY id) FROM business";
  expect(readValue(path, `${digits} WHERE id <> 'biz_1'`)).toBe("2,0,0,0,3");
});

// Tests copy one empty database, and give each copy an ID of its own.
test("new databases differ only in the IDs of their server and its feeds", () => {
  const [first, second] = [1, 2].map(() => {
    const path = join(createTempFolder(), "deskbell.db");
    openDatabase(path, 5000, null).close();
    const db = new Database(path);
    const [id, feedId] = db.prepare("SELECT id, feed_id FROM server").raw().get() as string[];
    db.exec("UPDATE server SET id = '', feed_id = ''; VACUUM");
    const rest = db.serialize();
    db.close();
    return { id, feedId, rest };
  });
  expect(first!.id).not.toBe(second!.id);
  expect(first!.feedId).not.toBe(second!.feedId);
  expect(first!.rest.equals(second!.rest)).toBe(true);
});

test.each(Array.from({ length: LATEST - 1 }, (_, i) => i + 1))(
  "a file of schema %i is migrated with its data",
  (schema) => {
    const { path } = createOldDatabase(schema);
    openDatabase(path, 5000, null).close();
    expect(readValue(path, "PRAGMA user_version")).toBe(LATEST);
    expect(readValue(path, "SELECT last_sequence FROM business WHERE slug = 'old-shop'")).toBe(7);
    // The upgraded server has an empty feed ID, so that the cursors that partners have stay valid.
    if (schema < FIRST_WITH_FEED_ID) expect(readValue(path, "SELECT feed_id FROM server")).toBe("");
  },
);

test("deliveries keep their attempts, statuses and constraints when their table is recreated", () => {
  const { dataDir, path } = createOldDatabase(8);
  const db = new Database(path);
  db.exec(`
    INSERT INTO endpoint (id, business_id, name, url, events, allow_private, status, created_at, updated_at)
      VALUES ('whe_1', 'biz_1', 'till', 'https://till.example', '[]', 0, 'ACTIVE', 0, 0);
    INSERT INTO event VALUES ('evt_1', 'biz_1', 1, 'service.updated', x'', x'', 0), ('evt_2', 'biz_1', 2, 'service.updated', x'', x'', 0);
    INSERT INTO delivery (number, id, business_id, endpoint_id, event_id, event_type, sequence, status, attempt_count,
        next_attempt_at, last_status_code, last_error, created_at, delivered_at, is_replay, attempts_before)
      VALUES (4, 'dlv_4', 'biz_1', 'whe_1', 'evt_1', 'service.updated', 1, 'DELIVERED', 2, NULL, 200, NULL, 5, 7, 0, 0),
        (9, 'dlv_9', 'biz_1', 'whe_1', 'evt_2', 'service.updated', 2, 'PENDING', 3, 11, 500, 'HTTP 500', 6, NULL, 1, 2);
    INSERT INTO attempt VALUES (3, 4, 1, 1, 10, 'timed_out', NULL, 'timed out', NULL), (5, 4, 2, 2, 20, 'responded', 200, NULL, 'ok'),
      (6, 9, 3, 3, 30, 'responded', 500, 'HTTP 500', NULL)`);
  const rowsOf = (name: string) => db.prepare(`SELECT * FROM ${name} ORDER BY number`).all();
  const indexes = () =>
    db
      .prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('delivery', 'attempt') ORDER BY name",
      )
      .all();
  const before = {
    deliveries: rowsOf("delivery"),
    attempts: rowsOf("attempt"),
    indexes: indexes(),
  };
  // A later migration renames this column.
  const expected = JSON.parse(
    JSON.stringify(before).replaceAll("is_replay", "is_redelivery"),
  ) as typeof before;
  createTestRuntime({ dataDir }).close();
  expect({
    deliveries: rowsOf("delivery"),
    attempts: rowsOf("attempt"),
    indexes: indexes(),
    // Later migrations add indexes.
  }).toEqual({ ...expected, indexes: expect.arrayContaining(expected.indexes) });
  expect(db.pragma("foreign_key_check")).toEqual([]);
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");

  for (const status of ["CANCELLED", "EXHAUSTED", "PARKED", "CORRUPT"])
    db.exec(`UPDATE delivery SET status = '${status}', next_attempt_at = NULL WHERE number = 9`);
  expect(() => db.exec("UPDATE delivery SET status = 'SENT' WHERE number = 9")).toThrow(/CHECK/);
  expect(() => db.exec("UPDATE delivery SET status = 'PENDING' WHERE number = 9")).toThrow(/CHECK/);
  db.pragma("foreign_keys = ON");
  db.exec("DELETE FROM delivery WHERE number = 4");
  expect(rowsOf("attempt")).toHaveLength(1);
  db.close();
});

test("keys and endpoints keep their rows, indexes and references when their tables are recreated", () => {
  const { dataDir, path } = createOldDatabase(LATEST_WITHOUT_PARTNERS);
  const db = new Database(path);
  db.exec(`
    INSERT INTO api_key (id, business_id, kind, name, scopes, cidrs, limit_minute, limit_hour, created_at)
      VALUES ('key_1', 'biz_1', 'SECRET', 'till', '[]', '[]', 1, 1, 0);
    INSERT INTO api_key_secret (hash, key_id, prefix, last4, created_at) VALUES (x'01', 'key_1', 'sk', '1234', 0);
    INSERT INTO endpoint (id, business_id, key_id, name, url, events, allow_private, status, created_at, updated_at)
      VALUES ('whe_1', 'biz_1', 'key_1', 'till', 'https://till.example', '[]', 0, 'ACTIVE', 0, 0)`);
  const read = () => ({
    key: db.prepare("SELECT * FROM api_key").get() as object,
    secrets: db.prepare("SELECT * FROM api_key_secret").all(),
    endpoint: db.prepare("SELECT * FROM endpoint").get() as object,
    schema: db
      .prepare(
        "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'table' AND tbl_name IN ('api_key', 'endpoint')",
      )
      .all(),
  });
  const before = read();
  const rt = createTestRuntime({ dataDir });
  const after = read();
  expect(after.key).toEqual({ ...before.key, partner_id: null });
  expect(after.endpoint).toEqual({ ...before.endpoint, partner_id: null });
  expect(after.secrets).toEqual(before.secrets);
  expect(after.schema).toEqual(expect.arrayContaining(before.schema));
  expect(db.pragma("foreign_key_check")).toEqual([]);
  // The rows of a deleted business are deleted only if the connection checks references again.
  rt.tx(() => rt.store.businesses.delete("biz_1"));
  expect(db.prepare("SELECT count(*) FROM endpoint").pluck().get()).toBe(0);
  db.close();
});

test("the numbers of the migrations are consecutive", () => {
  const names = readdirSync("src/store/migrations");
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, i) => i + 1));
});

test("opening a new file, or a file of the current schema, makes no backup", () => {
  const rt = createTestRuntime();
  rt.close();
  expect(listDataFiles(rt.config.dataDir)).toEqual(["deskbell.db"]);
  const again = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(listDataFiles(rt.config.dataDir)).toEqual(["deskbell.db"]);
  expect(again.logged).toEqual([]);
});

test("nothing is migrated while a daemon of an older version is running", () => {
  const { dataDir, path } = createOldDatabase(3);
  const daemon = acquireDaemonLock(path);
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "state_refuses",
      message: `${path} must be migrated, but a daemon of an older deskbell is running on it.`,
      fix: expect.stringContaining("stop that daemon"),
    }),
  );
  expect(readValue(path, "PRAGMA user_version")).toBe(3);
  expect(listDataFiles(dataDir)).toEqual(["deskbell.db"]);
  daemon.release();
  expect(createTestRuntime({ dataDir }).logged).toHaveLength(1);
  // After the migration, a daemon can start.
  acquireDaemonLock(path).release();
});

test("a failed migration leaves the file unchanged", () => {
  const { dataDir, path } = createOldDatabase(LATEST - 1);
  breakMigration(path, LATEST);
  const schema = "SELECT json_group_array(sql) FROM sqlite_schema";
  const before = readValue(path, schema);
  expect(() => createTestRuntime({ dataDir })).toThrow();
  expect(readValue(path, "PRAGMA user_version")).toBe(LATEST - 1);
  expect(readValue(path, schema)).toBe(before);
});

test("one of three processes that open an older file migrates it, and all succeed", async () => {
  const { dataDir, path } = createOldDatabase(2);
  const opened = await Promise.all(
    [1, 2, 3].map(() =>
      runProgram(["keys", "list", "--business", "old-shop", "--data-dir", dataDir]),
    ),
  );
  expect(opened).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }]);
  expect(opened.filter(({ stderr }) => stderr.includes("migrated"))).toHaveLength(1);
  expect(readValue(path, "PRAGMA user_version")).toBe(LATEST);
});

test("commands and the daemon reject a file of a newer version with exit code 5", async () => {
  const { dataDir, path } = createOldDatabase(LATEST);
  const db = new Database(path);
  db.pragma(`user_version = ${LATEST + 1}`);
  db.close();
  const before = readFileSync(path);
  for (const command of [["status"], ["serve", "--port", "0"]]) {
    const { code, stderr } = await runProgram([...command, "--data-dir", dataDir]);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        new RegExp(
          `^error: .* was written by a newer deskbell \\(schema ${LATEST + 1}; .*\nfix: start the newer deskbell`,
        ),
      ),
    });
  }
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(listDataFiles(dataDir)).toEqual(["deskbell.db"]);
});

test("a file with damaged pages is neither migrated nor backed up", () => {
  const { dataDir, path } = createOldDatabase(3);
  truncateSync(path, 8 * 4096);
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "storage_failed",
      message: expect.stringContaining("is damaged"),
    }),
  );
  expect(statSync(path).size).toBe(8 * 4096);
  expect(listDataFiles(dataDir)).toEqual(["deskbell.db"]);
});

test("a migration gives catalog objects positions with gaps, and applying the same file then changes nothing", () => {
  const file = `
services:
  - {key: spa, name: Spa, durationMin: 60, price: 60.00}
  - {key: cut, name: Cut, durationMin: 30, price: 35.00}
staff: [{key: ann, name: Ann}]`;
  const current = createTestRuntime();
  applyCatalogBody(current, file);
  current.close();

  const { dataDir, path } = createOldDatabase(12);
  const db = new Database(path);
  db.exec(`
    ATTACH '${current.config.databasePath}' AS current;
    INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at)
      SELECT id, slug, doc, schedule, 1, 0, 0, 0 FROM current.business;
    INSERT INTO catalog_object (id, business_id, kind, key, position, doc)
      SELECT id, business_id, kind, key, sort_order / 1024 - 1, doc FROM current.catalog_object`);
  const positions = "SELECT group_concat(position) FROM (SELECT * FROM catalog_object ORDER BY id)";
  expect(String(db.prepare(positions).pluck().get()).split(",").sort()).toEqual(["0", "0", "1"]);
  db.close();

  const migrated = createTestRuntime({ dataDir });
  expect(
    readValue(
      path,
      "SELECT json_group_array(sort_order) FROM (SELECT * FROM catalog_object ORDER BY kind, sort_order)",
    ),
  ).toBe("[1024,2048,1024]");
  expect(applyCatalogBody(migrated, file)).toMatchObject({ changes: [], events: [] });
});

test("a migration adds the rules of approval, cancellation and retention to stored catalogs and local edits", () => {
  const { path } = createOldDatabase(27);
  const db = new Database(path);
  onTestFinished(() => void db.close());
  const edited = `'{"bookingRules":{"minNoticeMin":30}}'`;
  db.exec(`INSERT INTO catalog_object (id, business_id, kind, key, doc, authored, sort_order)
    VALUES ('svc_1', 'biz_1', 'service', 'cut', ${edited}, ${edited}, 0)`);
  db.exec(readMigrations()[27] ?? "");
  const rules = { minNoticeMin: 30, requiresApproval: null, cancelUntilMin: null };
  const expected = JSON.stringify({ bookingRules: rules });
  expect(db.prepare("SELECT doc, authored FROM catalog_object").raw().get()).toEqual([
    expected,
    expected,
  ]);
  expect(JSON.parse(String(db.prepare("SELECT doc FROM business").pluck().get()))).toEqual({
    bookingPolicy: { requiresApproval: false, cancelUntilMin: 0 },
    guestRetentionDays: 90,
  });
});

test("a migration fills in the fields of public pages, which stay off", () => {
  const { path } = createOldDatabase(59);
  const db = new Database(path);
  onTestFinished(() => void db.close());
  for (const sql of readMigrations())
    if (sql.includes("'$.publicPage")) db.exec(/UPDATE business [^;]*;/.exec(sql)?.[0] ?? "");
  const doc = JSON.parse(String(db.prepare("SELECT doc FROM business").pluck().get())) as object;
  expect(doc).toMatchObject(readPublicFields({}));
});

test("no CHECK of a column that may be null fails in older SQLite versions", () => {
  const { path } = createOldDatabase(1);
  const db = new Database(path);
  onTestFinished(() => void db.close());
  db.exec(`INSERT INTO catalog_object (id, business_id, kind, key, doc, position)
    VALUES ('adn_1', 'biz_1', 'addon', 'mask', '{}', 0)`);
  const [, addLocalEdits = "", ...later] = readMigrations();
  db.exec(addLocalEdits);
  db.exec(`UPDATE catalog_object SET authored = '{"name":"Mask"}'`);
  for (const sql of later) db.exec(sql);
  expect(db.prepare("SELECT authored FROM catalog_object").pluck().get()).toBe('{"name":"Mask"}');
  const schema = db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").pluck().all();
  expect(schema.filter((sql) => /TEXT CHECK \(json_valid/.test(String(sql)))).toEqual([]);
});

test.each([
  { schema: 50, hasOldSpace: 1 },
  { schema: 0, hasOldSpace: 0 },
])("has_old_space is $hasOldSpace after a migration from schema $schema", (of) => {
  const { dataDir, path } = of.schema === 0 ? newFolder() : createOldDatabase(of.schema);
  createTestRuntime({ dataDir }).close();
  expect(readValue(path, "SELECT has_old_space FROM server")).toBe(of.hasOldSpace);
});

function newFolder() {
  const dataDir = createTempFolder();
  return { dataDir, path: join(dataDir, "deskbell.db") };
}

test("a migration allows existing keys twice as many visits a day as on their busiest day", () => {
  const before = readMigrations().findIndex((sql) => sql.includes("ADD COLUMN max_bookings_day"));
  const { dataDir, path } = createOldDatabase(before);
  const db = new Database(path);
  const insertKey = db.prepare(`
    INSERT INTO api_key (id, business_id, kind, name, scopes, cidrs, limit_minute, limit_hour, created_at)
    VALUES (?, 'biz_1', 'SECRET', 'website', '[]', '[]', 60, 1000, 0)`);
  const insertBooking = db.prepare(`
    INSERT INTO booking (id, business_id, status, starts_at, ends_at, guests, total_cents, currency, created_by_key, created_at, updated_at)
    VALUES ('bkg_' || :id, 'biz_1', 'CANCELLED', 0, 1, 1, 0, 'EUR', :key, :at, :at)`);
  const insertReservation = db.prepare(`
    INSERT INTO reservation (id, business_id, status, starts_at, ends_at, party_size, table_id, created_by_key, created_at, updated_at)
    VALUES ('rsv_' || :id, 'biz_1', 'CONFIRMED', 0, 1, 2, 'tbl_1', :key, :at, :at)`);
  const DAY_MS = 86_400_000;
  for (const key of ["busy", "calm", "unused"]) insertKey.run(key);
  const make = (key: string, day: number, counts: { bookings: number; reservations: number }) => {
    const rows = [
      { insert: insertBooking, count: counts.bookings },
      { insert: insertReservation, count: counts.reservations },
    ];
    for (const { insert, count } of rows)
      for (let n = 0; n < count; n++)
        insert.run({ id: `${key}_${day}_${n}`, key, at: NOON - day * DAY_MS + n * 60_000 });
  };
  db.transaction(() => {
    make("busy", 400, { bookings: 200, reservations: 131 });
    make("busy", 1, { bookings: 90, reservations: 0 });
    make("calm", 1, { bookings: 99, reservations: 0 });
    make("calm", 2, { bookings: 60, reservations: 40 });
  })();
  db.close();
  createTestRuntime({ dataDir }).close();
  const limits =
    "SELECT group_concat(id || ' ' || max_bookings_day, ', ' ORDER BY id) FROM api_key";
  expect(readValue(path, limits)).toBe("busy 662, calm 200, unused 200");
});

test("a migration stores the start of the whole booking in each segment", () => {
  const before = readMigrations().findIndex((sql) => sql.includes("ADD COLUMN visit_starts_at"));
  const { dataDir, path } = createOldDatabase(before);
  const db = new Database(path);
  db.exec(`
    INSERT INTO booking (id, business_id, status, starts_at, ends_at, guests, total_cents, currency, created_at, updated_at)
    VALUES ('bkg_1', 'biz_1', 'CONFIRMED', 100, 300, 1, 0, 'EUR', 0, 0)`);
  const insertSegment = db.prepare(`
    INSERT INTO booking_segment (booking_id, position, business_id, service_id, addons, resources, seats,
      buffer_before_min, buffer_after_min, starts_at, ends_at, price_cents, is_busy)
    VALUES ('bkg_1', :position, 'biz_1', 'svc_1', '[]', '[]', 1, 0, 0, :startsAt, :startsAt + 100, 0, 1)`);
  insertSegment.run({ position: 0, startsAt: 100 });
  insertSegment.run({ position: 1, startsAt: 200 });
  db.close();
  createTestRuntime({ dataDir }).close();
  const starts =
    "SELECT group_concat(visit_starts_at, ', ') FROM booking_segment WHERE booking_id = 'bkg_1'";
  expect(readValue(path, starts)).toBe("100, 100");
});
