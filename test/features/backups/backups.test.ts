import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import {
  backUpNightly,
  createBackup,
  findNewestBackup,
  listBackups,
  nameGoodBackup,
  verifyBackup,
} from "../../../src/features/backups/backups.ts";
import { drillBackup } from "../../../src/features/backups/upkeep/drill.ts";
import { readBackupState } from "../../../src/features/backups/state.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { addFeature } from "../../support/added-feature.ts";
import { CHECKS } from "../../support/checks.ts";
import { deleteBusiness } from "../../../src/app/delete-business.ts";
import { updateEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import {
  hasMatchingMasterKey,
  restoreBackup,
} from "../../../src/features/backups/restore/restore.ts";
import { acquireDaemonLock } from "../../../src/store/database/database.ts";
import { DamagedDatabaseError } from "../../../src/store/database/storage-error.ts";
import { createTempFolder } from "../../support/cli.ts";
import { addBusiness, emitEvents, subscribe } from "../../support/delivery.ts";
import { seedShop } from "../../support/shop.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const DAY_MS = 86_400_000;

/** Creates a shop and a backup of it, in a folder that outlives the connection. */
async function createShopWithBackup() {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  seedShop(rt);
  return { rt, backup: await createBackup(rt) };
}

const restore = async (rt: TestRuntime, file: string, confirm = async () => {}) =>
  (await restoreBackup(rt.config, file, { now: rt.now(), confirm })).previousData;

const findShop = (rt: TestRuntime) => rt.store.businesses.findBySlug("shop");

/** Returns the names, sizes and modification times of the files in a folder. */
const contents = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== "deskbell.db.lock")
    .map((name) => ({
      name,
      size: statSync(join(folder, name)).size,
      mtime: statSync(join(folder, name)).mtimeMs,
    }));

const FILES = ["SHA256SUMS", "deskbell-20261120T120000Z.db", "erased-guests.txt"];

test("a backup is a single valid file with mode 0600, without the master key", async () => {
  const { rt, backup } = await createShopWithBackup();
  expect(backup).toEqual({
    path: join(rt.config.dataDir, "backups/deskbell-20261120T120000Z.db"),
    bytes: statSync(backup.path).size,
    createdAt: rt.now(),
  });
  expect(readdirSync(dirname(backup.path))).toEqual(FILES);
  expect(statSync(backup.path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(backup.path)).mode & 0o777).toBe(0o700);
  expect(await verifyBackup(backup.path)).toMatchObject({ bytes: backup.bytes });
  expect(readdirSync(dirname(backup.path))).toEqual(FILES);
  expect(listBackups(rt.config)).toEqual([backup]);
  // The size is a multiple of the page size, because some programs divide one by the other.
  expect(backup.bytes % 4096).toBe(0);
});

test("a backup shows the state at its start while another connection keeps committing", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  // The table is larger than what can be copied between two commits.
  edit(
    rt.config.databasePath,
    "CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(50000000))",
  );
  const writer = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
     const db = new (require("better-sqlite3"))(workerData, { timeout: 5000 });
     const write = db.prepare("UPDATE business SET revision = revision + 1");
     const turn = () => { write.run(); setImmediate(turn); };
     turn();
     parentPort.postMessage("writing");`,
    { eval: true, workerData: rt.config.databasePath },
  );
  onTestFinished(async () => void (await writer.terminate()));
  await new Promise((resolve) => writer.once("message", resolve));
  const before = rt.store.businesses.findById(business.id)?.revision ?? 0;
  const { path } = await createBackup(rt);
  const after = rt.store.businesses.findById(business.id)?.revision ?? 0;
  const copy = new Database(path, { readonly: true });
  const { revision } = copy.prepare("SELECT revision FROM business").get() as { revision: number };
  copy.close();
  expect(revision).toBeGreaterThanOrEqual(before);
  // A copy that restarts at each commit would show the state at its end.
  expect(revision - before).toBeLessThan(after - revision);
});

test("a backup empties the write-ahead log, and calls onCopied before it verifies the copy", async () => {
  const { rt } = await createShopWithBackup();
  rt.advance(1000);
  const log = `${rt.config.databasePath}-wal`;
  rt.tx(() => rt.store.notices.put("notice", {}));
  expect(statSync(log).size).toBeGreaterThan(0);
  const seen: string[][] = [];
  await createBackup(rt, () => {
    seen.push(readdirSync(rt.config.backupFolder).filter((name) => name.includes("draft")));
  });
  expect(seen).toEqual([[expect.stringMatching(/\.db\.draft-\w+$/)]]);
  expect(statSync(log).size).toBe(0);
});

test("a write-ahead log that a long read has made large is truncated at the next checkpoint", () => {
  const rt = createTestRuntime();
  const log = `${rt.config.databasePath}-wal`;
  const reader = new Database(rt.config.databasePath, { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM business").get();
  for (let n = 0; n < 40; n++)
    rt.tx(() => rt.store.notices.put(`large ${n}`, "x".repeat(1_000_000)));
  reader.close();
  expect(statSync(log).size).toBeGreaterThan(40_000_000);
  // The first change is still added to the end of the log. After its checkpoint, the second one
  // begins at the start of the log, which SQLite then truncates.
  for (let n = 0; n < 2; n++)
    rt.tx(() => rt.store.notices.put(`larger ${n}`, "x".repeat(5_000_000)));
  expect(statSync(log).size).toBeLessThan(33_000_000 + 1_000_000);
});

test("seven nightly backups are kept, and drafts of interrupted backups are deleted", async () => {
  const rt = createTestRuntime();
  seedShop(rt);
  await createBackup(rt);
  const folder = join(rt.config.dataDir, "backups");
  const [young, old] = ["young", "old"].map((name) =>
    join(folder, `deskbell-20261119T031700Z.db.draft-${name}`),
  );
  for (const draft of [young, old]) writeFileSync(draft ?? "", "");
  // Links without a target stand for files that another process deletes: they are listed, but
  // cannot be read any more.
  for (const name of ["deskbell-20261118T031700Z.db", "deskbell-20261119T031700Z.db.draft-gone"])
    symlinkSync("gone", join(folder, name));
  for (let night = 0; night < 8; night++) {
    rt.advance(DAY_MS);
    utimesSync(young ?? "", rt.now() / 1000, rt.now() / 1000);
    utimesSync(old ?? "", 0, 0);
    await backUpNightly(rt);
    if (existsSync(old ?? "")) expect.fail("the remains are still there");
    writeFileSync(old ?? "", "");
  }
  expect(listBackups(rt.config).map(({ createdAt }) => createdAt)).toEqual(
    Array.from({ length: 7 }, (_, i) => rt.now() - i * DAY_MS),
  );
  expect(existsSync(young ?? "")).toBe(true);
  expect(rt.logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("a nightly backup that has no authentication tag is logged with the reason and a fix", async () => {
  const rt = createTestRuntime();
  await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  await backUpNightly(rt);
  expect(rt.logged.map(({ level }) => level)).toEqual(["info"]);
  const { masterKeyPath } = rt.config;
  renameSync(masterKeyPath, `${masterKeyPath}.away`);
  rt.advance(DAY_MS);
  const { path } = (await backUpNightly(rt))!;
  expect(rt.logged.at(-1)).toEqual({
    level: "warn",
    message: "The backup has no authentication tag.",
    fields: {
      path,
      reason: `the master key ${masterKeyPath} is missing`,
      fix: expect.stringContaining(`install -m 600 FILE ${masterKeyPath}`),
    },
  });
  expect(await verifyBackup(path)).toMatchObject({ path });
});

test("a backup that is made now counts as newer than one with a future time", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  await createBackup(rt);
  rt.shiftClock(-9 * DAY_MS);
  const backup = await createBackup(rt);
  expect(findNewestBackup(rt)).toEqual(backup);
  expect(await drillBackup(rt)).toMatchObject({ name: basename(backup.path), error: null });
  rt.advance(3 * DAY_MS);
  expect(readStatus(rt, CHECKS).problems.map(({ code }) => code)).toContain("backup.overdue");
});

test("a folder with the name of a backup is not listed as one", async () => {
  const rt = createTestRuntime();
  const { path } = await createBackup(rt);
  mkdirSync(path.replace(/\d{8}T/, "20991231T"));
  expect(listBackups(rt.config).map((backup) => backup.path)).toEqual([path]);
});

test("a failed nightly backup is logged, recorded until one succeeds, and deletes no older backup", async () => {
  const { rt, backup } = await createShopWithBackup();
  for (let night = 0; night < 8; night++) {
    rt.advance(DAY_MS);
    await createBackup(rt);
  }
  const before = listBackups(rt.config);
  rt.advance(DAY_MS);
  const broken = {
    ...rt,
    config: { ...rt.config, databasePath: join(rt.config.dataDir, "broken.db") },
  };
  copyFileSync(backup.path, broken.config.databasePath);
  truncateSync(broken.config.databasePath, 8 * 4096);
  await backUpNightly(broken);
  const codes = () => readStatus(rt, CHECKS).problems.map(({ code }) => code);
  expect(codes()).toEqual(["database.damaged", "daemon.stopped"]);
  expect(rt.logged).toEqual([
    {
      level: "error",
      message: "The nightly backup failed.",
      fields: { reason: expect.stringContaining("Cannot back up") },
    },
  ]);
  expect(readBackupState(rt.config, "failure")).toEqual({
    at: rt.now(),
    reason: expect.stringContaining("Cannot back up"),
    isDamaged: true,
  });
  expect(listBackups(rt.config)).toEqual(before);
  expect(readdirSync(dirname(backup.path)).filter((name) => name.includes("draft"))).toEqual([]);
  await backUpNightly(rt);
  expect(readBackupState(rt.config, "failure")).toBeNull();
  expect(codes()).toEqual(["daemon.stopped"]);
});

test("a backup that fails for a reason other than damage names a fix for that reason, not a restore", async () => {
  const { rt } = await createShopWithBackup();
  const missing = { ...rt.config, databasePath: join(rt.config.dataDir, "missing.db") };
  await expect(createBackup({ ...rt, config: missing })).rejects.toMatchObject({
    code: "state_refuses",
    fix: "check the owner and mode of the file and its folder",
  });
});

test("status reports a file in place of the backup folder", async () => {
  const { rt } = await createShopWithBackup();
  renameSync(rt.config.backupFolder, `${rt.config.backupFolder}.old`);
  writeFileSync(rt.config.backupFolder, "");
  const { problems } = readStatus(rt, CHECKS);
  expect(findNewestBackup(rt)).toBeUndefined();
  expect(problems).toContainEqual(
    expect.objectContaining({
      code: "backup.failed",
      text: expect.stringContaining("is not a folder"),
    }),
  );
});

test("a backup folder that cannot be read is reported with the reason, not listed as empty", () => {
  const { config } = createTestRuntime();
  // The system refuses to follow a link that leads to itself.
  symlinkSync(config.backupFolder, config.backupFolder);
  expect(() => listBackups(config)).toThrow("ELOOP");
});

test("a restore raises the counters above those of the backup and of the replaced database, which is kept as a copy", async () => {
  const { rt, backup } = await createShopWithBackup();
  const atBackup = findShop(rt);
  const business = atBackup && { ...atBackup };
  if (!business) return expect.fail("no shop");
  emitEvents(rt, business, "catalog.changed", "catalog.changed");
  rt.tx(() =>
    rt.store.businesses.upsert({ ...business, catalogVersion: business.catalogVersion + 1 }),
  );
  const atEnd = findShop(rt);
  rt.close();

  const kept = await restore(rt, backup.path);
  expect(kept).toBe(`${rt.config.databasePath}.before-restore-20261120T120000000Z`);
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(findShop(restored)).toEqual({
    ...atBackup,
    catalogVersion: (atEnd?.catalogVersion ?? 0) + 1_000_000,
    lastSequence: (atEnd?.lastSequence ?? 0) + 1_000_001,
  });
  expect(statSync(restored.config.databasePath).mode & 0o777).toBe(0o600);
  restored.close();

  // The copy of the replaced database can be restored like a backup.
  rt.advance(1);
  expect(await verifyBackup(kept ?? "")).toMatchObject({ path: kept });
  await restore(rt, kept ?? "");
  const again = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(findShop(again)).toMatchObject({
    catalogVersion: (atEnd?.catalogVersion ?? 0) + 2_000_000,
    lastSequence: (atEnd?.lastSequence ?? 0) + 2_000_002,
  });
});

test("an endpoint never reuses a version, even if the same backup is restored twice", async () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const { endpoint } = await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  const { path } = await createBackup(rt);
  rt.close();
  const versions = [endpoint.version];
  for (let i = 0; i < 2; i++) {
    rt.advance(1);
    await restore(rt, path);
    const restored = createTestRuntime({ dataDir: rt.config.dataDir });
    const change = { name: `Site ${i}` };
    for (const { version } of [
      restored.store.endpoints.findById(endpoint.id)!,
      await updateEndpoint(restored, endpoint.id, change),
    ])
      versions.push(version);
    restored.close();
  }
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
});

test("a business that is not in the restored backup never reuses a version when it is created again", async () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const beforeIt = await createBackup(rt);
  seedShop(rt);
  const { id, catalogVersion, lastSequence } = findShop(rt)!;
  rt.advance(1000);
  const withIt = await createBackup(rt);
  rt.close();

  /** Returns the counters that the business has if it is created now. */
  const remade = (): unknown => {
    const opened = createTestRuntime({ dataDir: rt.config.dataDir });
    const leftOff = opened.store.businesses.getInitialCounters(id);
    opened.close();
    return leftOff;
  };
  await restore(rt, beforeIt.path);
  expect(remade()).toEqual({
    catalogVersion: catalogVersion + 1_000_000,
    lastSequence: lastSequence + 1_000_000,
  });

  rt.advance(1000);
  await restore(rt, withIt.path);
  const again = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(findShop(again)).toMatchObject({ catalogVersion: catalogVersion + 2_000_000 });
  const removed = findShop(again)!;
  deleteBusiness(again, removed);
  again.close();
  rt.advance(1000);
  await restore(rt, beforeIt.path);
  expect(remade()).toEqual({
    catalogVersion: removed.catalogVersion + 1_000_000,
    lastSequence: removed.lastSequence + 1_000_000,
  });
});

test("deliveries that were in flight are due again after a restore, and can be signed", async () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  emitEvents(rt, business, "service.updated");
  const [sent] = rt.store.due.listForEndpoint(endpoint.id, rt.now(), 10);
  const { path } = await createBackup(rt);
  rt.close();
  await restore(rt, path);
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  const [again, news, ...more] = restored.store.due.listForEndpoint(
    endpoint.id,
    restored.now(),
    10,
  );
  expect([again, more]).toEqual([sent, []]);
  const events = restored.store.events.listAfter(business.id, 1_000_000, 10);
  expect(events).toMatchObject([
    { id: news?.eventId, type: "catalog.changed", sequence: 1_000_002 },
  ]);
  expect(JSON.parse(String(events[0]?.body))).toMatchObject({
    data: {
      changed: { menu: true, services: true, availability: true },
      object: {
        catalogVersion: 1_000_001,
        previousVersion: 1,
        refetch: expect.arrayContaining([
          { route: "menu", ids: [], idsComplete: false },
          { route: "availability", ids: [], idsComplete: false },
        ]),
      },
    },
  });
  expect(hasMatchingMasterKey(restored)).toBe(true);
  const elsewhere = createTestRuntime();
  await restoreBackup(elsewhere.config, path, { now: 0, confirm: async () => {} }).catch(() => {});
  const { config, secrets } = elsewhere;
  expect(hasMatchingMasterKey({ ...restored, config, secrets })).toBe(false);
});

test("a master key that cannot decrypt the guests does not match the data, even if no signing secret is stored", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt, "salon-aurora");
  const guest = { name: "Ada", email: null, phone: null, notes: null };
  rt.tx(() => saveCustomer(rt, business.id, "bkg_1", guest));
  expect(hasMatchingMasterKey(rt)).toBe(true);
  const { config, secrets } = createTestRuntime();
  expect(hasMatchingMasterKey({ ...rt, config, secrets })).toBe(false);
});

test("a restore into an empty folder asks for no confirmation", async () => {
  const { rt, backup } = await createShopWithBackup();
  const empty = { ...rt.config, dataDir: join(createTempFolder(), "new") };
  empty.databasePath = join(empty.dataDir, "deskbell.db");
  const confirm = () => Promise.reject(new Error("asked"));
  const restored = await restoreBackup(empty, backup.path, { now: rt.now(), confirm });
  expect(restored.previousData).toBeNull();
  expect(findShop(createTestRuntime({ dataDir: empty.dataDir }))).toMatchObject({ slug: "shop" });
});

test("a restore keeps the entries of the audit log since the backup, and adds an entry about the restore", async () => {
  const { rt, backup } = await createShopWithBackup();
  const shop = findShop(rt);
  if (!shop) return expect.fail("no shop");
  deleteBusiness(rt, shop);
  const before = rt.store.audit.list({}, 10);
  rt.close();
  rt.advance(1);
  await restore(rt, backup.path);
  const [newest, ...others] = createTestRuntime({ dataDir: rt.config.dataDir }).store.audit.list(
    {},
    10,
  );
  expect(newest).toMatchObject({ action: "backup.restored", subjectName: basename(backup.path) });
  expect(others.map(({ action }) => action)).toEqual(["business.deleted", "catalog.applied"]);
  expect(others).toEqual(before);
});

test("a restore empties each table that a feature names in emptiedByRestore", async () => {
  addFeature({ name: "forgetful", emptiedByRestore: ["alert_state"] });
  const rt = createTestRuntime();
  seedShop(rt);
  rt.store.notices.put("notice", { code: "booking.received" });
  const { path } = await createBackup(rt);
  const count = () => {
    const db = new Database(rt.config.databasePath, { readonly: true });
    const rows = db.prepare("SELECT count(*) FROM alert_state").pluck().get();
    db.close();
    return rows;
  };
  expect(count()).toBe(1);
  rt.close();
  await restore(rt, path);
  expect(count()).toBe(0);
});

test("the fix for a damaged database restores the newest backup that is intact", async () => {
  const { rt, backup } = await createShopWithBackup();
  const error = new DamagedDatabaseError(rt.config.databasePath, "x");
  expect(await nameGoodBackup(rt.config, error)).toMatchObject({
    code: "storage_failed",
    message: error.message,
    fix: `deskbell restore ${backup.path}`,
  });
  writeFileSync(backup.path, "not a database any more");
  expect((await nameGoodBackup(rt.config, error)).fix).toMatch(
    /^no backup in .* is intact: .*deskbell restore FILE$/,
  );
});

test("a damaged database can be replaced and is kept as a copy", async () => {
  const { rt, backup } = await createShopWithBackup();
  rt.close();
  writeFileSync(rt.config.databasePath, "not a database any more");
  // An interrupted restore has left these files.
  for (const suffix of ["", "-journal"])
    writeFileSync(`${rt.config.databasePath}.restoring${suffix}`, "half");
  const kept = await restore(rt, backup.path);
  expect(statSync(kept ?? "").size).toBe(23);
  expect(findShop(createTestRuntime({ dataDir: rt.config.dataDir }))).toMatchObject({
    catalogVersion: 1_000_001,
  });
});

test("the copy of the replaced database includes the rows in its WAL", async () => {
  const { rt, backup } = await createShopWithBackup();
  const { databasePath } = rt.config;
  const shop = findShop(rt)!;
  rt.tx(() => rt.store.businesses.upsert(shop));
  // The files become those that kill -9 leaves.
  for (const suffix of ["", "-wal"])
    copyFileSync(databasePath + suffix, `${databasePath}.saved${suffix}`);
  rt.close();
  for (const suffix of ["", "-wal"])
    renameSync(`${databasePath}.saved${suffix}`, databasePath + suffix);
  const kept = (await restore(rt, backup.path)) ?? "";
  expect(readdirSync(rt.config.dataDir).filter((name) => name.startsWith("deskbell.db"))).toEqual([
    "deskbell.db",
    basename(kept),
    "deskbell.db.lock",
  ]);
  const old = new Database(kept, { readonly: true });
  expect(old.prepare("SELECT revision FROM business").pluck().get()).toBe(shop.revision + 1);
  old.close();
  expect(findShop(createTestRuntime({ dataDir: rt.config.dataDir }))).toMatchObject({
    revision: shop.revision,
  });
});

test.each<[string, (path: string) => void, { code: string; message: RegExp }]>([
  [
    "truncated",
    (path) => truncateSync(path, 8 * 4096),
    { code: "invalid_input", message: /is damaged/ },
  ],
  [
    "not a database",
    (path) => writeFileSync(path, "x".repeat(9999)),
    { code: "invalid_input", message: /Invalid database/ },
  ],
  [
    "empty",
    (path) => truncateSync(path, 0),
    { code: "invalid_input", message: /the file is empty/ },
  ],
  [
    "foreign",
    (path) => foreign(path),
    { code: "invalid_input", message: /not created by deskbell/ },
  ],
  [
    "newer",
    (path) => edit(path, "PRAGMA user_version = 9999"),
    { code: "state_refuses", message: /newer deskbell/ },
  ],
  [
    "extended by a trigger",
    (path) =>
      edit(path, "CREATE TRIGGER extra AFTER UPDATE ON business BEGIN DELETE FROM api_key; END"),
    { code: "invalid_input", message: /trigger 'extra' was not created by deskbell/ },
  ],
  [
    "missing an index",
    (path) => edit(path, "DROP INDEX IF EXISTS delivery_due"),
    {
      code: "invalid_input",
      message: /is damaged: its index 'delivery_due' is missing or was changed/,
    },
  ],
  [
    "inconsistent with its indexes",
    (path) => spoilIndex(path),
    { code: "invalid_input", message: /is damaged: / },
  ],
])(
  "a restore rejects a file that is %s, and changes nothing",
  async (_, spoil, { code, message }) => {
    const { rt, backup } = await createShopWithBackup();
    const file = join(createTempFolder(), "spoiled.db");
    copyFileSync(backup.path, file);
    spoil(file);
    rt.close();
    const before = contents(rt.config.dataDir);
    const confirm = () => Promise.reject(new Error("asked"));
    await expect(restore(rt, file, confirm)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    await expect(verifyBackup(file)).rejects.toThrow(message);
    expect(contents(rt.config.dataDir)).toEqual(before);
  },
);

test("a restore changes nothing if it is not confirmed, if the path is wrong, and while the database is open", async () => {
  const { rt, backup } = await createShopWithBackup();
  const { dataDir, databasePath } = rt.config;
  await expect(restore(rt, backup.path)).rejects.toMatchObject({ code: "busy" });
  rt.close();
  const before = contents(dataDir);
  await expect(restore(rt, backup.path, () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  );
  await expect(restore(rt, databasePath)).rejects.toMatchObject({ code: "usage" });
  await expect(restore(rt, join(dataDir, "none.db"))).rejects.toMatchObject({
    code: "resource_not_found",
  });
  await expect(restore(rt, dataDir)).rejects.toMatchObject({ code: "resource_not_found" });
  const lock = acquireDaemonLock(databasePath);
  await expect(restore(rt, backup.path)).rejects.toMatchObject({ code: "state_refuses" });
  lock.release();
  expect(contents(dataDir)).toEqual(before);
  expect(findShop(createTestRuntime({ dataDir }))).toMatchObject({ catalogVersion: 1 });
});

function edit(path: string, sql: string): void {
  const db = new Database(path);
  db.unsafeMode();
  db.exec(sql);
  db.close();
}

function foreign(path: string): void {
  truncateSync(path, 0);
  edit(path, "CREATE TABLE note (text TEXT); PRAGMA user_version = 3");
}

/** Changes the schema so that an index claims another column than the one it was filled with. */
const spoilIndex = (path: string): void =>
  edit(
    path,
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, '(business_id, kind, key)', '(business_id, key, kind)') WHERE name = 'catalog_object'`,
  );

test("a restore into a new folder creates private files whatever the umask is", async () => {
  const { rt, backup } = await createShopWithBackup();
  const dataDir = join(createTempFolder(), "new");
  const config = { ...rt.config, dataDir, databasePath: join(dataDir, "deskbell.db") };
  const umask = process.umask(0o022);
  onTestFinished(() => void process.umask(umask));
  await restoreBackup(config, backup.path, { now: rt.now(), confirm: async () => {} });
  const files = readdirSync(dataDir);
  expect(files).toContain("deskbell.db.lock");
  expect(files.filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)).toEqual([]);
});

test("an empty backup is reported as empty, not as a file of another program", async () => {
  const path = join(createTempFolder(), "empty.db");
  writeFileSync(path, "");
  await expect(verifyBackup(path)).rejects.toThrow("the file is empty");
});

test("a database whose schema was altered by a disk error is not backed up", async () => {
  const { rt } = await createShopWithBackup();
  rt.close();
  const { databasePath, dataDir } = rt.config;
  // Free pages can contain copies of the schema, so every occurrence in the file is replaced.
  const bytes = readFileSync(databasePath, "latin1");
  writeFileSync(databasePath, bytes.replaceAll("last_sequence", "last_sequenbe"), "latin1");
  const damaged = createTestRuntime({ dataDir });
  const part = "its table 'business' is missing or was changed";
  await expect(createBackup(damaged)).rejects.toThrow(part);
});

test.each(["audit_retention", "history", "server"])(
  "a database whose table %s has lost its only row is neither backed up nor restored",
  async (table) => {
    const rt = createTestRuntime();
    edit(rt.config.databasePath, `DELETE FROM ${table}`);
    await expect(createBackup(rt)).rejects.toMatchObject({ code: "storage_failed" });
    const missing = `the row of its table '${table}' is missing`;
    await expect(verifyBackup(rt.config.databasePath)).rejects.toThrow(missing);
  },
);
