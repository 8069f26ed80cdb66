import { once } from "node:events";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { acquireDaemonLock, openDatabase } from "../../src/store/database.ts";
import { createTempFolder } from "../support/cli.ts";

/** Locks the file even for reading, as a recovery after a crash does, in another thread. */
const HOLDER = `
  const { workerData, parentPort } = require("node:worker_threads");
  const Database = require("better-sqlite3");
  const db = new Database(workerData);
  db.pragma("locking_mode = EXCLUSIVE");
  db.exec("BEGIN IMMEDIATE; COMMIT");
  parentPort.postMessage("locked");
  setTimeout(() => db.close(), 100);`;

test("opening waits for a process that has locked the file, even without a busy timeout", async () => {
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

test("a read error fails its transaction only", () => {
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

test("a lock file that is not a database is a known error", () => {
  const path = join(createTempFolder(), "deskbell.db");
  writeFileSync(`${path}.lock`, "nonsense ".repeat(1000));
  expect(() => acquireDaemonLock(path)).toThrow(`${path}.lock is damaged`);
  truncateSync(`${path}.lock`);
  acquireDaemonLock(path).release();
});
