import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { NO_STREAK } from "../../../src/domain/webhooks/failure-streak.ts";
import { acquireDaemonLock } from "../../../src/store/database.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { emitEvents } from "../../support/delivery.ts";
import { seedShop } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

/** A shop whose daemon seems to run, with one partner. */
async function running() {
  const dataDir = join(createTempFolder(), "data");
  const rt = createTestRuntime({ dataDir });
  seedShop(rt);
  const business = rt.store.businesses.findBySlug("shop");
  if (!business) throw new Error("no shop");
  rt.tx(() => rt.store.live.saveDaemon({ url: "http://127.0.0.1:4100", startedAt: Date.now() }));
  const { endpoint } = await createEndpoint(rt, {
    businessId: business.id,
    keyId: null,
    name: "till",
    url: "http://127.0.0.1:9/",
    events: ["service.updated"],
    allowPrivate: true,
  });
  const lock = acquireDaemonLock(rt.config.databasePath);
  return { rt, business, endpoint, lock, ...createTerminal({ dataDir }) };
}

test("while all is well status says so with 0", async () => {
  const { deskbell, rt, business, lock } = await running();
  const quiet = await deskbell("status");
  expect(quiet).toMatchObject({ code: 0, stderr: "" });
  expect(quiet.stdout).toMatch(
    /^daemon\trunning at http:\/\/127\.0\.0\.1:4100\t\ndeliveries\tnone\t\nendpoints\t1 active\t\nnext attempt\tnone\t\nlast backup\tnone\t\nfree disk\t[\d.]+ .B\t\n$/,
  );
  emitEvents(rt, business, "service.updated");
  const made = await deskbell("backup");
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("master.key alone") });
  const [, path = "", bytes] = /^path\t(.*)\nbytes\t(\d+)\nmadeAt\t/.exec(made.stdout) ?? [];
  expect(statSync(path).size).toBe(Number(bytes));
  const { stdout, code } = await deskbell("status --json");
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    data: {
      daemon: { isRunning: true, url: "http://127.0.0.1:4100" },
      queue: { PENDING: 1 },
      nextAttemptAt: "2026-11-20T12:00:00.000Z",
      lastBackup: { path },
      troubles: [],
    },
  });
  lock.release();
});

test("each trouble is named with the command that looks into it, and the exit code is 6", async () => {
  const { deskbell, dataDir, rt, endpoint, lock } = await running();
  lock.release();
  rt.tx(() =>
    rt.store.endpoints.updateStreak(endpoint.id, {
      failingSince: rt.now(),
      failureCount: 3,
      failedEventId: "evt_1",
      failedEvents: 1,
      warnedAt: null,
      disableAt: rt.now() + 60_000,
    }),
  );
  await deskbell("backup");
  writeFileSync(
    join(dataDir, "backups/last-failure.json"),
    JSON.stringify({ at: rt.now(), reason: "the moon\u001b[2J" }),
  );
  const troubles = (stdout: string) =>
    stdout.split("\n").filter((line) => line.startsWith("trouble"));
  const failing = await deskbell("status");
  expect({ ...failing, stdout: troubles(failing.stdout) }).toMatchObject({
    code: 6,
    stdout: [
      "trouble\tthe daemon is not running\tdeskbell serve",
      `trouble\t'till' has failed 3 times since 2026-11-20T12:00:00Z, will be disabled at 2026-11-20T12:01:00Z\tdeskbell deliveries list --failed --endpoint ${endpoint.id}`,
      "trouble\tthe backup of 2026-11-20T12:00:00Z failed: the moon␛[2J\tdeskbell backup",
    ],
  });
  const shown = await createTerminal({ isTTY: true, dataDir, program: "npx deskbell" }).deskbell(
    "status --no-color",
  );
  expect(shown.stdout).toMatch(/^daemon {8}not running\n/);
  expect(shown.stdout).toContain("✗ the daemon is not running\n  npx deskbell serve\n");

  disableEndpoint(rt, endpoint.id, "gone");
  await deskbell("backup");
  expect(troubles((await deskbell("status")).stdout)).toEqual([
    "trouble\tthe daemon is not running\tdeskbell serve",
    `trouble\t'till' is disabled (gone)\tdeskbell webhooks show ${endpoint.id}`,
  ]);
  rt.tx(() => rt.store.endpoints.updateStatus(endpoint.id, "DISABLED", "manual", rt.now()));
  expect(troubles((await deskbell("status")).stdout)).toHaveLength(1);
});

test("an endpoint that failed a moment ago is shown, and no trouble until it has failed for a day", async () => {
  const { deskbell, rt, endpoint, lock } = await running();
  await deskbell("backup");
  const failSince = (ms: number) =>
    rt.tx(() =>
      rt.store.endpoints.updateStreak(endpoint.id, {
        ...NO_STREAK,
        failingSince: ms,
        failureCount: 1,
      }),
    );
  failSince(Date.now() - 86_000_000);
  expect(await deskbell("status")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("endpoints\t1 active, 1 failing\t\n"),
  });
  failSince(Date.now() - 86_400_000);
  expect(await deskbell("status")).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(
      /^trouble\t'till' has failed once since \S+\tdeskbell deliveries list --failed/m,
    ),
  });
  lock.release();
});

test.each([
  [
    "that is gone",
    /^trouble\t\S+master\.key is gone: no webhook can be signed\..*\tinstall -m 600 FILE \S+$/m,
  ],
  [
    "of another box",
    /^trouble\t\S+master\.key opens no signing secret: .*\tinstall -m 600 FILE \S+$/m,
  ],
])("a master key %s is a trouble until it is back", async (what, told) => {
  const { deskbell, rt, lock } = await running();
  const { masterKeyPath } = rt.config;
  const key = readFileSync(masterKeyPath);
  if (what === "that is gone") rmSync(masterKeyPath);
  else writeFileSync(masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
  expect(await deskbell("status")).toMatchObject({ code: 6, stdout: expect.stringMatching(told) });
  writeFileSync(masterKeyPath, key);
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  lock.release();
});

test("two nights without a backup are a trouble, for a daemon that has run for so long too", async () => {
  const { rt, deskbell, lock } = await running();
  const daysAgo = (days: number) => Date.now() - days * 86_400_000;
  rt.tx(() => rt.store.live.saveDaemon({ url: "http://127.0.0.1:4100", startedAt: daysAgo(1.9) }));
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  rt.tx(() => rt.store.live.saveDaemon({ url: "http://127.0.0.1:4100", startedAt: daysAgo(2.1) }));
  expect(await deskbell("status")).toMatchObject({
    code: 6,
    stdout: expect.stringContaining("no backup since"),
  });
  await deskbell("backup");
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  lock.release();
});

test("--with-key puts the master key in a private file of its own; backups are listed and verified", async () => {
  const { deskbell, dataDir, rt, lock } = await running();
  const key = join(dataDir, "copy.key");
  const made = await deskbell(`backup --with-key ${key}`);
  expect(made).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining(`masterKey\t${key}\n`),
  });
  expect(readFileSync(key, "utf8")).toBe(readFileSync(rt.config.masterKeyPath, "utf8"));
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(await deskbell(`backup create --with-key ${key}`)).toMatchObject({ code: 5, stdout: "" });

  const listed = await deskbell("backup list");
  expect(listed.stderr).toBe("Put one in the place of the data: deskbell restore FILE\n");
  const [, file = ""] = /^[\dT:-]+Z\t[\d.]+ KB\t(.*)\n$/.exec(listed.stdout) ?? [];
  expect(await deskbell(`backup verify ${file}`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(/ is sound: [\d.]+ KB, schema \d+\.\n$/),
  });
  expect(await deskbell(`backup verify ${key}`)).toMatchObject({ code: 7, stdout: "" });
  expect(await deskbell(`backup verify ${key}.none`)).toMatchObject({ code: 3, stdout: "" });
  lock.release();
});

test("a restore in a script needs --yes, and says what it did", async () => {
  const { deskbell, rt, lock } = await running();
  lock.release();
  const { stdout } = await deskbell("backup --json");
  const { path } = (JSON.parse(stdout) as { data: { path: string } }).data;
  rt.close();
  expect(await deskbell(`restore ${path}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  expect(await deskbell(`restore ${path} --yes`)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^The data are those of .*\. Those that were there are in .*before-restore-\w+\.\n/,
    ),
  });
  expect((await deskbell("businesses list")).stdout).toContain("\t1000001\t");

  writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
  expect(await deskbell(`restore ${path} --yes --json`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"isMasterKeyThere": false'),
    stderr: expect.stringContaining("put the key file that belongs to it there"),
  });
});
