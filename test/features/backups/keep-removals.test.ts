import { appendFileSync, closeSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { hashApiKey, secretId } from "../../../src/domain/api-key.ts";
import { AppError } from "../../../src/domain/errors.ts";
import { ERASURE_LIST, readErasureList } from "../../../src/features/backups/erasure-list.ts";
import { keepRemovals } from "../../../src/features/backups/keep-removals.ts";
import { eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { revokeKey } from "../../../src/app/key-end.ts";
import { createKey } from "../../../src/app/keys.ts";
import { deleteMovedBusiness } from "../../../src/app/moved-businesses.ts";
import { copyBackup } from "../../../src/features/backups/copies/copies.ts";
import { drillBackup } from "../../../src/features/backups/upkeep/drill.ts";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { restoreBackup } from "../../../src/features/backups/restore/restore.ts";
import { startDaemon } from "../../../src/cli/running/daemon.ts";
import type { Config } from "../../../src/config.ts";
import { createTestApi, SALON as SALON_SLUG } from "../../http/support/api.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { addBusiness } from "../../support/delivery.ts";
import { SALON } from "../../support/samples.ts";
import { createStandbyConfig, createTestRuntime } from "../../support/test-runtime.ts";

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;
const LISTEN = { host: "127.0.0.1", port: 0 };

/** Creates a server with two businesses, one of which moves after the first backup was copied. */
async function createServer() {
  const dir = createTempFolder();
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data"), backupDir: dir });
  const stays = addBusiness(rt, "stays");
  const moves = addBusiness(rt, "moves");
  const copy = async () => {
    rt.advance(MINUTE_MS);
    const backup = await createBackup(rt);
    await copyBackup(rt, backup);
    return join(dir, basename(backup.path));
  };
  const older = await copy();
  rt.advance(MINUTE_MS);
  deleteMovedBusiness(rt, moves);
  return { rt, dir, stays, moves, older, copy, movedAt: rt.now() };
}

type Server = Awaited<ReturnType<typeof createServer>>;

const options = ({ rt }: Server) => ({ now: rt.now() + MINUTE_MS, confirm: async () => {} });

function listSlugs({ dataDir }: Config): string[] {
  const rt = createTestRuntime({ dataDir });
  const slugs = rt.store.businesses.listSlugs();
  rt.close();
  return slugs;
}

test("a restore of an older backup first names a moved business, and does not bring it back", async () => {
  const server = await createServer();
  const { rt, moves, movedAt, older } = server;
  rt.close();
  const { erasures } = await restoreBackup(rt.config, older, {
    ...options(server),
    async confirm(plan) {
      expect(plan.erasures.returning).toEqual([{ id: moves.id, slug: "moves", movedAt }]);
    },
  });
  expect(erasures.returning).toHaveLength(1);
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(restored.store.businesses.listSlugs()).toEqual(["stays"]);
  expect(restored.store.audit.list({}, 2)).toMatchObject([
    { action: "backup.restored", details: { movedBusinesses: ["moves"] } },
    { action: "business.deleted", subjectName: "moves" },
  ]);
});

test.each([
  { clock: "ahead when the backup was made", ahead: true },
  { clock: "behind when the business moved", ahead: false },
])("a restore does not bring back a moved business if the clock was $clock", async ({ ahead }) => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  addBusiness(rt, "stays");
  const moves = addBusiness(rt, "moves");
  if (ahead) rt.advance(YEAR_MS);
  const { path } = await createBackup(rt);
  rt.advance(-YEAR_MS);
  deleteMovedBusiness(rt, moves);
  rt.close();
  await restoreBackup(rt.config, path, { now: rt.now() + MINUTE_MS, confirm: async () => {} });
  expect(listSlugs(rt.config)).toEqual(["stays"]);
});

test("a restore can bring back a moved business on purpose, and a restore of a later backup keeps it", async () => {
  const server = await createServer();
  const { rt, older } = server;
  rt.close();
  await restoreBackup(rt.config, older, { ...options(server), keepMoved: true });
  expect(listSlugs(rt.config)).toEqual(["moves", "stays"]);
  const back = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now() + 2 * MINUTE_MS);
  const { path } = await createBackup(back);
  back.close();
  await restoreBackup(rt.config, path, { ...options(server), now: back.now() + MINUTE_MS });
  expect(listSlugs(rt.config)).toEqual(["moves", "stays"]);
});

test("a business that has moved from another server to this one is restored from this one's backups", async () => {
  const server = await createServer();
  const { rt, older } = server;
  const other = createStandbyConfig(rt.config);
  await restoreBackup(other, older, { ...options(server), keepMoved: true });
  const target = createTestRuntime({ dataDir: other.dataDir });
  target.store.file.renewServerId();
  const { path } = await createBackup(target);
  // The erasure list of the first server, which no longer has the business, is complete and signed.
  await server.copy();
  rt.close();
  await restoreBackup(rt.config, path, options(server));
  expect(listSlugs(rt.config)).toEqual(["moves", "stays"]);
});

test.for(["a newer list", "a newer backup"])(
  "a restore on another machine learns from %s in the folder of the copies which business has moved",
  async (source) => {
    const server = await createServer();
    const { rt, dir, older, copy } = server;
    await copy();
    if (source === "a newer backup") writeFileSync(join(dir, ERASURE_LIST), "");
    else
      for (const name of readdirSync(dir))
        if (name.startsWith("deskbell-") && !older.endsWith(name)) rmSync(join(dir, name));
    const standby = createStandbyConfig(rt.config);
    await restoreBackup(standby, older, options(server));
    expect(listSlugs(standby)).toEqual(["stays"]);
    // The standby's own list has the move now, so a second restore does not bring the business
    // back.
    await restoreBackup(standby, older, { ...options(server), now: rt.now() + 2 * MINUTE_MS });
    expect(listSlugs(standby)).toEqual(["stays"]);
  },
);

test("lines forged in the list of erased guests beside the copies delete no business from a server", async () => {
  const server = await createServer();
  const { rt, dir, stays, copy } = server;
  const newer = await copy();
  const forged = `\nstays 2099-01-01T00:00:00.000Z\n${stays.id} ${rt.store.file.getServerId()} 2099-01-01T00:00:00.000Z\n`;
  for (const name of readdirSync(dir).filter((name) => name.endsWith(".txt")))
    appendFileSync(join(dir, name), forged);
  rt.close();
  const daemon = await startDaemon(rt.config, LISTEN);
  await daemon.stop();
  expect(listSlugs(rt.config)).toEqual(["stays"]);
  await restoreBackup(rt.config, newer, options(server));
  expect(listSlugs(rt.config)).toEqual(["stays"]);
});

test("a drill of a backup from before a business moved succeeds", async () => {
  const { rt, older } = await createServer();
  expect(await drillBackup(rt, older)).toMatchObject({ error: null, businesses: 2 });
});

test("a dry run of a deletion does not record that the business has moved", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt, "stays");
  const { path } = await createBackup(rt);
  const end = rt.startDryRun();
  deleteMovedBusiness(rt, business);
  end();
  rt.close();
  await restoreBackup(rt.config, path, { now: rt.now() + MINUTE_MS, confirm: async () => {} });
  expect(listSlugs(rt.config)).toEqual(["stays"]);
});

test.each([
  {
    what: "an erasure",
    remove: (rt: Runtime) => eraseForGood(rt, ["bkg_1"]),
    line: "bkg_1",
    consequence: "a restore of a backup would erase the guest",
  },
  {
    what: "a move",
    remove: (rt: Runtime) => deleteMovedBusiness(rt, addBusiness(rt, "moves")),
    line: expect.stringMatching(/^biz_/),
    consequence: "a restore of a backup would delete the business",
  },
  {
    what: "a revocation",
    remove(rt: Runtime) {
      const { id } = addBusiness(rt, "shop");
      const { key } = createKey(rt, {
        businessId: id,
        kind: "RESTRICTED",
        name: "site",
        scopes: ["services.read"],
      });
      revokeKey(rt, key.id);
    },
    line: expect.stringMatching(/^revoked key_/),
    consequence: "a restore of a backup would end the access",
  },
])("the error of $what that the full disk stops says that the record of it remains", (one) => {
  const { remove, line, consequence } = one;
  const rt = createTestRuntime();
  const full = new Database.SqliteError("database or disk is full", "SQLITE_FULL");
  const commit: Runtime["tx"] = (work) =>
    rt.tx(() => {
      const result = work();
      if (readErasureList(rt.config).length > 0) throw full;
      return result;
    });
  const failing = { ...rt, tx: commit };
  expect(() => remove(failing)).toThrow(
    expect.objectContaining({
      code: "storage_full",
      message: expect.stringContaining(consequence),
    }),
  );
  expect(readErasureList(rt.config)).toEqual([line]);
});

test("businesses delete says that earlier backups still contain the business", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const { stderr } = await deskbell("businesses delete salon-aurora --yes");
  expect(stderr).toContain("Earlier backups still contain it: deskbell backup list\n");
  // The daemon deletes backups early only for a business that has moved to another server.
  expect(stderr).not.toContain("The daemon deletes");
});

test("a server without backups logs no warning about a copy of the list of erased guests", () => {
  const rt = createTestRuntime();
  keepRemovals.guestsErased?.(rt, ["bkg_1"]);
  keepRemovals.committed?.(rt);
  expect(readErasureList(rt.config)).toEqual(["bkg_1"]);
  expect(rt.logged).toEqual([]);
});

test("deleting a business names the backups that contain it, and for a moved business the day of their deletion", () => {
  const rt = createTestRuntime();
  const earlier = "Earlier backups still contain it: deskbell backup list";
  expect(keepRemovals.describeRemains?.(rt, false)).toEqual([earlier]);
  expect(keepRemovals.describeRemains?.(rt, true)).toEqual([
    earlier,
    expect.stringMatching(/^The daemon deletes those of this server on \d{4}-\d\d-\d\d, /),
  ]);
});

test("a secret that `keys rotate` ends at once is recorded for restores, unless the new secret cannot be shown", async () => {
  const { deskbell, dataDir } = createTerminal();
  const listed = () => readErasureList({ masterKeyPath: join(dataDir, "master.key") });
  await deskbell(`catalog apply ${SALON}`);
  const { stdout } = await deskbell("keys create --name site --scope services.read");
  const fd = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(fd));
  const rotate = "keys rotate site --overlap 0s";
  const toFullDisk = createTerminal({ dataDir, stdoutFd: fd });
  expect(await toFullDisk.deskbell(rotate)).toMatchObject({ code: 5 });
  await deskbell(`${rotate} --dry-run`);
  await deskbell("keys rotate site --overlap 1h");
  expect(listed()).toEqual([]);
  await deskbell(rotate);
  // Now two secrets end: the current one, and the old one that the rotation before had left valid.
  expect(listed()).toHaveLength(2);
  expect(listed()).toContain(`revoked ${secretId(hashApiKey(stdout.trim()))}`);
});

test("a secret with which a key has rotated itself is recorded for restores once the rotation is committed", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ name: "site", selfRotation: true });
  const rotate = () =>
    api.request(`/v1/businesses/${SALON_SLUG}/key/rotate`, {
      method: "POST",
      body: JSON.stringify({ overlapSeconds: 0 }),
      key: secret,
      headers: { "content-type": "application/json", "idempotency-key": "first" },
    });
  const { encrypt } = api.secrets;
  api.secrets.encrypt = () => {
    throw new AppError("signing_unavailable", "The reply cannot be stored.");
  };
  expect((await rotate()).status).toBe(503);
  expect(readErasureList(api.config)).toEqual([]);
  api.secrets.encrypt = encrypt;
  expect((await rotate()).status).toBe(200);
  expect(readErasureList(api.config)).toEqual([`revoked ${secretId(hashApiKey(secret))}`]);
});
