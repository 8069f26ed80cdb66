import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyBackup } from "../../src/features/backups/copies/copies.ts";
import { createBackup } from "../../src/features/backups/backups.ts";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { addDestination } from "../features/nats/destinations.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("doctor --standby checks that the master key decrypts the secrets of destinations", async () => {
  const dir = createTempFolder();
  const primary = createTestRuntime({ backupDir: dir });
  addDestination(primary, { credentials: { kind: "token", token: "t0ken" } });
  await copyBackup(primary, await createBackup(primary));
  const { dataDir, deskbell } = createTerminal();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = join(dataDir, "master.key");
  const checkKeys = async () => (await deskbell(`doctor --standby ${dir}`)).stdout;
  expect(await checkKeys()).toMatch(/^keys\twrong\tthere is no master key\t/m);
  writeFileSync(key, `${Buffer.alloc(32).toString("base64")}\n`, { mode: 0o600 });
  expect(await checkKeys()).toMatch(
    /^keys\twrong\tthe master key does not decrypt 1 of 1 signing secret\t/m,
  );
  copyFileSync(primary.config.masterKeyPath, key);
  expect(await checkKeys()).toMatch(/^keys\tok\t1 signing secret and the data of 0 guests can be/m);
});

test("doctor --servers without --standby is a usage error", async () => {
  expect(await createTerminal().deskbell("doctor --servers servers.txt")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--servers needs --standby."),
  });
});
