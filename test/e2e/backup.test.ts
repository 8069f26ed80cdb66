import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";

const etagOf = async (url: string, key: string): Promise<string | null> => {
  const services = `${url}/v1/businesses/salon-aurora/services`;
  return (await fetch(services, { headers: { authorization: `Bearer ${key}` } })).headers.get(
    "etag",
  );
};

test("a backup made while the daemon runs can be restored after it has stopped, with new ETags", async () => {
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
    stderr: expect.stringContaining("A daemon is running"),
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
  // As left by a restore that was killed.
  writeFileSync(join(dataDir, "deskbell.db.restoring"), "half", { mode: 0o600 });
  const { stdout } = await runProgram(["doctor", ...on]);
  expect(stdout).toMatch(/^backups\tadvice\ta restore was interrupted: .*\trm \S+\.restoring\*$/m);
  expect(await etagOf(await waitForUrl(spawnDaemon(dataDir)), key)).toMatch(/^W\/"c10000\d\d-/);
  expect(readdirSync(dataDir)).not.toContain("deskbell.db.restoring");
});
