import { spawn, spawnSync } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram } from "../../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM } from "../../support/program.ts";
import { createReceiver } from "../../support/receiver.ts";

// strace makes fsync fail as on a broken disk. Some containers forbid it.

const STRACE = "strace";
const FAIL = ["-f", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO"];
const canInject = spawnSync(STRACE, [...FAIL, "-o", "/dev/null", "true"]).status === 0;
const FAILED = /The disk that holds \S+deskbell\.db( \(.* on .*\))? failed: disk I\/O error/;

async function failEveryFsync(pid: number): Promise<void> {
  const strace = spawn(STRACE, [...FAIL, "-o", "/dev/null", "-p", String(pid)]);
  onTestFinished(() => void strace.kill());
  await new Promise((resolve) => strace.stderr.once("data", resolve));
}

describe.skipIf(!canInject)("after a failed fsync", () => {
  test("a command names the disk and the file", async () => {
    const { dataDir } = await createSeededSalon();
    const command = [STRACE, ...FAIL, "-o", "/dev/null", ...PROGRAM.command] as const;
    const program = { ...PROGRAM, command };
    const update = ["services", "update", "beard-trim", "--price", "77.00", "--data-dir", dataDir];
    expect(await runProgram(update, { program })).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(FAILED),
    });
  });

  test("the HTTP thread responds with 503 and ends the daemon", async () => {
    const { dataDir, deskbell } = await createSeededSalon();
    const key = await deskbell("keys", "create", "--name", "site", "--secret");
    const target = ["--url", "https://93.184.215.14/", "--event", "service.updated"];
    // Creates the master key, which is written with an fsync of its own.
    await deskbell("webhooks", "create", "--name", "a", ...target);
    const daemon = spawnDaemon(dataDir);
    const url = await waitForUrl(daemon);
    await failEveryFsync(daemon.pid);
    const body = JSON.stringify({
      name: "b",
      url: "https://93.184.215.14/b",
      events: ["service.updated"],
    });
    const response = await fetch(`${url}/v1/businesses/salon-aurora/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: "storage_failed" });
    expect(await daemon.waitForExit()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(FAILED),
    });
  });

  test("the delivery thread ends the daemon", async () => {
    const { dataDir, deskbell } = await createSeededSalon();
    const partner = await createReceiver();
    const endpoint = ["--name", "a", "--url", partner.url, "--event", "service.updated"];
    await deskbell("webhooks", "create", ...endpoint, "--allow-private");
    const daemon = spawnDaemon(dataDir);
    await waitForUrl(daemon);
    await failEveryFsync(daemon.pid);
    await deskbell("services", "update", "beard-trim", "--price", "77.00");
    expect(await daemon.waitForExit()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(FAILED),
    });
  });
});
