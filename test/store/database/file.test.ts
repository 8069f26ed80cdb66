import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../src/store/database/database.ts";
import { createFileStore } from "../../../src/store/database/file.ts";
import { openOnReadOnlyDisk } from "../../../src/store/database/read-only-database.ts";
import { createTempFolder } from "../../support/cli.ts";

test("a database that was read into memory from a read-only disk can be checked, and has no file", () => {
  const path = join(createTempFolder(), "deskbell.db");
  openDatabase(path, 0, null).close();
  const db = openOnReadOnlyDisk(path);
  onTestFinished(() => void db.close());
  const file = createFileStore(db);
  expect(file.bytes()).toBe(0);
  expect(file.findDamage(0)).toBeNull();
});
