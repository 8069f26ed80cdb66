import {
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  statSync,
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
  lastBackupFailure,
  listBackups,
  verifyBackup,
} from "../../../src/app/operations/backups.ts";
import { deleteBusiness } from "../../../src/app/businesses.ts";
import { hasMatchingMasterKey, restoreBackup } from "../../../src/app/operations/restore.ts";
import { acquireDaemonLock } from "../../../src/store/database.ts";
import { createTempFolder } from "../../support/cli.ts";
import { addBusiness, emitEvents, subscribe } from "../../support/delivery.ts";
import { seedShop } from "../../support/shop.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const DAY_MS = 86_400_000;

/** A shop on file, backed up, in a folder that outlives the connection. */
async function backedUp() {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  seedShop(rt);
  return { rt, backup: await createBackup(rt) };
}

const restore = (rt: TestRuntime, file: string, confirm = async () => {}) =>
  restoreBackup(rt.config, file, { now: rt.now(), confirm });

const shopOf = (rt: TestRuntime) => rt.store.businesses.findBySlug("shop");

/** What a folder holds, down to the last byte's time. */
const contents = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== "deskbell.db.lock")
    .map((name) => ({
      name,
      size: statSync(join(folder, name)).size,
      mtime: statSync(join(folder, name)).mtimeMs,
    }));

test("a backup is one private file of its own, sound, without the master key", async () => {
  const { rt, backup } = await backedUp();
  expect(backup).toEqual({
    path: join(rt.config.dataDir, "backups/deskbell-20261120T120000Z.db"),
    bytes: statSync(backup.path).size,
    madeAt: rt.now(),
  });
  expect(readdirSync(dirname(backup.path))).toEqual(["deskbell-20261120T120000Z.db"]);
  expect(statSync(backup.path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(backup.path)).mode & 0o777).toBe(0o700);
  expect(verifyBackup(backup.path)).toMatchObject({ bytes: backup.bytes });
  expect(readdirSync(dirname(backup.path))).toEqual(["deskbell-20261120T120000Z.db"]);
  expect(listBackups(rt.config)).toEqual([backup]);
});

test("a backup is of the moment at which it began, while another connection commits without a pause", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  // Far more than can be copied between two of the commits.
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
  // A copy that starts over at each commit would be of its end, if it had one.
  expect(revision - before).toBeLessThan(after - revision);
}, 10_000);

test("each night's backup is kept for a week of nights, and an interrupted one's remains are cleared away", async () => {
  const rt = createTestRuntime();
  seedShop(rt);
  await createBackup(rt);
  const folder = join(rt.config.dataDir, "backups");
  const [young, old] = ["young", "old"].map((name) =>
    join(folder, `deskbell-20261119T031700Z.db.draft-${name}`),
  );
  for (const draft of [young, old]) writeFileSync(draft ?? "", "");
  for (let night = 0; night < 8; night++) {
    rt.advance(DAY_MS);
    utimesSync(young ?? "", rt.now() / 1000, rt.now() / 1000);
    utimesSync(old ?? "", 0, 0);
    await backUpNightly(rt);
    if (existsSync(old ?? "")) expect.fail("the remains are still there");
    writeFileSync(old ?? "", "");
  }
  expect(listBackups(rt.config).map(({ madeAt }) => madeAt)).toEqual(
    Array.from({ length: 7 }, (_, i) => rt.now() - i * DAY_MS),
  );
  expect(existsSync(young ?? "")).toBe(true);
  expect(rt.logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("a night that fails is logged as an error and noted, removes no older backup, and the next good one clears the note", async () => {
  const { rt, backup } = await backedUp();
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
  expect(rt.logged).toEqual([
    {
      level: "error",
      message: "The nightly backup failed.",
      fields: { reason: expect.stringContaining("cannot be backed up") },
    },
  ]);
  expect(lastBackupFailure(rt.config)).toEqual({
    at: rt.now(),
    reason: expect.stringContaining("cannot be backed up"),
  });
  expect(listBackups(rt.config)).toEqual(before);
  expect(readdirSync(dirname(backup.path)).filter((name) => name.includes("draft"))).toEqual([]);
  await backUpNightly(rt);
  expect(lastBackupFailure(rt.config)).toBeNull();
});

test("a restore brings the backup's data back, a million ahead of both, and keeps the others beside it", async () => {
  const { rt, backup } = await backedUp();
  const atBackup = shopOf(rt);
  const business = atBackup && { ...atBackup };
  if (!business) return expect.fail("no shop");
  emitEvents(rt, business, "catalog.changed", "catalog.changed");
  rt.tx(() =>
    rt.store.businesses.upsert({ ...business, catalogVersion: business.catalogVersion + 1 }),
  );
  const atEnd = shopOf(rt);
  rt.close();

  const kept = await restore(rt, backup.path);
  expect(kept).toBe(`${rt.config.databasePath}.before-restore-20261120T120000000Z`);
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(shopOf(restored)).toEqual({
    ...atBackup,
    catalogVersion: (atEnd?.catalogVersion ?? 0) + 1_000_000,
    lastSequence: (atEnd?.lastSequence ?? 0) + 1_000_001,
  });
  expect(statSync(restored.config.databasePath).mode & 0o777).toBe(0o600);
  restored.close();

  // And back again: what was kept is a backup like any other.
  rt.advance(1);
  expect(verifyBackup(kept ?? "")).toMatchObject({ path: kept });
  await restore(rt, kept ?? "");
  const again = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(shopOf(again)).toMatchObject({
    catalogVersion: (atEnd?.catalogVersion ?? 0) + 2_000_000,
    lastSequence: (atEnd?.lastSequence ?? 0) + 2_000_002,
  });
});

test("a business that the restored backup does not have goes on behind all that its partners know, when it is made anew", async () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const beforeIt = await createBackup(rt);
  seedShop(rt);
  const { id, catalogVersion, lastSequence } = shopOf(rt)!;
  rt.advance(1000);
  const withIt = await createBackup(rt);
  rt.close();

  /** What it begins with in the data as they are. */
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
  expect(shopOf(again)).toMatchObject({ catalogVersion: catalogVersion + 2_000_000 });
  const removed = shopOf(again)!;
  deleteBusiness(again, removed);
  again.close();
  rt.advance(1000);
  await restore(rt, beforeIt.path);
  expect(remade()).toEqual({
    catalogVersion: removed.catalogVersion + 1_000_000,
    lastSequence: removed.lastSequence + 1_000_000,
  });
});

test("what was on the wire when the backup was made is due again, and its secret opens with the key beside it", async () => {
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
  const told = restored.store.events.listAfter(business.id, 1_000_000, 10);
  expect(told).toMatchObject([{ id: news?.eventId, type: "catalog.changed", sequence: 1_000_002 }]);
  expect(JSON.parse(String(told[0]?.body))).toMatchObject({
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
  expect(hasMatchingMasterKey({ ...restored, config: elsewhere.config })).toBe(false);
});

test("a box that lost everything gets its data back without a question", async () => {
  const { rt, backup } = await backedUp();
  const empty = { ...rt.config, dataDir: join(createTempFolder(), "new") };
  empty.databasePath = join(empty.dataDir, "deskbell.db");
  const confirm = () => Promise.reject(new Error("asked"));
  expect(await restoreBackup(empty, backup.path, { now: rt.now(), confirm })).toBeNull();
  expect(shopOf(createTestRuntime({ dataDir: empty.dataDir }))).toMatchObject({ slug: "shop" });
});

test("data that are damaged are replaced as well, and kept as they are", async () => {
  const { rt, backup } = await backedUp();
  rt.close();
  writeFileSync(rt.config.databasePath, "not a database any more");
  // Of a restore that was interrupted.
  for (const suffix of ["", "-journal"])
    writeFileSync(`${rt.config.databasePath}.restoring${suffix}`, "half");
  const kept = await restore(rt, backup.path);
  expect(statSync(kept ?? "").size).toBe(23);
  expect(shopOf(createTestRuntime({ dataDir: rt.config.dataDir }))).toMatchObject({
    catalogVersion: 1_000_001,
  });
});

test("what is in the log alone is in the data that are kept", async () => {
  const { rt, backup } = await backedUp();
  const { databasePath } = rt.config;
  const revision = shopOf(rt)?.revision ?? 0;
  rt.tx(() => rt.store.businesses.incrementRevision(shopOf(rt)?.id ?? ""));
  // As a kill -9 leaves them.
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
  expect(old.prepare("SELECT revision FROM business").pluck().get()).toBe(revision + 1);
  old.close();
  expect(shopOf(createTestRuntime({ dataDir: rt.config.dataDir }))).toMatchObject({ revision });
});

test.each<[string, (path: string) => void, { code: string; message: RegExp }]>([
  [
    "cut short",
    (path) => truncateSync(path, 8 * 4096),
    { code: "invalid_input", message: /is damaged/ },
  ],
  [
    "no database",
    (path) => writeFileSync(path, "x".repeat(9999)),
    { code: "invalid_input", message: /is no database/ },
  ],
  [
    "empty",
    (path) => truncateSync(path, 0),
    { code: "invalid_input", message: /not one of deskbell's/ },
  ],
  ["foreign", (path) => foreign(path), { code: "invalid_input", message: /not one of deskbell's/ }],
  [
    "newer",
    (path) => edit(path, "PRAGMA user_version = 9999"),
    { code: "state_refuses", message: /newer deskbell/ },
  ],
  [
    "not as its indexes say",
    (path) => spoilIndex(path),
    { code: "invalid_input", message: /is damaged: / },
  ],
])("a file that is %s is refused, and nothing is changed", async (_, spoil, { code, message }) => {
  const { rt, backup } = await backedUp();
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
  expect(() => verifyBackup(file)).toThrow(message);
  expect(contents(rt.config.dataDir)).toEqual(before);
});

test("whoever does not confirm, names the data themselves or no file, or has them open elsewhere changes nothing", async () => {
  const { rt, backup } = await backedUp();
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
  expect(shopOf(createTestRuntime({ dataDir }))).toMatchObject({ catalogVersion: 1 });
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

/** An index that says it has another column than it was filled with. */
const spoilIndex = (path: string): void =>
  edit(
    path,
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, '(business_id, kind, key)', '(business_id, key, kind)') WHERE name = 'catalog_object'`,
  );
