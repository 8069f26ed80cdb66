import { once } from "node:events";
import { truncateSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import {
  acquireDaemonLock,
  isDaemonRunning,
  openDatabase,
} from "../../../src/store/database/database.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createKey } from "../../../src/app/keys.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { isBusy } from "../../../src/store/database/write-lock.ts";
import { dryRun } from "../../support/dry-run.ts";
import { seedShop } from "../../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

/** A thread that locks the file even for reading, as a recovery after a crash does. */
const HOLDER = `
  const { workerData, parentPort } = require("node:worker_threads");
  const Database = require("better-sqlite3");
  const db = new Database(workerData);
  db.pragma("locking_mode = EXCLUSIVE");
  db.exec("BEGIN IMMEDIATE; COMMIT");
  parentPort.postMessage("locked");
  setTimeout(() => db.close(), 100);`;

test("opening a database waits for a process that has locked its file, even without a busy timeout", async () => {
  const path = join(createTempFolder(), "deskbell.db");
  openDatabase(path, 0, null).close();
  const holder = new Worker(HOLDER, { eval: true, workerData: path });
  onTestFinished(() => void holder.terminate());
  await once(holder, "message");
  const { db, close } = openDatabase(path, 0, null);
  expect(db.pragma("busy_timeout", { simple: true })).toBe(0);
  close();
});

test("a failed fsync is reported, and the connection accepts no further transaction", () => {
  const failures: unknown[] = [];
  const connection = openDatabase(join(createTempFolder(), "deskbell.db"), 0, null, {
    onSyncFailed: (error) => failures.push(error),
  });
  onTestFinished(connection.close);
  const failure = new Database.SqliteError("disk I/O error", "SQLITE_IOERR_FSYNC");
  expect(() =>
    connection.tx(() => {
      throw failure;
    }),
  ).toThrow(failure);
  expect(failures).toEqual([failure]);
  expect(() => connection.tx(() => "written")).toThrow(failure);
});

test("a read error fails its own transaction, and later transactions succeed", () => {
  const connection = openDatabase(join(createTempFolder(), "deskbell.db"), 0, null, {
    onSyncFailed: () => expect.unreachable(),
  });
  onTestFinished(connection.close);
  expect(() =>
    connection.tx(() => {
      throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR_READ");
    }),
  ).toThrow("disk I/O error");
  expect(connection.tx(() => "written")).toBe("written");
});

test("a lock file that is not a database is reported as damaged", () => {
  const path = join(createTempFolder(), "deskbell.db");
  writeFileSync(`${path}.lock`, "nonsense ".repeat(1000));
  for (const useLock of [acquireDaemonLock, isDaemonRunning])
    expect(() => useLock(path)).toThrow(`${path}.lock is damaged`);
  truncateSync(`${path}.lock`);
  acquireDaemonLock(path).release();
});

/**
 * A thread that reads the file of a lock for a second, as a process would that asks for the lock of
 * a daemon on a busy machine.
 */
const SLOW_READER = `
  const { workerData, parentPort } = require("node:worker_threads");
  const Database = require("better-sqlite3");
  const db = new Database(workerData, { readonly: true });
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM sqlite_schema").get();
  parentPort.postMessage("reading");
  setTimeout(() => db.close(), 1000);`;

test("a daemon starts while a slow command asks whether a daemon runs", async () => {
  const path = join(createTempFolder(), "deskbell.db");
  acquireDaemonLock(path).release();
  const reader = new Worker(SLOW_READER, { eval: true, workerData: `${path}.lock` });
  onTestFinished(() => void reader.terminate());
  await once(reader, "message");
  const lock = acquireDaemonLock(path);
  expect(isDaemonRunning(path)).toBe(true);
  expect(() => acquireDaemonLock(path)).toThrow("Another deskbell daemon or a restore is running");
  lock.release();
});

/** Opens a shop, and a second connection to its file in a dry run. */
function openTwice(): { saved: TestRuntime; tried: TestRuntime; end: () => void } {
  const saved = createTestRuntime();
  seedShop(saved);
  const tried = createTestRuntime({ dataDir: saved.config.dataDir }, saved.now(), 0);
  return { saved, tried, end: tried.startDryRun() };
}

const addKey = (rt: TestRuntime, name = "site") =>
  createKey(rt, { businessId: businessId("shop"), name, kind: "SECRET", scopes: [] });

test("the writes of a dry run are visible to its own connection and never to other connections", () => {
  const { saved, tried } = openTwice();
  addKey(tried);
  addKey(tried);
  expect(tried.store.keys.list()).toHaveLength(2);
  expect(saved.store.keys.list()).toEqual([]);
  tried.close();
  expect(saved.store.keys.list()).toEqual([]);
  addKey(saved);
  expect(saved.store.keys.list()).toHaveLength(1);
});

test("a failed transaction of a dry run undoes its own writes and keeps those before it", () => {
  const { tried } = openTwice();
  addKey(tried, "first");
  expect(() =>
    tried.tx(() => {
      addKey(tried, "second");
      throw new Error("no");
    }),
  ).toThrow("no");
  addKey(tried, "third");
  expect(tried.store.keys.list().map(({ name }) => name)).toEqual(["first", "third"]);
});

test("a dry run can write although another connection has committed since its first read", () => {
  const { saved, tried, end } = openTwice();
  expect(tried.store.keys.list()).toEqual([]);
  addKey(saved);
  addKey(tried);
  expect(tried.store.keys.list()).toHaveLength(2);
  end();
  addKey(saved);
  expect(saved.store.keys.list()).toHaveLength(2);
});

test("a write in a dry run fails as busy during a transaction of another connection, which still commits", () => {
  const { saved, tried } = openTwice();
  saved.tx(() => {
    addKey(saved);
    expect(() => addKey(tried)).toThrow(expect.toSatisfy(isBusy));
    addKey(saved);
  });
  expect(saved.store.keys.list()).toHaveLength(2);
});

test("a connection saves again after its dry run has ended", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const before = rt.revision();
  dryRun(rt, () => addKey(rt));
  expect([rt.revision(), rt.isDryRun(), rt.store.keys.list()]).toEqual([before, false, []]);
  addKey(rt);
  expect(rt.store.keys.list()).toHaveLength(1);
});

test("a dry run creates no master key", () => {
  const rt = createTestRuntime();
  dryRun(rt, () => rt.secrets.encrypt("whsec_x", "whs_1"));
  expect(existsSync(rt.config.masterKeyPath)).toBe(false);
});

test("the revision rises with each commit that changes the file, and with no other", () => {
  const { saved, tried, end } = openTwice();
  end();
  const revisions = () => [saved.revision(), tried.revision()];
  const before = revisions();
  saved.tx(() => saved.store.keys.list());
  expect(revisions()).toEqual(before);
  addKey(saved);
  expect(revisions()).toEqual(before.map((revision) => revision + 1));
});

test("a transaction can read one state of the database while it goes through rows", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  for (const name of ["first", "second"]) addKey(rt, name);
  const counts = rt.tx(() =>
    Array.from(rt.store.catalog.iterateDocs(businessId("shop")), () =>
      rt.read(() => rt.store.keys.list().length),
    ),
  );
  expect(new Set(counts)).toEqual(new Set([2]));
});

test("a dry run that has undone its writes blocks no other writer, and does not save its later writes either", () => {
  const { saved, tried } = openTwice();
  addKey(tried);
  tried.tx(() => {
    addKey(tried, "second");
    tried.undoDryRun();
  });
  expect(tried.store.keys.list()).toHaveLength(2);
  tried.undoDryRun();
  addKey(saved, "saved");
  expect(tried.store.keys.list()).toHaveLength(1);
  addKey(tried, "third");
  expect([tried.isDryRun(), tried.store.keys.list().length]).toEqual([true, 2]);
  tried.undoDryRun();
  expect(saved.store.keys.list().map(({ name }) => name)).toEqual(["saved"]);
});

test("undoDryRun outside a dry run keeps the writes of the transaction", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  rt.tx(() => {
    addKey(rt);
    rt.undoDryRun();
  });
  expect(rt.store.keys.list()).toHaveLength(1);
});
