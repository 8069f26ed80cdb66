import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, runProgram, startProgram } from "../support/cli.ts";
import { createSeededSalon, waitForUrl } from "../support/daemon.ts";
import { createReceiver } from "../support/receiver.ts";
import { WAITS } from "../support/waits.ts";

const PAGE = 4096;

/** Overwrites all pages of a database with zeros, except the first. */
function damage(dataDir: string): void {
  const path = join(dataDir, "deskbell.db");
  const file = openSync(path, "r+");
  const zeros = Buffer.alloc(PAGE);
  for (let at = PAGE; at < statSync(path).size; at += PAGE) writeSync(file, zeros, 0, PAGE, at);
  closeSync(file);
}

async function setUp() {
  const { dataDir } = await createSeededSalon();
  const operator = await createReceiver();
  const env = { DESKBELL_ALERT_URL: operator.url, DESKBELL_CACHE_DIR: createTempFolder() };
  const alerts = () =>
    operator.requests.map(({ body }) => JSON.parse(body.toString()) as Record<string, string>);
  return { dataDir, env, alerts };
}

test("a daemon that refuses to start on a damaged database sends one alert an hour", async () => {
  const { dataDir, env, alerts } = await setUp();
  damage(dataDir);
  const serve = () => runProgram(["serve", "--port", "0", "--data-dir", dataDir], { env });
  expect((await serve()).code).not.toBe(0);
  expect(alerts()).toMatchObject([
    {
      code: "daemon.failed",
      status: "FIRING",
      severity: "critical",
      message: expect.stringMatching(/^the daemon does not start: .*damaged/),
      fix: expect.stringContaining("restore"),
    },
  ]);
  await serve();
  const afterwards = await runProgram(
    ["alerts", "send", "--service-failure", "--data-dir", dataDir],
    { env: { ...env, SERVICE_RESULT: "exit-code", EXIT_STATUS: "5" } },
  );
  expect(afterwards.code).toBe(0);
  expect(alerts()).toHaveLength(1);
});

test("a daemon whose database is damaged while it runs sends an alert before it ends", async () => {
  const { dataDir, env, alerts } = await setUp();
  const daemon = startProgram(
    ["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir],
    { env },
  );
  await waitForUrl(daemon);
  damage(dataDir);
  await expect.poll(() => alerts().length, { ...WAITS, timeout: 60_000 }).toBe(1);
  expect(alerts()).toMatchObject([
    { code: "daemon.failed", message: expect.stringMatching(/^the daemon has ended: /) },
  ]);
}, 90_000);

test("alerts send --service-failure sends an alert only if the service has failed", async () => {
  const { dataDir, env, alerts } = await setUp();
  const send = (SERVICE_RESULT: string) =>
    runProgram(["alerts", "send", "--service-failure", "--data-dir", dataDir], {
      env: { ...env, SERVICE_RESULT, EXIT_STATUS: "9" },
    });
  await send("success");
  expect(alerts()).toEqual([]);
  await send("signal");
  await send("signal");
  expect(alerts()).toMatchObject([
    { code: "daemon.failed", message: "the service of the daemon has failed: signal 9" },
  ]);
});

test("alerts send sends a text of the operator with its severity", async () => {
  const { dataDir, env, alerts } = await setUp();
  const args = ["alerts", "send", "The disk is full.", "--severity", "critical"];
  expect((await runProgram([...args, "--data-dir", dataDir], { env })).code).toBe(0);
  expect(alerts()).toMatchObject([
    { code: "alert.message", severity: "critical", message: "The disk is full." },
  ]);
});

test("alerts send uses the channels that the running daemon has from its flags", async () => {
  const { dataDir, env, alerts } = await setUp();
  const args = ["alerts", "send", "The disk is full.", "--data-dir", dataDir];
  const alone = await runProgram(args);
  expect(alone.code).not.toBe(0);
  expect(alone.stderr).toContain("deskbell alerts send 'The disk is full.' --alert-url URL");
  const flags = ["--data-dir", dataDir, "--alert-url", env.DESKBELL_ALERT_URL];
  const daemon = startProgram(["serve", "--port", "0", ...flags]);
  await waitForUrl(daemon);
  expect(await runProgram(args)).toMatchObject({ code: 0 });
  expect(alerts()).toMatchObject([{ code: "alert.message", message: "The disk is full." }]);
});
