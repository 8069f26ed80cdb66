import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ensureMasterKey } from "../../../../src/app/master-key.ts";
import { createKey } from "../../../../src/app/keys.ts";
import { getBusiness } from "../../../../src/app/businesses.ts";
import {
  type Handover,
  readHandover,
  saveHandover,
} from "../../../../src/features/backups/handover/state.ts";
import { readOwnEpoch, saveOwnEpoch } from "../../../../src/features/backups/own-epoch.ts";
import { assertNotTakenOver } from "../../../../src/features/backups/restore/epochs.ts";
import {
  findLastCopy,
  findNewestCopy,
  takeOver,
} from "../../../../src/features/backups/restore/take-over.ts";
import { acquireDaemonLock, isDaemonRunning } from "../../../../src/store/database/database.ts";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../../../support/daemon.ts";
import { openBookingShop, SHOP_PATH } from "../../../http/support/bookings.ts";
import { createStandbyConfig, createTestRuntime } from "../../../support/test-runtime.ts";

vi.mock("../../../../src/store/database/database.ts", { spy: true });

/** Creates a server with a business, the folder of its copies, and another machine with its key. */
function createMachines() {
  const to = createTempFolder();
  const rt = createTestRuntime({}, Date.now());
  openBookingShop(rt);
  ensureMasterKey(rt);
  const business = getBusiness(rt, "shop");
  const owner = { businessId: business.id, name: "site", kind: "SECRET" } as const;
  const { secret } = createKey(rt, { ...owner, scopes: ["services.read", "webhooks.read"] });
  const first = createTerminal({ dataDir: rt.config.dataDir });
  const second = createTerminal({ dataDir: createTempFolder() });
  copyFileSync(rt.config.masterKeyPath, join(second.dataDir, "master.key"));
  return { to, rt, secret, first, second };
}

test("a handover stops the server with exit code 0, and its cursors stay valid on the other server", async () => {
  const { to, rt, secret, first, second } = createMachines();
  const daemon = spawnDaemon(first.dataDir);
  const read = async (url: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${url}${SHOP_PATH}/changes?after=latest`, { headers });
    const { page } = (await response.json()) as { page: { nextCursor: string } };
    return page.nextCursor;
  };
  const cursor = await read(await waitForUrl(daemon));

  const handedOver = await first.deskbell(`handover --to ${to} --json`);
  expect(handedOver).toMatchObject({ code: 0, stdout: expect.stringContaining('"copy"') });
  expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  expect(daemon.output()).toContain('"handed over"');
  const restored = await second.deskbell(`restore --latest ${to} --json`);
  expect(JSON.parse(restored.stdout)).toMatchObject({ data: { epoch: 1, isComplete: true } });
  expect(restored.stderr).toContain("nothing is lost");
  const other = spawnDaemon(second.dataDir, "--backup-dir", to);
  expect(await read(await waitForUrl(other))).toBe(cursor);

  // Neither the daemon nor a command may use the old data.
  const old = await spawnDaemon(first.dataDir).waitForExit();
  expect([old.code, old.stderr]).toEqual([5, expect.stringContaining("were handed over")]);
  const refused = await first.deskbell("closures create --from 2027-01-01 --to 2027-01-01");
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("were handed over") });
  expect(() => rt.tx(() => {})).toThrow("were handed over");
  expect(await first.deskbell("services list")).toMatchObject({ code: 0 });
  const status = await first.deskbell("status");
  expect(status.stdout).toMatch(/^problem\tanother server continues with these data, which/m);
  expect(status.stdout).not.toContain("the daemon is not running");
  expect(await first.deskbell("handover --cancel")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("Another server has taken over"),
  });
});

test("a handover that was cancelled leaves a copy whose restore needs --fenced", async () => {
  const { to, first, second } = createMachines();
  expect(await first.deskbell(`handover --to ${to}`)).toMatchObject({ code: 0 });
  expect(await first.deskbell("handover --cancel")).toMatchObject({ code: 0 });
  expect(
    await first.deskbell("closures create --from 2027-01-01 --to 2027-01-01 --business shop"),
  ).toMatchObject({ code: 0 });
  expect(await second.deskbell(`restore --latest ${to}`)).toMatchObject({ code: 2 });
  const restored = await second.deskbell(`restore --latest ${to} --fenced --json`);
  expect(JSON.parse(restored.stdout)).toMatchObject({ data: { isComplete: false } });
});

test("a handover to a folder without epochs needs no --fenced, and cannot be cancelled after the restore", async () => {
  const { to, rt, first, second } = createMachines();
  saveOwnEpoch(rt.config, 1);
  expect(await first.deskbell(`handover --to ${to}`)).toMatchObject({ code: 0 });
  const restored = await second.deskbell(`restore --latest ${to} --json`);
  expect(restored).toMatchObject({ code: 0 });
  expect(JSON.parse(restored.stdout)).toMatchObject({ data: { epoch: 2, isComplete: true } });
  expect(await first.deskbell("handover --cancel")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("Another server has taken over"),
  });
});

/** Prepares a machine for the restore of a last copy. Returns a function that restores it. */
async function prepareRestore(to: string, masterKeyPath: string, epoch: number) {
  const config = createStandbyConfig({ masterKeyPath });
  saveOwnEpoch(config, epoch);
  const { copy } = await findNewestCopy(config, to);
  const last = findLastCopy(config, to, copy);
  expect(last).toBeDefined();
  const options = { now: Date.now(), confirm: async () => {}, last };
  return () => takeOver(config, to, copy, options);
}

test.each([
  { first: 0, second: 0 },
  { first: 5, second: 0 },
  { first: 0, second: 5 },
])(
  "two machines cannot both restore a last copy, whatever epochs they have: $first and $second",
  async ({ first, second }) => {
    const machines = createMachines();
    const { to, rt } = machines;
    saveOwnEpoch(rt.config, 1);
    expect(await machines.first.deskbell(`handover --to ${to}`)).toMatchObject({ code: 0 });
    const { masterKeyPath } = rt.config;
    const restores = [
      await prepareRestore(to, masterKeyPath, first),
      await prepareRestore(to, masterKeyPath, second),
    ] as const;
    expect(await restores[0]()).toMatchObject({ epoch: Math.max(1, first) + 1 });
    await expect(restores[1]()).rejects.toThrow("Another server takes over at the same time");
    expect(await machines.second.deskbell(`restore --latest ${to}`)).toMatchObject({ code: 2 });
  },
);

test("a restore is refused if the handover is cancelled after the restore has found the last copy", async () => {
  const { to, rt, first } = createMachines();
  saveOwnEpoch(rt.config, 2);
  expect(await first.deskbell(`handover --to ${to}`)).toMatchObject({ code: 0 });
  const restore = await prepareRestore(to, rt.config.masterKeyPath, 0);
  expect(await first.deskbell("handover --cancel")).toMatchObject({ code: 0 });
  await expect(restore()).rejects.toThrow("Another server takes over at the same time");
});

test("a server that has cancelled a handover to a new folder can go on with its earlier backup folder", async () => {
  const { to, rt, first } = createMachines();
  const before = createTempFolder();
  writeFileSync(join(before, "epoch-2"), "taken over at 2026-11-20T12:00:00Z by /data on here\n");
  saveOwnEpoch(rt.config, 2);
  expect(await first.deskbell(`handover --to ${to}`)).toMatchObject({ code: 0 });
  expect(await first.deskbell("handover --cancel")).toMatchObject({ code: 0 });
  expect(readOwnEpoch(rt.config)).toBe(3);
  assertNotTakenOver(rt.config, before);
});

test("a handover to a folder that is missing changes nothing", async () => {
  const { to, rt, first } = createMachines();
  const missing = await first.deskbell(`handover --to ${join(to, "missing")}`);
  expect(missing).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("--to: there is no folder"),
  });
  expect(readHandover(rt.config)).toBeUndefined();
  rt.tx(() => {});
  const daemon = spawnDaemon(first.dataDir);
  await waitForUrl(daemon);
  expect(await first.deskbell(`handover --to ${join(to, "missing")}`)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("there is no folder"),
  });
  mkdirSync(join(to, "later"));
  const { code, stderr } = await first.deskbell(`handover --to ${join(to, "later")}`);
  expect(code, stderr).toBe(0);
});

test("a daemon that starts after an interrupted handover accepts writes again, and records its own takeover", async () => {
  const { to, rt, first } = createMachines();
  saveHandover(rt.config, { state: "begun", to, at: 1 });
  expect(() => rt.tx(() => {})).toThrow("are being handed over");
  const daemon = spawnDaemon(first.dataDir);
  await waitForUrl(daemon);
  expect(daemon.output()).toContain("A handover was interrupted");
  expect(existsSync(join(to, "epoch-1"))).toBe(true);
  expect(readHandover(rt.config)).toBeUndefined();
  rt.tx(() => {});
});

test("a command of a server writes nothing once another server has taken over with a copy of its data", async () => {
  const { to, rt, first } = createMachines();
  const backups = createTerminal({ dataDir: first.dataDir });
  process.env["DESKBELL_BACKUP_DIR"] = to;
  const made = await backups.deskbell("backup create");
  delete process.env["DESKBELL_BACKUP_DIR"];
  expect(made).toMatchObject({ code: 0 });
  writeFileSync(join(to, "epoch-1"), "taken over at 2026-11-20T12:00:00Z by /data on other\n");
  const change = "closures create --from 2027-01-01 --to 2027-01-01 --business shop";
  const refused = await first.deskbell(change);
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("Another server has taken over"),
  });
  rmSync(join(to, "epoch-1"));
  expect(await first.deskbell(change)).toMatchObject({ code: 0 });
  expect(readFileSync(join(to, "server-id"), "utf8").trim()).toBe(rt.store.file.getServerId());
});

test("handover refuses a second request, --cancel without a handover, and contradictory flags", async () => {
  const { to, rt, first } = createMachines();
  for (const wrong of ["handover", `handover --to ${to} --cancel`])
    expect((await first.deskbell(wrong)).code).toBe(2);
  expect(await first.deskbell("handover --cancel")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("were not handed over"),
  });
  expect(await first.deskbell(`handover --to ${to}`)).toMatchObject({ code: 0 });
  expect(await first.deskbell(`handover --to ${to}`)).toMatchObject({ code: 5 });
  const lock = acquireDaemonLock(rt.config.databasePath);
  expect(await first.deskbell("handover --cancel")).toMatchObject({ code: 5 });
  lock.release();
});

test.each([{ line: "handover --to COPIES" }, { line: "handover --cancel" }])(
  "$line creates the lock file for its owner only, whatever the umask is",
  async ({ line }) => {
    const { to, rt, first } = createMachines();
    const lock = `${rt.config.databasePath}.lock`;
    rmSync(lock, { force: true });
    const umask = process.umask(0o022);
    onTestFinished(() => void process.umask(umask));
    await first.deskbell(line.replace("COPIES", to));
    expect(statSync(lock).mode & 0o777).toBe(0o600);
  },
);

test("handover succeeds if the daemon hands over and stops while the command reads its state", async () => {
  const { to, rt, first } = createMachines();
  vi.mocked(isDaemonRunning)
    .mockImplementationOnce(() => true)
    .mockImplementationOnce(() => {
      saveHandover(rt.config, { state: "done", to, at: rt.now(), copy: "last.db" });
      return false;
    });
  const { code, stderr } = await first.deskbell(`handover --to ${to}`);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("Handed over with the copy last.db");
});

test("handover does not replace a handover that has begun since it looked", async () => {
  const { to, rt, first } = createMachines();
  const begun: Handover = { state: "begun", to: createTempFolder(), at: rt.now() };
  vi.mocked(isDaemonRunning).mockImplementationOnce(() => {
    saveHandover(rt.config, begun);
    return true;
  });
  const { code, stderr } = await first.deskbell(`handover --to ${to}`);
  expect([code, stderr]).toEqual([5, expect.stringContaining("are being handed over")]);
  expect(readHandover(rt.config)).toEqual(begun);
});

test("handover does not say that the server accepts changes if the daemon was told to stop", async () => {
  const { to, rt, first } = createMachines();
  vi.mocked(isDaemonRunning)
    .mockImplementationOnce(() => true)
    .mockImplementationOnce(() => {
      const reason = "The daemon was told to stop.";
      saveHandover(rt.config, { state: "failed", to, at: rt.now(), reason });
      return true;
    });
  const { code, stderr } = await first.deskbell(`handover --to ${to}`);
  expect([code, stderr]).toEqual([5, expect.stringContaining("The daemon was told to stop.")]);
  expect(stderr).toContain("run the command again; until then, changes are made on this server");
  expect(stderr).not.toContain("accepts");
});

test("a handover command that gives up keeps the request of another handover command", async () => {
  const { to, rt, first } = createMachines();
  const asked: Handover = { state: "asked", to: createTempFolder(), at: Date.now() };
  vi.mocked(isDaemonRunning)
    .mockImplementationOnce(() => true)
    .mockImplementationOnce(() => {
      saveHandover(rt.config, asked);
      return false;
    });
  const { code, stderr } = await first.deskbell(`handover --to ${to}`);
  expect([code, stderr]).toEqual([5, expect.stringContaining("did not begin")]);
  expect(readHandover(rt.config)).toEqual(asked);
});

test("a restore of an earlier backup after a handover says that the daemon refuses to start, and how to cancel the handover", async () => {
  const { to, rt, first } = createMachines();
  rt.close();
  await first.deskbell("backup");
  await first.deskbell(`handover --to ${to}`);
  const { code, stderr } = await first.deskbell("restore --newest --yes");
  expect(code).toBe(0);
  expect(stderr).not.toContain("When the daemon starts");
  expect(stderr).toMatch(
    /^The daemon still refuses to start: The data were handed over on .*\nfix: .*; if no server has restored the copy, \S+ handover --cancel$/m,
  );
  expect(await first.deskbell("handover --cancel")).toMatchObject({ code: 0 });
  expect((await first.deskbell("restore --newest --yes")).stderr).toContain(
    "When the daemon starts",
  );
});
