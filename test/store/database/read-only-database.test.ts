import * as nodeFs from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "../../../src/store/database/database.ts";
import { withReadOnlyDatabase } from "../../../src/store/database/read-only-database.ts";
import { storageError } from "../../../src/store/database/storage-error.ts";
import { createTempFolder } from "../../support/cli.ts";

const disk = vi.hoisted(() => ({ isReadOnly: false }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  return {
    ...fs,
    accessSync(path: string, mode: number) {
      if (disk.isReadOnly) throw Object.assign(new Error("read-only"), { code: "EROFS" });
      fs.accessSync(path, mode);
    },
  };
});

beforeEach(() => void (disk.isReadOnly = false));

function createDatabase(): string {
  const path = join(createTempFolder(), "deskbell.db");
  openDatabase(path, 0, null).close();
  return path;
}

test("the data of a stopped server can be read on a read-only disk, and no file is created", () => {
  const path = createDatabase();
  disk.isReadOnly = true;
  const { db, tx, close } = openDatabase(path, 0, null);
  onTestFinished(close);
  expect(db.prepare("SELECT count(*) FROM business").pluck().get()).toBe(0);
  expect(() => tx(() => db.exec("DELETE FROM business"))).toThrow("readonly");
  const schema = withReadOnlyDatabase(path, (file) =>
    file.pragma("user_version", { simple: true }),
  );
  expect(schema).toBeGreaterThan(0);
  expect(nodeFs.existsSync(`${path}-wal`)).toBe(false);
});

test("the last changes before a crash can be read on a read-only disk", () => {
  const path = createDatabase();
  const writer = new Database(path);
  onTestFinished(() => void writer.close());
  writer.exec("CREATE TABLE last_change (number); INSERT INTO last_change VALUES (7)");
  disk.isReadOnly = true;
  const { db, close } = openDatabase(path, 0, null);
  onTestFinished(close);
  expect(db.prepare("SELECT number FROM last_change").pluck().get()).toBe(7);
});

test("a write to a read-only disk fails with the name of the disk", () => {
  disk.isReadOnly = true;
  const error = new Database.SqliteError("attempt to write", "SQLITE_READONLY");
  const path = createTempFolder();
  expect(storageError(error, path)).toMatchObject({
    code: "not_permitted",
    message: expect.stringMatching(/^The disk that holds \S+.* is mounted read-only\.$/),
    fix: expect.stringMatching(/^look for disk errors with dmesg; .*: mount -o remount,rw \S+$/),
  });
});
