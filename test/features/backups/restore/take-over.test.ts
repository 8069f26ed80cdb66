import type * as nodeFs from "node:fs";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { hashFile } from "../../../../src/features/backups/checksums.ts";
import { copyBackup } from "../../../../src/features/backups/copies/copies.ts";
import { checkBackupDir } from "../../../../src/features/backups/copies/backup-dir.ts";
import { readHandover, saveHandover } from "../../../../src/features/backups/handover/state.ts";
import { findTakeover } from "../../../../src/features/backups/handover/write-guard.ts";
import { readBackupState } from "../../../../src/features/backups/state.ts";
import { createBackup } from "../../../../src/features/backups/backups.ts";
import { readOwnEpoch, saveOwnEpoch } from "../../../../src/features/backups/own-epoch.ts";
import { recordCounters } from "../../../../src/features/backups/restore/recorded-counters.ts";
import { restoreBackup } from "../../../../src/features/backups/restore/restore.ts";
import { findNewestCopy, takeOver } from "../../../../src/features/backups/restore/take-over.ts";
import { saveCustomer } from "../../../../src/app/bookings/guests.ts";
import { startDaemon } from "../../../../src/cli/running/daemon.ts";
import type { Config } from "../../../../src/config.ts";
import { ERASURE_LIST } from "../../../../src/features/backups/erasure-list.ts";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { addBusiness, emitEvents } from "../../../support/delivery.ts";
import {
  createStandbyConfig,
  createTestRuntime,
  type TestRuntime,
} from "../../../support/test-runtime.ts";

vi.mock("../../../../src/features/backups/checksums.ts", { spy: true });
vi.mock("../../../../src/features/backups/restore/recorded-counters.ts", { spy: true });

const disk = vi.hoisted(() => ({ unreadable: "" }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  const statSync = (path: string, options?: nodeFs.StatSyncOptions) => {
    if (path === disk.unreadable)
      throw Object.assign(new Error("EIO: i/o error, stat"), { code: "EIO" });
    return fs.statSync(path, options);
  };
  return { ...fs, statSync };
});

afterEach(() => void (disk.unreadable = ""));

const MINUTE_MS = 60_000;
const LISTEN = { host: "127.0.0.1", port: 0 };

/** Creates a server that has copied two backups to a folder. */
async function createPrimary() {
  const dir = createTempFolder();
  const rt = createTestRuntime({ backupDir: dir });
  const makeCopy = async () => {
    rt.advance(MINUTE_MS);
    const backup = await createBackup(rt);
    await copyBackup(rt, backup);
    return join(dir, basename(backup.path));
  };
  addBusiness(rt, "salon-aurora");
  const older = await makeCopy();
  addBusiness(rt, "cafe-lumen");
  return { rt, dir, older, newer: await makeCopy(), makeCopy };
}

const createStandby = (rt: TestRuntime, dir: string) =>
  createStandbyConfig(rt.config, { backupDir: dir });

async function takeOverNewest(rt: TestRuntime, dir: string) {
  const config = createStandby(rt, dir);
  const { copy, skipped } = await findNewestCopy(config, dir);
  const options = { now: copy.createdAt + MINUTE_MS, confirm: async () => {} };
  return { config, skipped, ...(await takeOver(config, dir, copy, options)) };
}

test("a takeover restores the newest copy, and the replaced server can neither start nor copy", async () => {
  const { rt, dir, makeCopy } = await createPrimary();
  const { config, epoch, previousData, skipped } = await takeOverNewest(rt, dir);
  expect({ epoch, previousData, skipped }).toEqual({ epoch: 1, previousData: null, skipped: [] });
  const restored = createTestRuntime({ dataDir: config.dataDir });
  expect(restored.store.businesses.listSlugs()).toEqual(["cafe-lumen", "salon-aurora"]);
  const refusal =
    /^Another server has taken over \(taken over at \S+Z by \S+ on \S+; \S+\/epoch-1\)/;
  await expect(startDaemon(rt.config, LISTEN)).rejects.toThrow(refusal);
  // The first server still runs: the person who confirmed that it is stopped was wrong.
  await makeCopy();
  expect(readBackupState(rt.config, "copy-failure")?.reason).toMatch(refusal);
  expect(await takeOverNewest(rt, dir)).toMatchObject({ epoch: 2 });
  await expect(startDaemon(config, LISTEN)).rejects.toThrow(/epoch-2/);
});

test("a replaced server whose --backup-command has always failed starts neither with its --backup-dir nor without it", async () => {
  const dir = createTempFolder();
  const rt = createTestRuntime({ backupDir: dir, backupCommand: "exit 3" });
  addBusiness(rt, "salon-aurora");
  expect(await copyBackup(rt, await createBackup(rt))).toBe(false);
  await takeOverNewest(rt, dir);
  const refusal = /^Another server has taken over/;
  await expect(startDaemon(rt.config, LISTEN)).rejects.toThrow(refusal);
  const backups = { ...rt.config.backups, dir: null };
  await expect(startDaemon({ ...rt.config, backups }, LISTEN)).rejects.toThrow(refusal);
  expect(findTakeover(rt.config)).toBe(dir);
});

test("a takeover stops a server whose epoch comes from an earlier backup folder", async () => {
  const { rt, dir, makeCopy } = await createPrimary();
  saveOwnEpoch(rt.config, 1);
  await makeCopy();
  expect(await takeOverNewest(rt, dir)).toMatchObject({ epoch: 2 });
  await expect(startDaemon(rt.config, LISTEN)).rejects.toThrow(/^Another server has taken over/);
});

test("a takeover with a copy that no key authenticates stops a server whose epoch comes from another folder", async () => {
  const { rt, dir } = await createPrimary();
  saveOwnEpoch(rt.config, 1);
  checkBackupDir(rt);
  const config = createStandbyConfig({ masterKeyPath: join(dir, "no-key") }, { backupDir: dir });
  const { copy } = await findNewestCopy(config, dir, { untrusted: true });
  const options = { now: rt.now(), confirm: async () => {}, acceptGap: async () => {} };
  const taken = await takeOver(config, dir, copy, { ...options, untrusted: true });
  expect(taken).toMatchObject({ epoch: 2, isAuthentic: false });
  await expect(startDaemon(rt.config, LISTEN)).rejects.toThrow(/^Another server has taken over/);
});

test("a server that takes over again gets a higher epoch than it had", async () => {
  const { rt, dir } = await createPrimary();
  const config = createStandby(rt, dir);
  saveOwnEpoch(config, 7);
  const { copy } = await findNewestCopy(config, dir);
  const taken = await takeOver(config, dir, copy, { now: rt.now(), confirm: async () => {} });
  expect([taken.epoch, readOwnEpoch(config)]).toEqual([8, 8]);
});

test("the preview of a takeover warns of erased guests who would come back, even on a server that took over before", async () => {
  const { rt, dir, makeCopy } = await createPrimary();
  const { id } = rt.store.businesses.findBySlug("salon-aurora")!;
  const guest = { name: "Ana", email: null, phone: null, notes: null };
  rt.tx(() => saveCustomer(rt, id, "bkg_1", guest));
  await makeCopy();
  const { config } = await takeOverNewest(rt, dir);
  rmSync(join(dir, ERASURE_LIST));
  const standby = createTerminal({ dataDir: config.dataDir });
  const restore = `restore --latest ${dir} --fenced`;
  const refused = await standby.deskbell(`${restore} --yes`);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("would come back") });
  const preview = await standby.deskbell(`${restore} --dry-run --json`);
  expect(JSON.parse(preview.stdout)).toMatchObject({
    data: {
      createdAt: expect.any(String),
      isComplete: false,
      skipped: [],
      erasureGap: { since: expect.any(String) },
    },
  });
  expect(preview.stderr).toContain("come back");
  expect(preview.stderr).toContain("it needs --accept-erasure-gap");
  const accepted = await standby.deskbell(`${restore} --accept-erasure-gap --dry-run`);
  expect(accepted.stderr).not.toContain("--accept-erasure-gap");
});

/** Starts a server, lets it write events, and returns its first and last sequence numbers. */
function serveFor({ dataDir }: Config, dir: string): { first: number; last: number } {
  const rt = createTestRuntime({ dataDir, backupDir: dir });
  checkBackupDir(rt);
  const business = () => rt.store.businesses.findBySlug("salon-aurora")!;
  const first = business().lastSequence;
  emitEvents(rt, business(), ...Array.from({ length: 5 }, () => "service.updated" as const));
  const last = business().lastSequence;
  rt.close();
  return { first, last };
}

type Step = "takeover" | "restore" | "restore again" | "forget counters";

test.for<{ steps: Step[] }>([
  { steps: ["restore", "restore", "takeover", "takeover", "restore again", "takeover"] },
  { steps: ["takeover", "forget counters", "takeover", "forget counters", "takeover"] },
])(
  "servers restored from the same copy never use the same sequence numbers: $steps",
  async ({ steps }) => {
    const { rt, dir, newer } = await createPrimary();
    const served = [serveFor(rt.config, dir)];
    let config = rt.config;
    for (const step of steps) {
      const options = { now: rt.now(), confirm: async () => {} };
      if (step === "forget counters") {
        // A takeover by a version that does not record counters leaves no such file.
        rmSync(join(dir, "counters.json"));
        continue;
      }
      if (step === "takeover") ({ config } = await takeOverNewest(rt, dir));
      else {
        if (step === "restore") config = createStandby(rt, dir);
        rt.advance(MINUTE_MS);
        await restoreBackup(config, newer, options);
      }
      served.push(serveFor(config, dir));
    }
    for (const [i, { first }] of served.entries())
      expect(first).toBeGreaterThan(served[i - 1]?.last ?? -1);
  },
);

test.for([
  "null",
  "{}",
  '{"epoch":999999999,"counters":[]}',
  '{"epoch":1,"counters":[{"id":"biz_1"}]}',
  '{"epoch":1,"counters":[{"id":"biz_1","catalogVersion":9007199254740000,"lastSequence":1}]}',
  "\0\0",
])("damaged recorded counters are reported, and do not count as missing: %j", async (text) => {
  const { rt, dir, makeCopy } = await createPrimary();
  writeFileSync(join(dir, "counters.json"), text);
  await expect(takeOverNewest(rt, dir)).rejects.toThrow(`${join(dir, "counters.json")} is damaged`);
  await makeCopy();
  expect(readBackupState(rt.config, "copy-failure")?.reason).toContain("counters.json is damaged");
  renameSync(join(dir, "counters.json"), join(dir, "counters.json.damaged"));
  expect(await takeOverNewest(rt, dir)).toMatchObject({ epoch: 1 });
});

test("a takeover is possible if the file with the ID of the server is empty", async () => {
  const { rt, dir } = await createPrimary();
  truncateSync(join(dir, "server-id"));
  expect(await takeOverNewest(rt, dir)).toMatchObject({ epoch: 1, skipped: [] });
});

test("a takeover fails if the counters recorded in the folder of copies cannot be read", async () => {
  const { rt, dir } = await createPrimary();
  rmSync(join(dir, "counters.json"), { force: true });
  mkdirSync(join(dir, "counters.json"));
  await expect(takeOverNewest(rt, dir)).rejects.toThrow(
    `Cannot read ${join(dir, "counters.json")}`,
  );
});

test("the newest copy is one made after the last takeover, even if the clock of the replaced server was ahead", async () => {
  const { rt, dir } = await createPrimary();
  const { config } = await takeOverNewest(rt, dir);
  const standby = createTestRuntime({ dataDir: config.dataDir, backupDir: dir });
  expect(standby.now()).toBeLessThan(rt.now() - MINUTE_MS);
  const backup = await createBackup(standby);
  await copyBackup(standby, backup);
  const { copy } = await findNewestCopy(createStandby(rt, dir), dir);
  expect(copy.path).toBe(join(dir, basename(backup.path)));
});

test("the newest copy is the one with the latest changes, even if an earlier copy has a later time", async () => {
  const { rt, dir } = await createPrimary();
  rt.shiftClock(-30 * MINUTE_MS);
  addBusiness(rt, "bar-nox");
  const backup = await createBackup(rt);
  await copyBackup(rt, backup);
  const { copy } = await findNewestCopy(createStandby(rt, dir), dir);
  expect(copy.path).toBe(join(dir, basename(backup.path)));
});

test("a takeover skips a newer copy of another server with the same master key and reports it", async () => {
  const { rt, dir, newer } = await createPrimary();
  rt.advance(MINUTE_MS);
  rt.store.file.renewServerId();
  const { path } = await createBackup(rt);
  const foreign = join(dir, basename(path));
  copyFileSync(path, foreign);
  expect(await findNewestCopy(rt.config, dir)).toMatchObject({
    copy: { path: newer },
    skipped: [`${foreign} is a copy of another server.`],
  });
});

test("a takeover does not report a copy without a tag that has the same time as the newest copy", async () => {
  const { rt, dir, newer } = await createPrimary();
  const renamed = join(dir, "deskbell-20200101T000000Z.db");
  renameSync(newer, renamed);
  writeFileSync(newer, readFileSync(renamed).subarray(0, 4096));
  expect(await findNewestCopy(rt.config, dir)).toMatchObject({
    copy: { path: renamed },
    skipped: [],
  });
});

test("a takeover skips a damaged copy and reports it", async () => {
  const { rt, dir, older, newer } = await createPrimary();
  writeFileSync(newer, readFileSync(newer).fill(1, 4096));
  const found = await findNewestCopy(rt.config, dir);
  expect(found).toMatchObject({ copy: { path: older }, skipped: [expect.stringContaining(newer)] });
  truncateSync(older, statSync(older).size - 1);
  await expect(findNewestCopy(rt.config, dir)).rejects.toThrow(
    `No copy in ${dir} is authentic: ${newer} has no authentication tag`,
  );
  await expect(findNewestCopy(rt.config, dir, { untrusted: true })).rejects.toThrow(
    `There is no intact copy of a backup in ${dir}`,
  );
  await expect(findNewestCopy(rt.config, createTempFolder())).rejects.toThrow(
    "There is no copy of a backup",
  );
});

test.runIf(process.platform === "linux")(
  "a takeover skips a copy on a bad sector and reports it",
  async () => {
    const { rt, dir, older, newer } = await createPrimary();
    // The mock stands for a bad sector that only the checksum finds, because the checksum also
    // covers pages that SQLite does not read.
    const error = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
    vi.mocked(hashFile).mockRejectedValueOnce(error);
    expect(await findNewestCopy(rt.config, dir)).toMatchObject({
      copy: { path: older },
      skipped: [`Cannot read ${newer}: i/o error, read.`],
    });
    disk.unreadable = newer;
    expect(await findNewestCopy(rt.config, dir)).toMatchObject({
      copy: { path: older },
      skipped: [`Cannot read ${newer}: i/o error, stat.`],
    });
    disk.unreadable = "";
    // A read of this file fails with EIO.
    rmSync(newer);
    symlinkSync("/proc/self/mem", newer);
    expect(await findNewestCopy(rt.config, dir)).toMatchObject({
      copy: { path: older },
      skipped: [expect.stringContaining(newer)],
    });
  },
);

test("a folder of copies that is not mounted is not reported as an empty one", async () => {
  const rt = createTestRuntime();
  const dir = join(createTempFolder(), "nas");
  await expect(findNewestCopy(rt.config, dir)).rejects.toMatchObject({
    message: `There is no folder ${dir}.`,
    fix: expect.stringContaining("mount its disk"),
  });
});

test("a takeover that cannot replace the data creates no epoch", async () => {
  const { rt, dir } = await createPrimary();
  const config = createStandby(rt, dir);
  const standby = await startDaemon(
    { ...config, backups: { ...config.backups, dir: null } },
    LISTEN,
  );
  const { copy } = await findNewestCopy(rt.config, dir);
  const options = { now: 0, confirm: async () => {} };
  await expect(takeOver(config, dir, copy, options)).rejects.toThrow(
    "A daemon or another restore is running",
  );
  await standby.stop();
  const refuse = () => Promise.reject(new Error("no"));
  await expect(takeOver(config, dir, copy, { now: 0, confirm: refuse })).rejects.toThrow("no");
  expect(readdirSync(dir).filter((name) => name.startsWith("epoch"))).toEqual([]);
});

test("a takeover that fails because another program has the database open can be tried again", async () => {
  const { rt, dir } = await createPrimary();
  const config = createStandby(rt, dir);
  createTestRuntime({ dataDir: config.dataDir }).close();
  saveHandover(config, { state: "done", to: dir, at: 1, copy: "deskbell-20261120T120000Z.db" });
  const liveView = new Database(config.databasePath, { readonly: true });
  onTestFinished(() => void liveView.close());
  // An open read keeps SQLite from merging the log into the database.
  const rows = liveView.prepare("SELECT * FROM server").iterate();
  rows.next();
  const { copy } = await findNewestCopy(config, dir);
  const options = { now: rt.now(), confirm: async () => {} };
  await expect(takeOver(config, dir, copy, options)).rejects.toThrow("Another program has");
  expect(readdirSync(dir).filter((name) => name.startsWith("epoch"))).toEqual([]);
  expect(readHandover(config)).toMatchObject({ state: "done" });
  rows.return?.();
  liveView.close();
  expect(await takeOver(config, dir, copy, options)).toMatchObject({ epoch: 1 });
});

test("a takeover that cannot be recorded in the folder of the copies leaves no epoch there", async () => {
  const { rt, dir } = await createPrimary();
  const config = createStandby(rt, dir);
  saveOwnEpoch(config, 7);
  const { copy } = await findNewestCopy(config, dir);
  vi.mocked(recordCounters).mockImplementationOnce(() => {
    throw new Error("no space left on device");
  });
  const options = { now: rt.now(), confirm: async () => {} };
  await expect(takeOver(config, dir, copy, options)).rejects.toThrow("no space left");
  expect(readdirSync(dir).filter((name) => name.startsWith("epoch"))).toEqual([]);
});

test("serve does not start if it cannot read its --backup-dir, where another server may have taken over", async () => {
  const rt = createTestRuntime();
  const dir = join(createTempFolder(), "nas");
  await expect(startDaemon(createStandby(rt, dir), LISTEN)).rejects.toThrow(
    `--backup-dir: there is no folder ${dir}.`,
  );
  mkdirSync(join(dir, "epoch-1"), { recursive: true });
  await expect(startDaemon(createStandby(rt, dir), LISTEN)).rejects.toThrow(
    `Cannot read ${dir}/epoch-1: illegal operation on a directory`,
  );
});
