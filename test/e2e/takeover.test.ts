import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readGuide } from "../../src/platform/assets.ts";
import { saveCustomer } from "../../src/app/bookings/guests.ts";
import { copyBackup } from "../../src/features/backups/copies/copies.ts";
import { createBackup, listBackupsIn } from "../../src/features/backups/backups.ts";
import { findFreePort } from "../../src/cli/running/port.ts";
import { acquireDaemonLock } from "../../src/store/database/database.ts";
import { createTempFolder, createTerminal, runProgram } from "../support/cli.ts";
import { PROGRAM } from "../support/program.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { subscribe } from "../support/delivery.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { seedShop } from "../support/shop.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

// These tests run the commands of the guide on the machine that takes over.

/** Returns the command of the guide that begins with this text, with the folder of the copies. */
const fromGuide = (start: string, dir: string, servers = ""): string =>
  readGuide("more-than-one-machine")
    .split("\n")
    .find((line) => line.startsWith(`deskbell ${start}`))
    ?.slice("deskbell ".length)
    .replace("/mnt/nas/deskbell", dir)
    .replace("servers.txt", servers) ?? "";

/** Returns the commands of a block in a section of the guide, with the folder of the copies. */
const commandsOfSection = (title: string, dir: string, block = 0): string[] =>
  (
    [
      ...(readGuide("more-than-one-machine").split(`### ${title}`)[1] ?? "").matchAll(
        /```sh\n([^`]+)```/g,
      ),
    ][block]?.[1] ?? ""
  )
    .trim()
    .split("\n")
    .map((line) => line.replace(/^deskbell /, "").replace("/mnt/nas/deskbell", dir));

/** Creates a server whose backup was copied to a folder, and the terminal of another machine. */
async function createMachines() {
  const dir = createTempFolder();
  const primary = createTestRuntime({ backupDir: dir });
  seedShop(primary);
  const shop = getBusiness(primary, "shop");
  await subscribe(primary, shop, "http://10.0.0.1/");
  const guest = { name: "Ada", email: null, phone: null, notes: null };
  primary.tx(() => saveCustomer(primary, shop.id, "bkg_1", guest));
  await copyBackup(primary, await createBackup(primary));
  const servers = join(createTempFolder(), "servers.txt");
  writeFileSync(servers, "shop http://203.0.113.1:4100 http://203.0.113.2:4100\n");
  const standby = createTerminal({ dataDir: join(createTempFolder(), "data") });
  return { dir, primary, servers, ...standby };
}

test("doctor --standby reports what is missing for a takeover, and succeeds when all is in place", async () => {
  const { dir, primary, servers, dataDir, deskbell } = await createMachines();
  const doctor = fromGuide("doctor --standby", dir, servers);
  const missing = await deskbell(doctor);
  expect(missing.code).toBe(6);
  expect(missing.stdout).toMatch(/^backups\tok\tdeskbell-20261120T120000Z\.db, .* made at /m);
  expect(missing.stdout).toMatch(/^keys\twrong\tthere is no master key\tcopy master\.key /m);
  expect(missing.stdout).toMatch(/^certificate\tok\tnone: a proxy has the certificate\t$/m);
  expect(missing.stdout).toMatch(
    /^proxy\twrong\tno standby in \S+ has a free port of this machine/m,
  );

  mkdirSync(dataDir, { mode: 0o700 });
  const masterKey = join(dataDir, "master.key");
  writeFileSync(masterKey, `${Buffer.alloc(32).toString("base64")}\n`, { mode: 0o600 });
  expect((await deskbell(doctor)).stdout).toMatch(
    /^keys\twrong\tthe master key does not decrypt 1 of 1 signing secret and the data of 1 of 1 guest\t/m,
  );
  copyFileSync(primary.config.masterKeyPath, masterKey);
  writeFileSync(
    servers,
    `shop http://203.0.113.1:4100 http://127.0.0.1:${await findFreePort(0)}\n`,
  );
  const ready = await deskbell(doctor);
  expect(ready).toMatchObject({ code: 0, stdout: expect.stringContaining("standby of shop") });
  const lock = acquireDaemonLock(join(dataDir, "deskbell.db"));
  expect((await deskbell(doctor)).stdout).toMatch(/^daemon\twrong\ta daemon runs on the data in /m);
  lock.release();

  const empty = createTempFolder();
  const none = await deskbell(
    `doctor --standby ${empty} --tls-cert ${empty}/c --tls-key ${empty}/k`,
  );
  expect(none.code).toBe(6);
  expect(none.stdout).toMatch(/^backups\twrong\tThere is no copy of a backup in /m);
  expect(none.stdout).toMatch(/^certificate\twrong\t/m);
  expect(none.stdout).toMatch(/^proxy\tadvice\t/m);
});

test("restore --latest takes over only with --fenced, and the replaced server then refuses to start", async () => {
  const { dir, primary, dataDir, deskbell } = await createMachines();
  mkdirSync(dataDir, { mode: 0o700 });
  const restore = fromGuide("restore --latest", dir);
  // The server that made the copy cannot be known without the master key.
  const unknown = await deskbell(restore);
  expect(unknown).toMatchObject({ code: 5, stdout: "" });
  expect(unknown.stderr).toContain(`deskbell restore --latest ${dir} --fenced --untrusted`);
  copyFileSync(primary.config.masterKeyPath, join(dataDir, "master.key"));
  const refused = await deskbell(restore.replace(" --fenced", ""));
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("--latest needs --fenced, which confirms that the other server");
  expect(await deskbell(`${restore} --dry-run`)).toMatchObject({ code: 0 });
  expect(existsSync(join(dir, "epoch-1"))).toBe(false);
  for (const wrong of ["restore", "restore --fenced", `${restore} some.db`])
    expect((await deskbell(wrong)).code).toBe(2);

  const restored = await deskbell(`${restore} --json`);
  expect(restored.code).toBe(0);
  expect(JSON.parse(restored.stdout)).toMatchObject({
    data: { epoch: 1, createdAt: "2026-11-20T12:00:00.000Z", skipped: [], masterKeyMatches: true },
  });
  primary.close();
  const flags = fromGuide("serve --backup-dir", dir).split(" ").slice(1);
  const old = spawnDaemon(primary.config.dataDir, ...flags);
  const standby = spawnDaemon(dataDir, ...flags);
  await waitForUrl(standby);
  const { code, stderr } = await old.waitForExit();
  expect([code, stderr]).toEqual([5, expect.stringContaining("Another server has taken over")]);
  const forgotten = await spawnDaemon(primary.config.dataDir).waitForExit();
  expect([forgotten.code, forgotten.stderr]).toEqual([5, stderr]);
  const status = await runProgram(["status", "--data-dir", primary.config.dataDir]);
  expect(status.stdout).toMatch(/^problem\tanother server has taken over with a copy in /m);
  expect(status.stdout).not.toContain("the daemon is not running");
});

/**
 * Returns the environment of a program. The environment kills the program just before it renames a
 * file to `path`.
 */
function killedBeforeRename(path: string): NodeJS.ProcessEnv {
  const script = join(createTempFolder(), "kill.mjs");
  writeFileSync(
    script,
    `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const original = fs.renameSync;
    fs.renameSync = (...args) => {
      if (args.includes(${JSON.stringify(path)})) process.kill(process.pid, "SIGKILL");
      return original(...args);
    };
    syncBuiltinESMExports();`,
  );
  return { NODE_OPTIONS: `--import ${script}` };
}

test.runIf(!PROGRAM.isStandalone).each(["deskbell.db", "epoch"])(
  "a takeover killed before it writes %s is reported on both servers, and the reported fix completes the takeover",
  { timeout: 60_000 },
  async (file) => {
    const { dir, primary, dataDir } = await createMachines();
    mkdirSync(dataDir, { mode: 0o700 });
    copyFileSync(primary.config.masterKeyPath, join(dataDir, "master.key"));
    primary.close();
    const restore = ["restore", "--latest", dir, "--fenced", "--data-dir", dataDir];
    const killed = await runProgram(restore, { env: killedBeforeRename(join(dataDir, file)) });
    expect(killed.signal).toBe("SIGKILL");
    const serve = (folder: string) =>
      runProgram(["serve", "--port", "0", "--backup-dir", dir, "--data-dir", folder]);
    for (const folder of [primary.config.dataDir, dataDir]) {
      const refused = await serve(folder);
      expect(refused).toMatchObject({ code: 5, stdout: "" });
      expect(refused.stderr).toContain("A takeover was interrupted before its end (takeover begun");
      expect(refused.stderr).toContain(`by ${dataDir} on `);
      expect(refused.stderr).toContain(`deskbell ${restore.slice(0, 4).join(" ")}`);
    }
    // A terminal would ask for a confirmation, because data may be there already.
    expect(await runProgram([...restore, "--yes"])).toMatchObject({ code: 0 });
    const standby = spawnDaemon(dataDir, "--backup-dir", dir);
    await waitForUrl(standby);
    const old = await serve(primary.config.dataDir);
    expect(old).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("Another server has taken over (taken over at "),
    });
  },
);

test.runIf(!PROGRAM.isStandalone)(
  "the start of the server completes a takeover that was killed after its data were in place",
  async () => {
    const { dir, primary, dataDir } = await createMachines();
    mkdirSync(dataDir, { mode: 0o700 });
    copyFileSync(primary.config.masterKeyPath, join(dataDir, "master.key"));
    const killed = await runProgram(
      ["restore", "--latest", dir, "--fenced", "--data-dir", dataDir],
      { env: killedBeforeRename(join(dir, "epoch-1")) },
    );
    expect(killed.signal).toBe("SIGKILL");
    await waitForUrl(spawnDaemon(dataDir, "--backup-dir", dir));
    expect(readFileSync(join(dir, "epoch-1"), "utf8")).toMatch(/^taken over at /);
  },
);

async function changePrice(dataDir: string, price: string): Promise<string> {
  const edit = ["services", "update", "beard-trim", "--price", price, "--data-dir", dataDir];
  expect(await runProgram(edit)).toMatchObject({ code: 0 });
  return price;
}

test(
  "a planned takeover and the return to the first machine lose no change",
  { timeout: 60_000 },
  async () => {
    const dir = createTempFolder();
    const [handover = ""] = commandsOfSection("Hand over to the other machine", dir);
    const [restore = "", serve = ""] = commandsOfSection("Hand over to the other machine", dir, 1);
    const [, ...flags] = serve.split(" ");
    const { dataDir: first } = await createSeededSalon();
    const second = createTempFolder();
    let [running, other] = [first, second];
    for (const price of ["71.00", "72.00"]) {
      const daemon = spawnDaemon(running, ...flags);
      await waitForUrl(daemon);
      await changePrice(running, price);
      expect(await runProgram([...handover.split(" "), "--data-dir", running])).toMatchObject({
        code: 0,
      });
      expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
      copyFileSync(join(running, "master.key"), join(other, "master.key"));
      expect(await runProgram([...restore.split(" "), "--data-dir", other])).toMatchObject({
        code: 0,
      });
      const { stdout } = await runProgram(["services", "show", "beard-trim", "--data-dir", other]);
      expect(stdout).toContain(price);
      [running, other] = [other, running];
    }
  },
);

test("a change acknowledged while the server stops is on the server that takes over", async () => {
  const dir = createTempFolder();
  const { dataDir, deskbell } = await createSeededSalon();
  const key = await deskbell("keys", "create", "--name", "site", "--scope", "webhooks.write");
  const daemon = spawnDaemon(dataDir, "--backup-dir", dir);
  const url = await waitForUrl(daemon);
  const endpoint = "https://8.8.8.8/hook";
  const body = JSON.stringify({ name: "Website", url: endpoint, events: ["service.updated"] });
  const post = request(`${url}/v1/businesses/salon-aurora/webhooks`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length,
      expect: "100-continue",
    },
  });
  post.flushHeaders();
  await once(post, "continue");
  daemon.child.kill("SIGTERM");
  const acceptsConnections = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await expect.poll(acceptsConnections).toBe(false);
  post.end(body);
  const [response] = (await once(post, "response")) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(201);
  expect(await daemon.waitForExit()).toMatchObject({ code: 0 });

  const standby = createTempFolder();
  copyFileSync(join(dataDir, "master.key"), join(standby, "master.key"));
  const restore = ["restore", "--latest", dir, "--fenced", "--data-dir", standby];
  expect(await runProgram(restore)).toMatchObject({ code: 0 });
  const { stdout } = await runProgram(["webhooks", "list", "--json", "--data-dir", standby]);
  expect(stdout).toContain(endpoint);
});

test("a server that cannot make its last copy exits with 1 and says which changes have no copy", async () => {
  const dir = createTempFolder();
  const { dataDir } = await createSeededSalon();
  const daemon = spawnDaemon(dataDir, "--backup-dir", dir);
  await waitForUrl(daemon);
  rmSync(dir, { recursive: true });
  daemon.child.kill("SIGTERM");
  const { code, stderr } = await daemon.waitForExit();
  expect(code).toBe(1);
  expect(stderr).toContain(`--backup-dir: there is no folder ${dir}`);
  expect(stderr).toContain(
    "The last copy was not made: the changes since lastCopyAt are only on this machine",
  );
});

test("serve without data refuses the copies of another server and names restore --latest as the fix", async () => {
  const { dir } = await createMachines();
  const serve = (dataDir: string) =>
    runProgram(["serve", "--port", "0", "--backup-dir", dir, "--data-dir", dataDir]);
  const refusal = {
    code: 5,
    stderr: expect.stringContaining(`deskbell restore --latest ${dir} --fenced`),
  };
  const folder = createTempFolder();
  expect(await serve(folder)).toMatchObject(refusal);
  expect(existsSync(join(folder, "deskbell.db"))).toBe(false);
  const empty = createTestRuntime();
  empty.close();
  expect(await serve(empty.config.dataDir)).toMatchObject(refusal);
});

test("serve without a business accepts an empty folder for copies, and accepts its own copies after a restart", async () => {
  const dir = createTempFolder();
  const dataDir = createTempFolder();
  for (let starts = 0; starts < 2; starts++) {
    const daemon = spawnDaemon(dataDir, "--backup-dir", dir);
    await waitForUrl(daemon);
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  }
  expect(listBackupsIn(dir)).not.toEqual([]);
});
