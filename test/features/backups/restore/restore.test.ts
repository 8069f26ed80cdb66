import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { ERASURE_LIST } from "../../../../src/features/backups/erasure-list.ts";
import { revokeKey } from "../../../../src/app/key-end.ts";
import { afterRevoking, recordRevoked } from "../../../../src/app/revoke-for-good.ts";
import { createKey, rotateKey } from "../../../../src/app/keys.ts";
import { authenticate } from "../../../../src/features/backups/authenticity.ts";
import { copyBackup } from "../../../../src/features/backups/copies/copies.ts";
import { drillBackup } from "../../../../src/features/backups/upkeep/drill.ts";
import { createBackup, verifyBackup } from "../../../../src/features/backups/backups.ts";
import {
  isNewestOutdated,
  runMaintenance,
} from "../../../../src/features/backups/upkeep/maintenance.ts";
import { listReplacedData } from "../../../../src/features/backups/restore/replaced-data.ts";
import { planRestore, restoreBackup } from "../../../../src/features/backups/restore/restore.ts";
import { findNewestCopy, takeOver } from "../../../../src/features/backups/restore/take-over.ts";
import type { Runtime } from "../../../../src/app/runtime.ts";
import { rotateMasterKey } from "../../../../src/app/webhooks/endpoint-secrets.ts";
import { DEFAULT_LIMITS, hashApiKey } from "../../../../src/domain/api-key.ts";
import { readServerId } from "../../../../src/features/backups/store/files.ts";
import type { Config } from "../../../../src/config.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness, subscribe } from "../../../support/delivery.ts";
import {
  createStandbyConfig,
  createTestRuntime,
  type TestRuntime,
} from "../../../support/test-runtime.ts";

const DAY_MS = 86_400_000;
const SECRET = "dbk_sk_attacker0000000000000000000000000000";

/** Creates a server in a folder that outlives its connection, and a backup of it. */
async function createServer() {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://10.0.0.1/");
  const { path } = await createBackup(rt);
  return { rt, business, path };
}

/** Changes the database in a backup file, but not the tag behind it. */
function edit(path: string, sql: string, ...values: unknown[]): void {
  const db = new Database(path);
  db.prepare(sql).run(...values);
  db.close();
}

function stripTag(path: string): void {
  const header = readFileSync(path).subarray(0, 100);
  truncateSync(path, header.readUInt16BE(16) * header.readUInt32BE(28));
  rmSync(join(path, "../SHA256SUMS"), { force: true });
}

function addKey(path: string, businessId: string): void {
  edit(
    path,
    `INSERT INTO api_key (id, business_id, kind, name, scopes, cidrs, limit_minute, limit_hour, created_at)
     VALUES ('key_evil', ?, 'SECRET', 'website', '["services.read"]', '[]', 9, 9, 0)`,
    businessId,
  );
  edit(
    path,
    "INSERT INTO api_key_secret (hash, key_id, prefix, last4, created_at) VALUES (?, 'key_evil', 'sk', '0000', 0)",
    hashApiKey(SECRET),
  );
}

const NOW = Date.parse("2026-11-21T12:00:00Z");
const options = { now: NOW, confirm: async () => {} };
const open = ({ dataDir }: Config): TestRuntime => createTestRuntime({ dataDir });

const kindOf = async (config: Config, path: string) => (await authenticate(config, path)).kind;

/** Rotates the master key, and returns what the report says about the backups. */
function rotate(rt: Runtime): { retagged: number; rest: string[] } {
  const fields = Object.assign({}, ...rotateMasterKey(rt).reports.map((report) => report.fields));
  return (fields as { backups: { retagged: number; rest: string[] } }).backups;
}

test("a copied or renamed backup stays authentic, and a changed one does not", async () => {
  const { rt, path } = await createServer();
  const copy = join(createTempFolder(), "old.db");
  const tryWith = (change: (bytes: Buffer) => Buffer) => {
    writeFileSync(copy, change(readFileSync(path)));
    return kindOf(rt.config, copy);
  };
  expect(await tryWith((bytes) => bytes)).toBe("authentic");
  const size = statSync(path).size;
  for (const at of [5000, size - 4000, size - 200, size - 10])
    expect(await tryWith((bytes) => bytes.fill(bytes[at]! ^ 1, at, at + 1))).not.toBe("authentic");
  expect(await tryWith((bytes) => bytes.subarray(0, size - 1))).toBe("none");
  expect(await tryWith((bytes) => Buffer.concat([bytes, Buffer.from("\n")]))).toBe("none");
  expect(await tryWith((bytes) => Buffer.concat([bytes, bytes]))).not.toBe("authentic");
  const other = createTestRuntime();
  addBusiness(other);
  expect(await kindOf(other.config, path)).toBe("no_key");
  await createBackup(other);
  expect(await kindOf(other.config, path)).toBe("other_key");
});

test.for(["stripped", "altered", "of another key", "without a key"] as const)(
  "a backup whose tag is %s is restored only as untrusted, and --yes does not imply that",
  async (how) => {
    const { rt, path, business } = await createServer();
    rt.close();
    addKey(path, business.id);
    rmSync(join(path, "../SHA256SUMS"));
    if (how === "stripped") stripTag(path);
    if (how === "of another key")
      writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
    if (how === "without a key") rmSync(rt.config.masterKeyPath);
    await expect(restoreBackup(rt.config, path, options)).rejects.toMatchObject({
      code: "state_refuses",
      fix: expect.stringContaining(`deskbell restore ${path} --untrusted`),
    });
    const { isAuthentic, access } = await restoreBackup(rt.config, path, {
      ...options,
      untrusted: true,
    });
    expect(isAuthentic).toBe(false);
    expect(access).toEqual([
      { kind: "key", id: "key_evil", name: "website", business: business.slug, change: "new" },
    ]);
    const restored = open(rt.config);
    expect(restored.store.keys.findCredential(hashApiKey(SECRET))).toMatchObject({
      revokedAt: NOW,
    });
    expect(restored.store.endpoints.list()).toMatchObject([{ status: "ACTIVE" }]);
    expect(restored.store.audit.list({}, 2)).toMatchObject([
      { action: "backup.restored", details: { isAuthentic: false, disabled: ["key_evil"] } },
      { action: "key.revoked", subjectId: "key_evil" },
    ]);
  },
);

test("a restore lists the access that it changes or brings back, and keepAdded leaves such access active", async () => {
  const { rt, business } = await createServer();
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.2/");
  const { key } = createKey(rt, {
    businessId: business.id,
    name: "former",
    kind: "RESTRICTED",
    scopes: ["services.read"],
  });
  rt.advance(60_000);
  const { path } = await createBackup(rt);
  revokeKey(rt, key.id);
  rt.store.endpoints.updateStatus(endpoint.id, "DISABLED", "manual", rt.now());
  rt.close();
  const listed = { kind: "endpoint", id: endpoint.id, change: "brought back" };
  const plan = await planRestore(rt.config, path, options);
  expect(plan.access).toMatchObject([listed]);
  expect(plan.revoked).toMatchObject([{ kind: "key", id: key.id }]);
  stripTag(path);
  edit(path, "UPDATE endpoint SET url = 'http://10.6.6.6/' WHERE url = 'http://10.0.0.1/'");
  const untrusted = { ...options, untrusted: true };
  const { access } = await restoreBackup(rt.config, path, { ...untrusted, keepAdded: true });
  expect(access).toMatchObject([{ kind: "endpoint", change: "changed" }, listed]);
  expect(open(rt.config).store.endpoints.list()).toMatchObject([
    { url: "http://10.6.6.6/", status: "ACTIVE" },
    { status: "ACTIVE" },
  ]);
});

test.each([
  ["does not bring back", "at once", 0, "secret ended"],
  ["brings back", "after an overlap", 60_000, undefined],
])(
  "a restore of an older backup on another machine %s the secret that a rotation ended %s",
  async (_does, _when, overlapMs, change) => {
    const { rt, business } = await createServer();
    const created = createKey(rt, {
      businessId: business.id,
      name: "portal",
      kind: "RESTRICTED",
      scopes: ["services.read"],
    });
    const { id } = created.key;
    rt.advance(60_000);
    const { path } = await createBackup(rt);
    const { endedSecrets } = rt.tx(() => {
      const rotated = rotateKey(rt, id, overlapMs);
      recordRevoked(rt, rotated.endedSecrets);
      return rotated;
    });
    afterRevoking(rt, endedSecrets);
    rt.close();
    // Another machine gets the copy, the list of what was revoked, and the master key.
    const standby = createStandbyConfig(rt.config);
    const restored = await restoreBackup(standby, path, options);
    expect(restored.revoked).toMatchObject(change === undefined ? [] : [{ id, change }]);
    const there = open(standby);
    const works = there.store.keys.findCredential(hashApiKey(created.secret)) !== undefined;
    expect(works).toBe(change === undefined);
    // The key itself stays, and the operator gives it another secret.
    const { secret } = rotateKey(there, id, 0);
    expect(there.store.keys.findCredential(hashApiKey(secret))).toMatchObject({ id });
  },
);

test("a restore keeps the live entries of the audit log instead of those of the backup, and reports differences", async () => {
  const { rt, business } = await createServer();
  createKey(rt, { businessId: business.id, name: "till", kind: "SECRET", scopes: [] });
  const live = rt.store.audit.list({}, -1);
  rt.advance(60_000);
  const { path } = await createBackup(rt);
  rt.close();
  stripTag(path);
  const db = new Database(path);
  db.unsafeMode();
  const { sql } = db
    .prepare("SELECT sql FROM sqlite_schema WHERE name = 'audit_entry_update'")
    .get() as { sql: string };
  db.exec(`
    DROP TRIGGER audit_entry_update;
    UPDATE audit_entry SET actor_name = 'eve' WHERE id = '${live[0]!.id}';
    INSERT INTO audit_entry SELECT id || 'x', at, via, actor_id, 'eve', address, action, subject_id, subject_name, business_id, details
      FROM audit_entry WHERE id = '${live[0]!.id}';
    ${sql};`);
  db.close();
  const differences = { altered: [live[0]!.id], added: [`${live[0]!.id}x`] };
  const untrusted = { ...options, untrusted: true };
  expect((await planRestore(rt.config, path, untrusted)).audit).toEqual(differences);
  const { audit } = await restoreBackup(rt.config, path, untrusted);
  expect(audit).toEqual(differences);
  const entries = open(rt.config).store.audit.list({}, -1);
  expect(entries.filter(({ id }) => live.some((row) => row.id === id))).toEqual(live);
  expect(entries[0]).toMatchObject({
    action: "backup.restored",
    details: { alteredEntries: [live[0]!.id], addedEntries: 1 },
  });
  expect(() =>
    edit(rt.config.databasePath, "DELETE FROM audit_entry WHERE id = ?", live[0]!.id),
  ).toThrow("kept until it expires");
});

test("an untrusted restore lists the keys whose limits the file would raise, and keeps their present limits", async () => {
  const { rt, business } = await createServer();
  const { key } = createKey(rt, {
    businessId: business.id,
    name: "site",
    kind: "RESTRICTED",
    scopes: ["services.read"],
  });
  rt.advance(60_000);
  const { path } = await createBackup(rt);
  rt.close();
  stripTag(path);
  edit(path, "UPDATE api_key SET max_holds = 900, max_bookings_day = 10000, limit_hour = 5");
  const untrusted = { ...options, untrusted: true };
  const { holds, bookingsDay } = DEFAULT_LIMITS;
  expect((await planRestore(rt.config, path, untrusted)).access).toMatchObject([
    {
      id: key.id,
      change: "limits raised",
      raised: {
        maxHolds: { from: holds, to: 900 },
        maxBookingsDay: { from: bookingsDay, to: 10000 },
      },
    },
  ]);
  await restoreBackup(rt.config, path, untrusted);
  const restored = open(rt.config);
  expect(restored.store.keys.findById(key.id)).toMatchObject({
    revokedAt: null,
    maxHolds: holds,
    maxBookingsDay: bookingsDay,
    limitHour: 5,
  });
  restored.close();
  await restoreBackup(rt.config, path, { ...untrusted, keepAdded: true, now: NOW + 1 });
  expect(open(rt.config).store.keys.findById(key.id)).toMatchObject({ maxHolds: 900 });
});

test("a restore takes the authenticated bytes, even if a foreign journal lies next to the backup", async () => {
  const { rt, path } = await createServer();
  rt.close();
  // SQLite would roll such a journal back into the file.
  const db = new Database(path);
  db.exec("PRAGMA journal_mode = PERSIST; BEGIN; UPDATE business SET slug = 'x'");
  db.exec("ROLLBACK");
  db.close();
  expect(await kindOf(rt.config, path)).toBe("authentic");
  await restoreBackup(rt.config, path, options);
  expect(open(rt.config).store.businesses.listSlugs()).not.toContain("x");
});

test("the first backup of a server creates a master key, unless the data were encrypted with a lost key", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  expect(existsSync(rt.config.masterKeyPath)).toBe(false);
  expect(await kindOf(rt.config, (await createBackup(rt)).path)).toBe("authentic");
  const { rt: other, business } = await createServer();
  await subscribe(other, business, "http://10.0.0.2/");
  rmSync(other.config.masterKeyPath);
  other.advance(60_000);
  expect(await kindOf(other.config, (await createBackup(other)).path)).toBe("none");
  expect(existsSync(other.config.masterKeyPath)).toBe(false);
});

test("another backup is due if the newest one is not authentic, as after an upgrade", async () => {
  const { rt, path } = await createServer();
  expect(isNewestOutdated(rt)).toBe(false);
  stripTag(path);
  expect(isNewestOutdated(rt)).toBe(true);
  rt.advance(60_000);
  await createBackup(rt);
  expect(isNewestOutdated(rt)).toBe(false);
});

test("the data that a restore replaced are named, and deleted after 30 days", async () => {
  const { rt, path } = await createServer();
  rt.close();
  const { previousData } = await restoreBackup(rt.config, path, { ...options, now: rt.now() });
  const restored = open(rt.config);
  const deletedAt = rt.now() + 30 * DAY_MS;
  expect(listReplacedData(restored.config)).toEqual([{ path: previousData, deletedAt }]);
  restored.advance(30 * DAY_MS - 1);
  await runMaintenance(restored, { backUp: true });
  expect(existsSync(previousData!)).toBe(true);
  restored.advance(1000);
  await runMaintenance(restored, { backUp: true });
  expect(existsSync(previousData!)).toBe(false);
  expect(restored.logged).toContainEqual(
    expect.objectContaining({ fields: { path: previousData } }),
  );
});

test("a restore tags the data that it replaces, and a drill also tries a backup without a valid tag", async () => {
  const { rt, path } = await createServer();
  rt.close();
  const { previousData } = await restoreBackup(rt.config, path, options);
  expect(await kindOf(rt.config, previousData!)).toBe("authentic");
  stripTag(path);
  expect(await drillBackup(open(rt.config), path)).toMatchObject({ error: null, secrets: 1 });
});

/** Makes two copies in a folder, and a third that is not authentic. */
async function createCopies() {
  const dir = createTempFolder();
  const rt = createTestRuntime({ backupDir: dir });
  addBusiness(rt);
  const copies: string[] = [];
  for (let day = 0; day < 2; day++) {
    rt.advance(DAY_MS);
    const backup = await createBackup(rt);
    await copyBackup(rt, backup);
    copies.push(join(dir, backup.path.slice(-"deskbell-20261120T120000Z.db".length)));
  }
  const [older = "", newer = ""] = copies;
  const forged = join(dir, "deskbell-20261201T120000Z.db");
  copyFileSync(newer, forged);
  stripTag(forged);
  return { rt, dir, older, newer, forged };
}

test("a takeover skips a newer copy that is not authentic, and an older one that was renamed to look newer", async () => {
  const { rt, dir, older, newer, forged } = await createCopies();
  const renamed = join(dir, "deskbell-20261130T120000Z.db");
  copyFileSync(older, renamed);
  expect(await findNewestCopy(rt.config, dir)).toMatchObject({
    copy: { path: newer },
    skipped: [expect.stringContaining(`${forged} has no authentication tag`)],
  });
});

test("a takeover without an authentic copy is refused, and its fix restores the newest copy as untrusted", async () => {
  const { rt, dir, older, newer, forged } = await createCopies();
  for (const path of [older, newer]) rmSync(path);
  await expect(findNewestCopy(rt.config, dir)).rejects.toMatchObject({
    code: "state_refuses",
    fix: expect.stringContaining(`deskbell restore --latest ${dir} --fenced --untrusted`),
  });
  const standby = createStandbyConfig(rt.config, { backupDir: dir });
  const { copy } = await findNewestCopy(standby, dir, { untrusted: true });
  expect(copy.path).toBe(forged);
  await expect(takeOver(standby, dir, copy, options)).rejects.toThrow("no authentication tag");
  await takeOver(standby, dir, copy, { ...options, untrusted: true });
  expect(open(standby).store.businesses.list()).toHaveLength(1);
});

test("an untrusted takeover restores the newest copy, also if it was altered and older ones have no tag", async () => {
  const { rt, dir, older, newer, forged } = await createCopies();
  rmSync(forged);
  stripTag(older);
  addKey(newer, "biz_salon-aurora");
  const { copy } = await findNewestCopy(rt.config, dir, { untrusted: true });
  expect(copy.path).toBe(newer);
  await expect(findNewestCopy(rt.config, dir)).rejects.toThrow(
    `${newer} was changed after it was made`,
  );
});

test("a text after the database that only looks like a tag authenticates nothing", async () => {
  const { rt, path } = await createServer();
  stripTag(path);
  const offset = String(statSync(path).size).padStart(16, "0");
  for (const head of ["", "deskbell-backup 1\n", "deskbell-backup 1\n{}\n"]) {
    stripTag(path);
    appendFileSync(path, `${head}deskbell-tag ${offset} ${"0".repeat(64)}\n`);
    expect(await kindOf(rt.config, path)).toBe("altered");
  }
});

test("a rotation of the master key authenticates the backups in reach with the new key, and names the other backups", async () => {
  const { rt, dir, older, newer, forged } = await createCopies();
  const away = createTestRuntime({ dataDir: rt.config.dataDir, backupCommand: "true" });
  const state = join(rt.config.backupFolder, "last-copy.json");
  writeFileSync(
    state,
    readFileSync(state, "utf8").replace('"hasCommand":false', '"hasCommand":true'),
  );
  expect(rotate(away)).toEqual({
    retagged: 4,
    rest: ["the copies that --backup-command has uploaded"],
    unsigned: [],
  });
  expect(readFileSync(rt.config.masterKeyPath, "utf8").trim().split("\n")).toHaveLength(1);
  for (const path of [older, newer]) {
    expect(await kindOf(rt.config, path)).toBe("authentic");
    await verifyBackup(path);
  }
  expect(await kindOf(rt.config, forged)).toBe("none");
  rmSync(dir, { recursive: true });
  expect(rotate(away)).toMatchObject({
    retagged: 2,
    rest: [expect.any(String), expect.stringContaining(`${dir} (there is no such folder`)],
  });
});

test("a rotation that cannot sign a copy of the list of erased guests again names its folder, and no backup as unauthentic", async () => {
  const { rt, dir } = await createCopies();
  rmSync(join(dir, ERASURE_LIST));
  mkdirSync(join(dir, ERASURE_LIST));
  const { reports } = rotateMasterKey(rt);
  expect(Object.assign({}, ...reports.map(({ fields }) => fields))).toMatchObject({
    backups: { retagged: 4, rest: [], unsigned: [expect.stringContaining(`${dir} (`)] },
  });
  expect(reports.flatMap(({ notes }) => notes)).toEqual([
    "Authenticated 4 backups with the new key.",
    expect.stringMatching(
      /^The old key still signs the copies of the list of erased guests in these folders/,
    ),
  ]);
});

test.each([
  ["has taken over", "epoch-1", "taken over at 2026-11-20T12:00:00Z"],
  ["uses the folder", "server-id", "0123456789abcdef"],
])(
  "a rotation leaves the copies and the list of erased guests as they are if another server %s",
  async (_, name, text) => {
    const { rt, dir } = await createCopies();
    writeFileSync(join(dir, name), `${text}\n`);
    const read = () =>
      readdirSync(dir).map((file) => [file, readFileSync(join(dir, file)).toString("latin1")]);
    const before = read();
    const { retagged, rest } = rotate(rt);
    expect(read()).toEqual(before);
    expect({ retagged, rest }).toEqual({ retagged: 2, rest: [expect.stringContaining(dir)] });
  },
);

test("restore --split gives the data a new server ID before they are in place, so no crash leaves two equal IDs", async () => {
  const { rt, path } = await createServer();
  const standby = createStandbyConfig(rt.config);
  const split = { ...options, isSplit: true, acceptGap: async () => {} };
  const stopped = restoreBackup(standby, path, {
    ...split,
    beforeReplacing: () => {
      throw new Error("the process was killed");
    },
  });
  await expect(stopped).rejects.toThrow("killed");
  expect(existsSync(standby.databasePath)).toBe(false);
  await restoreBackup(standby, path, split);
  const id = readServerId(standby.databasePath);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(id).not.toBe(rt.store.file.getServerId());
});

test("a file that is replaced while a person is asked to confirm the restore is not restored", async () => {
  const { rt, business, path } = await createServer();
  rt.close();
  stripTag(path);
  const other = `${path}.other`;
  copyFileSync(path, other);
  addKey(other, business.id);
  const restoring = restoreBackup(rt.config, path, {
    ...options,
    untrusted: true,
    confirm: async () => copyFileSync(other, path),
  });
  await expect(restoring).rejects.toMatchObject({
    code: "state_refuses",
    message: `${path} was changed while it was read.`,
  });
});

test("a restore is refused while another one asks for a confirmation, and names it", async () => {
  const { rt, path } = await createServer();
  rt.close();
  const second = vi.fn(() => restoreBackup(rt.config, path, options));
  await expect(
    restoreBackup(rt.config, path, { ...options, confirm: async () => void (await second()) }),
  ).rejects.toMatchObject({
    code: "state_refuses",
    message: `A daemon or another restore is running on ${rt.config.dataDir}.`,
    fix: "stop the daemon, or wait until the other restore has ended",
  });
  expect(second).toHaveBeenCalledOnce();
});

test("a rotation of the master key keeps the tag of a damaged backup, and names it", async () => {
  const { rt, path } = await createServer();
  const bytes = readFileSync(path);
  bytes[5000]! ^= 1;
  writeFileSync(path, bytes);
  const { rest } = rotate(rt);
  expect(rest).toEqual([`${path} (damaged: its content is not what its tag says)`]);
});

test("a restore over a database is possible while a process still reads an earlier database that was deleted", async () => {
  const { rt, path } = await createServer();
  const { databasePath } = rt.config;
  for (const end of ["", "-wal", "-shm"]) rmSync(`${databasePath}${end}`, { force: true });
  await expect(restoreBackup(rt.config, path, options)).rejects.toThrow(
    `${databasePath} was deleted while process ${process.pid} uses it`,
  );
  copyFileSync(path, databasePath);
  expect(await restoreBackup(rt.config, path, options)).toMatchObject({ replaces: true });
});
