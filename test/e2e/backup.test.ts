import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, runProgram } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";

const etagOf = async (url: string, key: string): Promise<string | null> => {
  const services = `${url}/v1/businesses/salon-aurora/services`;
  return (await fetch(services, { headers: { authorization: `Bearer ${key}` } })).headers.get(
    "etag",
  );
};

test("a backup made while the daemon runs can be restored once the daemon has stopped, and gives the catalog new ETags", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const on = ["--data-dir", dataDir];
  const key = await deskbell("keys", "create", "--name", "site", "--scope", "services.read");
  const daemon = spawnDaemon(dataDir);
  const url = await waitForUrl(daemon);
  expect(await runProgram(["status", ...on])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`running at ${url}`),
  });

  const atBackup = await etagOf(url, key);
  const { path } = (JSON.parse(await deskbell("backup", "--json")) as { data: { path: string } })
    .data;
  await deskbell("services", "update", "beard-trim", "--price", "91.00");
  const before = readdirSync(dataDir);
  expect(await runProgram(["restore", path, "--yes", ...on])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("A daemon or another restore is running"),
  });
  expect(readdirSync(dataDir)).toEqual(before);
  expect(await etagOf(url, key)).not.toBe(atBackup);

  daemon.child.kill("SIGTERM");
  await daemon.waitForExit();
  expect(await runProgram(["status", ...on])).toMatchObject({
    code: 6,
    stdout: expect.stringContaining("problem\tthe daemon is not running\t"),
  });
  await deskbell("restore", path, "--yes");
  expect(await deskbell("services", "show", "beard-trim")).not.toContain("91.00");
  // A restore that was killed leaves this file.
  writeFileSync(join(dataDir, "deskbell.db.restoring"), "half", { mode: 0o600 });
  const { stdout } = await runProgram(["doctor", ...on]);
  expect(stdout).toMatch(/^backups\tadvice\ta restore was interrupted: .*\trm \S+\.restoring\*$/m);
  expect(await etagOf(await waitForUrl(spawnDaemon(dataDir)), key)).toMatch(/^W\/"c10000\d\d-/);
  expect(readdirSync(dataDir)).not.toContain("deskbell.db.restoring");
});

test("backup create waits until the daemon has copied the backup, and fails if it cannot", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const dir = createTempFolder();
  await waitForUrl(spawnDaemon(dataDir, "--backup-dir", dir));
  const made = JSON.parse(await deskbell("backup", "create", "--json"));
  expect(made.data.copied).toBe(true);
  expect(readdirSync(dir)).toContain(basename(made.data.path));

  rmSync(dir, { recursive: true });
  const failed = await runProgram(["backup", "create", "--data-dir", dataDir]);
  expect(failed).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(
      `not copied to another place: --backup-dir: there is no folder ${dir}.`,
    ),
  });
});

test("backup create copies its backup with --backup-command if no daemon runs, and exits with 6 if the copy fails", async () => {
  const { dataDir } = await createSeededSalon();
  const create = (backupCommand: string) =>
    runProgram(["backup", "create", "--json", "--data-dir", dataDir], {
      env: { DESKBELL_BACKUP_COMMAND: backupCommand },
    });
  const made = await create("exit 0");
  expect(made.code).toBe(0);
  expect(JSON.parse(made.stdout)).toMatchObject({ data: { copied: true } });
  const failed = await create("no-such-program");
  expect(failed.code).toBe(6);
  expect(JSON.parse(failed.stdout)).toMatchObject({ data: { copied: false } });
});
