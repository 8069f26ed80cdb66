import { closeSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  findIdentity,
  findLoss,
  findProcessOnDeletedFile,
  listForeignPrograms,
} from "../../../src/store/database/file-identity.ts";
import { createTempFolder } from "../../support/cli.ts";

test("a database file counts as lost if it is deleted, replaced or unreachable", () => {
  const path = join(createTempFolder(), "deskbell.db");
  writeFileSync(path, "");
  const opened = findIdentity(path);
  expect(findLoss(path, opened)).toBeUndefined();
  renameSync(path, `${path}.old`);
  expect(findLoss(path, opened)).toBe("was deleted or moved");
  writeFileSync(path, "");
  expect(findLoss(path, opened)).toBe("was replaced by another file");
  rmSync(path);
  renameSync(`${path}.old`, path);
  expect(findLoss(path, opened)).toBeUndefined();
  rmSync(path);
  symlinkSync(path, path);
  expect(findLoss(path, opened)).toEqual(
    expect.stringMatching(/^cannot be reached \(too many symbolic links/),
  );
});

test.skipIf(process.platform !== "linux")("the process that uses a deleted file is found", () => {
  const path = join(createTempFolder(), "deskbell.db");
  const file = openSync(path, "w");
  onTestFinished(() => closeSync(file));
  expect(findProcessOnDeletedFile(path)).toBeUndefined();
  rmSync(path);
  expect(findProcessOnDeletedFile(path)).toBe(process.pid);
});

test.skipIf(process.platform !== "linux")(
  "programs other than deskbell that have the database open are found",
  async () => {
    const path = join(createTempFolder(), "deskbell.db");
    const open = async (command: string) => {
      const file = openSync(`${path}-shm`, "w");
      const child = spawn("sleep", ["60"], { argv0: command, stdio: ["ignore", file, "ignore"] });
      closeSync(file);
      onTestFinished(() => void child.kill());
      await new Promise((resolve) => child.once("spawn", resolve));
      return child.pid;
    };
    const pid = await open("/usr/bin/sqlite3");
    for (const own of ["/opt/deskbell", "deskbell.js", "deskbell-linux-x64"]) await open(own);
    expect(listForeignPrograms(path)).toEqual([{ pid, name: "sqlite3" }]);
  },
);
