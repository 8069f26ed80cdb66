import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { startDaemon } from "../../../src/cli/running/daemon.ts";
import { createTempFolder, runProgram } from "../../support/cli.ts";
import { seedShop } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const PAGE_BYTES = 4096;

function createShop(): string {
  const dataDir = createTempFolder();
  const rt = createTestRuntime({ dataDir });
  seedShop(rt);
  rt.close();
  return rt.config.databasePath;
}

/** Overwrites the last quarter of a database, which SQLite does not read when it opens the file. */
function damage(path: string): void {
  const pages = statSync(path).size / PAGE_BYTES;
  const file = openSync(path, "r+");
  for (let page = Math.floor(pages * 0.75); page < pages; page++)
    writeSync(file, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, page * PAGE_BYTES);
  closeSync(file);
}

test.skipIf(process.getuid?.() !== 0)("serve fails on a read-only database", async () => {
  const path = createShop();
  const user = { uid: 65_534, gid: 65_534 };
  for (const file of [dirname(path), path]) chownSync(file, user.uid, user.gid);
  chmodSync(path, 0o444);
  expect(
    await runProgram(["serve", "--port", "0", "--data-dir", dirname(path)], user),
  ).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`error: ${path} cannot be opened for writing.\nfix: check`),
  });
});

test.each([
  ["with damaged pages", damage],
  ["with an incomplete last page", (path: string) => truncateSync(path, statSync(path).size - 100)],
  ["that is not a database", (path: string) => writeFileSync(path, "nonsense ".repeat(1000))],
])("serve refuses to start on a database file %s", async (_, spoil) => {
  const path = createShop();
  spoil(path);
  const config = readConfig({ dataDir: dirname(path) }, {});
  await expect(startDaemon(config, { host: "127.0.0.1", port: 0 })).rejects.toMatchObject({
    code: "storage_failed",
    message: expect.stringContaining(`${path} is damaged or is not a database`),
    fix: expect.stringContaining("restore"),
  });
});
