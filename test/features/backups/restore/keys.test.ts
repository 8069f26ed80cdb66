import type * as nodeFs from "node:fs";
import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test, vi } from "vitest";
import { findCustomer, saveCustomer } from "../../../../src/app/bookings/guests.ts";
import { authenticate } from "../../../../src/features/backups/authenticity.ts";
import { drillBackup } from "../../../../src/features/backups/upkeep/drill.ts";
import { checkBackupKeys } from "../../../../src/features/backups/restore/keys.ts";
import { createBackup } from "../../../../src/features/backups/backups.ts";
import { isNewestOutdated } from "../../../../src/features/backups/upkeep/maintenance.ts";
import { planRestore, restoreBackup } from "../../../../src/features/backups/restore/restore.ts";
import { rotateMasterKey } from "../../../../src/app/webhooks/endpoint-secrets.ts";
import { appendTag } from "../../../../src/features/backups/tag.ts";
import { readConfig } from "../../../../src/config.ts";
import { openSecretBox, readMasterKeys } from "../../../../src/platform/secret-box.ts";
import { backupName } from "../../../../src/features/backups/store/files.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness, subscribe } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const disk = vi.hoisted(() => ({ unreadable: "" }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  const readdirSync = (path: string) => {
    if (path === disk.unreadable)
      throw Object.assign(new Error("EACCES: permission denied, scandir"), { code: "EACCES" });
    return fs.readdirSync(path);
  };
  const openSync = (path: string, ...rest: [nodeFs.OpenMode, nodeFs.Mode?]) => {
    if (path === disk.unreadable)
      throw Object.assign(new Error("EIO: i/o error, open"), { code: "EIO" });
    return fs.openSync(path, ...rest);
  };
  return { ...fs, openSync, readdirSync };
});

afterEach(() => void (disk.unreadable = ""));

const ANA = { name: "Ana", email: null, phone: null, notes: null };

/** Creates a server with a guest and an endpoint, whose master key was rotated after its backup. */
async function createRotated() {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  rt.tx(() => saveCustomer(rt, business.id, "bkg_1", ANA));
  const { path } = await createBackup(rt);
  rt.advance(60_000);
  const { oldKeys } = rotateMasterKey(rt);
  const [oldKey = ""] = oldKeys;
  const fingerprint = oldKey.split(".old-")[1] ?? "";
  return { rt, path, oldKey, fingerprint, endpoint };
}

const optionsOf = (rt: { now: () => number }) => ({ now: rt.now(), confirm: async () => {} });

function stripTag(path: string): void {
  const header = readFileSync(path).subarray(0, 100);
  truncateSync(path, header.readUInt16BE(16) * header.readUInt32BE(28));
  rmSync(join(dirname(path), "SHA256SUMS"), { force: true });
}

test("a restore after a rotation makes guests and secrets readable with the new key alone", async () => {
  const { rt, path, oldKey } = await createRotated();
  expect(basename(oldKey)).toMatch(/^master\.key\.old-[0-9a-f]{16}$/);
  expect(statSync(oldKey).mode & 0o777).toBe(0o600);
  expect(await drillBackup(rt, path)).toMatchObject({ error: null, secrets: 1 });
  rt.close();
  const { unreadable } = await restoreBackup(rt.config, path, optionsOf(rt));
  expect(unreadable).toEqual({ secrets: 0, guests: 0, keys: [], warning: null });
  rmSync(oldKey);
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(findCustomer(restored, "bkg_1")).toEqual(ANA);
  const secrets = restored.store.endpointSecrets.list();
  expect(restored.secrets.listUndecryptable(secrets)).toEqual([]);
  expect(readMasterKeys(rt.config.masterKeyPath)).toHaveLength(1);
});

test("a restore, a drill and doctor name a backup whose key is missing, and the key's fingerprint", async () => {
  const { rt, path, oldKey, fingerprint } = await createRotated();
  expect(checkBackupKeys(rt)).toEqual([]);
  renameSync(oldKey, join(createTempFolder(), "key"));
  const { unreadable } = await planRestore(rt.config, path, optionsOf(rt));
  expect(unreadable).toEqual({
    secrets: 1,
    guests: 1,
    keys: [fingerprint],
    warning: `No key here decrypts 1 signing secret and the data of 1 guest of ${path}: the master key ${fingerprint} is missing. fix: install -m 600 FILE ${oldKey} with a copy of that key, before the restore`,
  });
  expect(await drillBackup(rt, path)).toMatchObject({
    error: expect.stringContaining("does not decrypt 1 of 1 signing secret"),
  });
  expect(checkBackupKeys(rt)).toMatchObject([
    {
      text: expect.stringMatching(`the master key ${fingerprint} is missing.*${path}`),
      fix: expect.stringContaining(`install -m 600 FILE ${oldKey}`),
    },
  ]);
});

test("a restore on a machine without a data folder names the missing key", async () => {
  const { rt, path, fingerprint } = await createRotated();
  const config = readConfig({ dataDir: join(createTempFolder(), "new") }, {});
  const { unreadable } = await planRestore(config, path, { ...optionsOf(rt), untrusted: true });
  expect(unreadable).toMatchObject({ secrets: 1, guests: 1, keys: [fingerprint] });
});

test("a drill fails if no key decrypts the guests of a backup", async () => {
  const { rt, path, oldKey } = await createRotated();
  rmSync(oldKey);
  const db = new Database(path);
  db.exec("DELETE FROM endpoint_secret");
  db.close();
  rmSync(join(dirname(path), "SHA256SUMS"));
  expect(await drillBackup(rt, path)).toMatchObject({
    error: "No master key decrypts the data of 1 of 1 guest.",
  });
});

test("doctor recommends deleting an old key once no backup needs it", async () => {
  const { rt, path, oldKey } = await createRotated();
  await createBackup(rt);
  expect(checkBackupKeys(rt)).toEqual([]);
  rmSync(path);
  expect(checkBackupKeys(rt)).toMatchObject([
    { isAdvice: true, fix: expect.stringContaining(`rm ${oldKey}`) },
  ]);
});

test("another backup is due after a rotation, because a standby may not have the old key", async () => {
  const { rt } = await createRotated();
  expect(isNewestOutdated(rt)).toBe(true);
  await createBackup(rt);
  expect(isNewestOutdated(rt)).toBe(false);
});

test("another backup is due if the newest one is unreadable, and doctor recommends deleting no old key", async () => {
  const { rt } = await createRotated();
  await createBackup(rt);
  rt.advance(60_000);
  const newest = join(rt.config.backupFolder, backupName(rt.now()));
  writeFileSync(newest, "");
  disk.unreadable = newest;
  expect(isNewestOutdated(rt)).toBe(true);
  expect(checkBackupKeys(rt)).toEqual([]);
});

test("doctor recommends deleting no old key while the folder of the copies cannot be read", async () => {
  const dir = createTempFolder();
  const { rt, path } = await createRotated();
  const other = createTestRuntime({ dataDir: rt.config.dataDir, backupDir: dir });
  await createBackup(other);
  rmSync(path);
  expect(checkBackupKeys(other)).toHaveLength(1);
  disk.unreadable = dir;
  expect(checkBackupKeys(other)).toEqual([]);
});

test("a stolen old master key can neither authenticate a backup nor change the secret of an endpoint", async () => {
  const { rt, path, oldKey, endpoint } = await createRotated();
  const [stolen] = readMasterKeys(oldKey) as [Buffer];
  const before = rt.store.endpointSecrets.listValid(endpoint.id, rt.now()).map(({ id }) => id);
  rt.close();
  stripTag(path);
  const box = openSecretBox(oldKey, rt.random, () => false);
  const db = new Database(path);
  db.prepare("UPDATE endpoint_secret SET sealed = ?").run(box.encrypt("whsec_evil", before[0]!));
  const server = db.prepare("SELECT id FROM server").pluck().get() as string;
  db.close();
  appendTag(path, { server, createdAt: rt.now(), schema: 1, epoch: 0, erased: [] }, stolen);
  expect((await authenticate(rt.config, path)).kind).toBe("other_key");
  await expect(restoreBackup(rt.config, path, optionsOf(rt))).rejects.toMatchObject({
    code: "state_refuses",
  });
  await restoreBackup(rt.config, path, { ...optionsOf(rt), untrusted: true });
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  const secrets = restored.store.endpointSecrets.listValid(endpoint.id, rt.now());
  expect(restored.secrets.listUndecryptable(secrets)).toHaveLength(1);
  expect(findCustomer(restored, "bkg_1")).toEqual(ANA);
  expect(readdirSync(rt.config.dataDir)).toContain(basename(oldKey));
});
