import { spawn } from "node:child_process";
import { once } from "node:events";
import Database from "better-sqlite3";
import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { readMigrations } from "../../../src/platform/assets.ts";
import { checkPrograms, type DaemonResponse } from "../../../src/features/doctor/checks.ts";
import { runDoctor } from "../../../src/features/doctor/run-doctor.ts";
import {
  type CheckResult,
  conditionKind,
  listConditionCodes,
} from "../../../src/domain/conditions/registry.ts";
import { cancelDeliveries } from "../../../src/app/webhooks/deliveries.ts";
import { createKey, rotateKey } from "../../../src/app/keys.ts";
import { createDeliveryQueue, type PermitKind } from "../../../src/delivery/endpoint-queue.ts";
import { probeDaemon } from "../../../src/features/doctor/commands.ts";
import { NO_STREAK } from "../../../src/domain/webhooks/failing-endpoint.ts";
import { maxInFlight, PERMITS } from "../../../src/domain/webhooks/endpoint-health.ts";
import { acquireDaemonLock } from "../../../src/store/database/database.ts";
import {
  createRunningServer,
  followAdviceOfFeatures,
  INJECTIONS,
  prepareForFeatures,
  type RunningServer,
} from "../../support/conditions.ts";
import { createTempFolder } from "../../support/cli.ts";
import { readValue } from "../../support/old-database.ts";
import { emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { seedShop } from "../../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Server = TestRuntime & {
  business: NonNullable<ReturnType<TestRuntime["store"]["businesses"]["findBySlug"]>>;
  endpointId: string;
  keyId: string;
  edit: (sql: string) => void;
};

/**
 * Creates a server without problems: a shop with a key and an endpoint, and a daemon with alerts.
 */
async function createHealthyServer(): Promise<Server> {
  const rt = createTestRuntime();
  seedShop(rt);
  const business = rt.store.businesses.findBySlug("shop");
  if (!business) throw new Error("no shop");
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/hook");
  const { key } = createKey(rt, {
    businessId: business.id,
    name: "site",
    kind: "SECRET",
    scopes: [],
  });
  const lock = acquireDaemonLock(rt.config.databasePath);
  onTestFinished(lock.release);
  rt.tx(() =>
    rt.store.daemon.save({
      url: "http://127.0.0.1:1",
      startedAt: rt.now(),
      hasAlertUrl: true,
      openFiles: 65_536,
    }),
  );
  await prepareForFeatures(rt);
  await followAdviceOfFeatures(rt);
  const edit = (sql: string) => {
    const db = new Database(rt.config.databasePath);
    db.pragma("foreign_keys = OFF");
    db.exec(sql);
    db.close();
  };
  return Object.assign(rt, { business, endpointId: endpoint.id, keyId: key.id, edit });
}

const respondHealthy = (rt: TestRuntime) => async (): Promise<DaemonResponse> => ({ at: rt.now() });

async function runChecks(rt: TestRuntime, ask = respondHealthy(rt)): Promise<CheckResult[]> {
  const checks: CheckResult[] = [];
  // A second runtime acts as the process of the command.
  const open = async () =>
    Object.assign(createTestRuntime({ dataDir: rt.config.dataDir }, rt.now()), {
      freeBytes: rt.freeBytes,
    });
  for await (const check of runDoctor(rt.config, { open, askDaemon: ask })) checks.push(check);
  return checks;
}

async function listFindings(rt: TestRuntime, ask = respondHealthy(rt)) {
  return (await runChecks(rt, ask)).flatMap(({ about, findings }) =>
    findings.map(({ text, fix, isAdvice = false }) => ({ about, text, fix, isAdvice })),
  );
}

const overwrite = (path: string, bytes: Buffer, at: number): void => {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
};

/** Merges the WAL into the database file, so that a test can damage the file. */
const checkpoint = (rt: Server): void => {
  rt.edit("PRAGMA wal_checkpoint(TRUNCATE)");
  rt.close();
};

test("doctor has no findings about a healthy server", async () => {
  expect(await listFindings(await createHealthyServer())).toEqual([]);
});

test("doctor uses the singular for a count of one, and formats sizes as `status` does", async () => {
  const rt = await createHealthyServer();
  rt.freeBytes = () => 23_400_000_000;
  const looked = Object.fromEntries(
    (await runChecks(rt)).map(({ about, summary }) => [about, summary]),
  );
  expect(looked).toMatchObject({
    database: expect.stringMatching(/^SQLite [\d.]+, schema \d+, \d+ KB read$/),
    secrets: "1 encrypted",
    clock: "1 time zone",
    disk: "23.4 GB free",
    webhooks: "1 endpoint",
  });
});

test("doctor does not summarize a stopped daemon as running", async () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const daemon = (await runChecks(rt)).find(({ about }) => about === "daemon");
  expect(daemon).toMatchObject({ summary: "not running", findings: [{ code: "daemon.stopped" }] });
});

test("doctor's estimate of open files covers the maximum of webhooks in flight", () => {
  const queue = createDeliveryQueue(PERMITS);
  let inFlight = 0;
  const fill = (kind: PermitKind, isIdle = false): number => {
    const before = inFlight;
    for (; queue.hasPermit(kind, isIdle); inFlight++) queue.acquire(kind);
    return inFlight - before;
  };
  fill("PROBE");
  // Late requests free permits: repeat until no new request gets a permit.
  for (let fresh = fill("PROMPT"); fresh > 0; fresh = fill("PROMPT"))
    for (let i = 0; i < fresh; i++) queue.downgradeToLate();
  expect(fill("LATE")).toBe(0);
  fill("PROMPT", true);
  expect(inFlight).toBe(maxInFlight(PERMITS));
});

type Scenario = {
  what: string;
  provoke: (rt: Server) => void | Promise<void>;
  about: string;
  text: RegExp;
  fix: RegExp;
  advice?: true;
};

const scenarios: Scenario[] = [
  {
    what: "a folder that other users can enter",
    provoke: (rt) => chmodSync(rt.config.dataDir, 0o755),
    about: "files",
    text: /^other users of this machine can access \/.*$/,
    fix: /^chmod -R go= \/\S+$/,
  },
  {
    what: "a master key that other users can read",
    provoke: (rt) => chmodSync(rt.config.masterKeyPath, 0o644),
    about: "files",
    text: /access \/\S+\/master\.key$/,
    fix: /^chmod -R go= /,
  },
  {
    what: "tables of Litestream",
    provoke: (rt) => rt.edit("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY)"),
    about: "programs",
    text: /^Litestream has replicated the database: versions before 0\.5\.17 have an SQLite /,
    fix: /^litestream version, then install Litestream 0\.5\.17/,
    advice: true,
  },
  {
    what: "a damaged page",
    provoke: (rt) => {
      checkpoint(rt);
      const page = readValue(
        rt.config.databasePath,
        "SELECT rootpage FROM sqlite_schema WHERE name = 'api_key'",
      ) as number;
      overwrite(rt.config.databasePath, Buffer.alloc(4096, 0xa5), 4096 * (page - 1));
    },
    about: "database",
    text: /is damaged: /,
    fix: /^stop the daemon and restore a backup: deskbell backup list$/,
  },
  {
    what: "a truncated file",
    provoke: (rt) => {
      checkpoint(rt);
      truncateSync(rt.config.databasePath, 4096 * 20);
    },
    about: "database",
    text: /is damaged: /,
    fix: /^stop the daemon and restore a backup: deskbell backup list$/,
  },
  {
    what: "a file that is not a database",
    provoke: (rt) => {
      checkpoint(rt);
      writeFileSync(rt.config.databasePath, "Dear diary, ".repeat(1000), { mode: 0o600 });
    },
    about: "database",
    text: /Invalid database/,
    fix: /./,
  },
  {
    what: "an empty file",
    provoke: (rt) => {
      checkpoint(rt);
      truncateSync(rt.config.databasePath, 0);
    },
    about: "database",
    text: /^the database file is empty$/,
    fix: /^deskbell backup list$/,
  },
  {
    what: "orphaned rows",
    provoke: (rt) =>
      rt.edit("INSERT INTO time_off VALUES ('tof_1', 'biz_gone', 'stf_1', 1, 2, NULL, 1)"),
    about: "database",
    text: /^rows in time_off refer to rows that do not exist: restore a backup$/,
    fix: /^deskbell backup list$/,
  },
  {
    what: "a database of a newer deskbell",
    provoke: (rt) => rt.edit("PRAGMA user_version = 999"),
    about: "database",
    text: /newer deskbell \(schema 999/,
    fix: /restore a backup/,
  },
  {
    what: "a database of an older deskbell",
    provoke(rt) {
      rt.close();
      writeFileSync(rt.config.databasePath, "");
      rt.edit([...readMigrations().slice(0, 3), "PRAGMA user_version = 3"].join(";\n"));
    },
    about: "database",
    text: /older deskbell \(schema 3\)/,
    fix: /^deskbell backup$/,
    advice: true,
  },
  {
    what: "a key in plain text",
    provoke: (rt) => rt.edit("UPDATE api_key_secret SET hash = CAST('deskbell_sk_plain' AS BLOB)"),
    about: "keys",
    text: /^the key key_\w+ is not stored as a hash$/,
    fix: /^deskbell keys revoke key_/,
  },
  {
    what: "a secret key in a web page",
    provoke: (rt) => {
      rt.advance(1);
      rt.tx(() => rt.store.keys.markSeenInBrowser(rt.keyId, rt.now()));
    },
    about: "keys",
    text: /^the secret key 'site' of shop was sent by a web page/,
    fix: /^deskbell keys rotate key_\w+ --overlap 0s$/,
  },
  {
    what: "a key without a secret",
    provoke: (rt) => rt.edit("DELETE FROM api_key_secret"),
    about: "keys",
    text: /^the key 'site' of shop has no secret, so nobody can use it: rotate it and pass on/,
    fix: /^deskbell keys rotate key_\w+$/,
  },
  {
    what: "a key that has expired",
    provoke: (rt) => rt.edit(`UPDATE api_key SET expires_at = ${rt.now() - 1}`),
    about: "keys",
    text: /^the key 'site' of shop has expired$/,
    fix: /^deskbell keys revoke key_/,
    advice: true,
  },
  {
    what: "a key that expires in a week",
    provoke: (rt) => {
      const { id: businessId } = rt.business;
      const scopes = ["services.read", "webhooks.read"];
      const expiresAt = rt.now() + 7 * DAY_MS;
      createKey(rt, { businessId, name: "joe's till", kind: "RESTRICTED", scopes, expiresAt });
    },
    about: "keys",
    text: /^the key 'joe's till' of shop expires at 2026-11-27T12:00:00Z$/,
    fix: /^deskbell keys create --business shop --name 'joe'\\''s till' --scope services.read --scope webhooks.read$/,
    advice: true,
  },
  {
    what: "a missing master key",
    provoke: (rt) => rmSync(rt.config.masterKeyPath),
    about: "secrets",
    text: /master\.key is missing: no webhook can be signed\. Restore the key file/,
    fix: /^install -m 600 FILE \/\S+\/master\.key$/,
  },
  {
    what: "the master key of another server",
    provoke: (rt) =>
      writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`, {
        mode: 0o600,
      }),
    about: "secrets",
    text: /master\.key decrypts no signing secret: no webhook can be signed\. Restore the key file/,
    fix: /^install -m 600 FILE /,
  },
  {
    what: "an invalid master key file",
    provoke: (rt) => writeFileSync(rt.config.masterKeyPath, "swordfish\n", { mode: 0o600 }),
    about: "secrets",
    text: /master\.key decrypts no signing secret/,
    fix: /^install -m 600 FILE /,
  },
  {
    what: "a signing secret that was moved to another row",
    provoke: async (rt) => {
      await subscribe(rt, rt.business, "http://127.0.0.1:9/other");
      rt.edit(`UPDATE endpoint_secret SET id = 'whs_other' WHERE endpoint_id = '${rt.endpointId}'`);
    },
    about: "secrets",
    text: /^a signing secret of 'partner' of shop cannot be decrypted with \/.*master\.key$/,
    fix: /^deskbell webhooks rotate-secret whe_\w+ --force$/,
  },
  {
    what: "guest data of another master key",
    provoke: (rt) => {
      const customer = { name: "Ana", email: null, phone: null, notes: null };
      rt.tx(() => {
        for (const id of ["bkg_1", "bkg_2"]) saveCustomer(rt, rt.business.id, id, customer);
      });
      rt.edit("UPDATE guest SET sealed = randomblob(60) WHERE visit_id = 'bkg_2'");
    },
    about: "visits",
    text: /^the data of 1 of 2 guests cannot be decrypted with \/.*master\.key\. Add the key file/,
    fix: /^cat FILE >> \/.*master\.key && deskbell keys rotate-master$/,
  },
  {
    what: "a future reservation of a table that was deleted",
    provoke: (rt) => {
      createReservation(rt, "shop", { party: 2, start: "2026-11-23T09:00" });
      rt.edit("DELETE FROM catalog_object WHERE kind = 'table'");
    },
    about: "visits",
    text: /^1 future visit of shop has a service, staff member or table that was deleted: rsv_\w+$/,
    fix: /^deskbell reservations show rsv_\w+ --business shop, then/,
  },
  {
    what: "a future booking of a staff member who was deleted",
    provoke: (rt) => {
      createBooking(rt, "shop", { service: "cut", start: "2026-11-23T09:00" });
      rt.edit("DELETE FROM catalog_object WHERE kind = 'staff'");
    },
    about: "visits",
    text: /^1 future visit of shop has .* that was deleted: bkg_\w+$/,
    fix: /^deskbell bookings show bkg_\w+ --business shop, then/,
  },
  {
    what: "a clock that was set back",
    provoke: (rt) => {
      rt.advance(3 * DAY_MS);
      emitEvents(rt, rt.business, "service.updated");
      rt.shiftClock(-3 * DAY_MS);
    },
    about: "clock",
    text: /^the system clock says 2026-11-20T12:00:00Z, but the newest record is from 2026-11-23T12:00:00Z$/,
    fix: /timedatectl/,
  },
  {
    what: "a time zone that this Node does not know",
    provoke: (rt) =>
      rt.edit("UPDATE business SET doc = json_set(doc, '$.timezone', 'Mars/Olympus_Mons')"),
    about: "clock",
    text: /the time zone 'Mars\/Olympus_Mons' of shop$/,
    fix: /single executable of deskbell$/,
  },
  {
    what: "a disk that is almost full",
    provoke: (rt) => void (rt.freeBytes = () => 5_000_000),
    about: "disk",
    text: /^Only 5\.0 MB free/,
    fix: /^df -h /,
  },
  {
    what: "a low limit of open files",
    provoke: (rt) => rt.edit("UPDATE daemon SET open_files = 1024"),
    about: "daemon",
    text: /^the daemon may open at most 1024 files: under load it needs 6551 \(4096 connections, 2254 webhooks in flight and 201 others\)$/,
    fix: /LimitNOFILE=65536/,
    advice: true,
  },
  {
    what: "a delivery worker that sends nothing",
    provoke: (rt) => {
      emitEvents(rt, rt.business, "service.updated");
      rt.advance(3 * 60_000);
    },
    about: "daemon",
    text: /^webhooks have been due since 2026-11-20T12:00:00Z, but the daemon sends none/,
    fix: /^deskbell deliveries list --status PENDING$/,
  },
  {
    what: "an event that was altered in the file",
    provoke: async (rt) => {
      const worker = createTestWorker(rt);
      emitEvents(rt, rt.business, "service.updated");
      rt.edit("UPDATE event SET body = CAST('{}' AS BLOB)");
      worker.wake();
      await worker.whenIdle();
    },
    about: "webhooks",
    text: /^the event of dlv_\w+ was altered in the database file, so it was not sent$/,
    fix: /^deskbell deliveries cancel dlv_\w+$/,
  },
  {
    what: "an event that was altered before it was sent",
    provoke: (rt) => {
      emitEvents(rt, rt.business, "service.updated");
      rt.edit("UPDATE event SET body = CAST(body || ' ' AS BLOB)");
    },
    about: "webhooks",
    text: /^evt_\w+ was altered in the database file and will not be sent: restore a backup made before that$/,
    fix: /^deskbell backup list$/,
  },
  {
    what: "an endpoint that has been failing for a day",
    provoke: (rt) => {
      const streak = { ...NO_STREAK, failingSince: rt.now() - DAY_MS, failureCount: 1 };
      rt.tx(() => rt.store.endpoints.updateStreak(rt.endpointId, streak));
    },
    about: "webhooks",
    text: /^the endpoint 'partner' of shop has failed once since /,
    fix: /^deskbell deliveries list --failed --endpoint whe_\w+$/,
  },
  {
    what: "an endpoint that responded 410 Gone",
    provoke: (rt) =>
      rt.tx(() => rt.store.endpoints.updateStatus(rt.endpointId, "DISABLED", "gone", rt.now())),
    about: "webhooks",
    text: /^the endpoint 'partner' of shop receives no webhooks: .* answered with 410 Gone\. Its deliveries are kept until it is enabled with webhooks enable whe_\w+$/,
    fix: /^deskbell webhooks show whe_/,
  },
  {
    what: "a certificate that has expired",
    provoke: (rt) => rt.tx(() => rt.store.daemon.saveCertificateExpiry(rt.now() - 1)),
    about: "daemon",
    text: /^the certificate of the API has expired, and clients reject it \(.*: renew it/,
    fix: /^systemctl reload deskbell/,
  },
  {
    what: "a certificate that expires within 14 days",
    provoke: (rt) => rt.tx(() => rt.store.daemon.saveCertificateExpiry(rt.now() + 13 * DAY_MS)),
    about: "daemon",
    text: /^the certificate of the API expires soon/,
    fix: /^systemctl reload deskbell/,
  },
  {
    what: "a daemon without alerts",
    provoke: (rt) => rt.edit("UPDATE daemon SET has_alert_url = 0"),
    about: "webhooks",
    text: /^no alert is sent when an endpoint starts to fail/,
    fix: /--alert-url URL/,
    advice: true,
  },
];

test.each(scenarios)(
  "doctor reports $what, with the command that fixes it",
  async ({ provoke, about, text, fix, advice }) => {
    const rt = await createHealthyServer();
    await provoke(rt);
    expect(await listFindings(rt)).toEqual([
      {
        about,
        text: expect.stringMatching(text),
        fix: expect.stringMatching(fix),
        isAdvice: advice ?? false,
      },
    ]);
  },
);

test.runIf(process.getuid?.() === 0)("doctor reports a file of another user", async () => {
  const rt = await createHealthyServer();
  chownSync(rt.config.masterKeyPath, 12_345, 12_345);
  expect(await listFindings(rt)).toMatchObject(
    [{ about: "files", text: /master\.key is not owned by user 0/, fix: /^sudo chown -R 0 / }].map(
      ({ text, fix, ...rest }) => ({
        ...rest,
        text: expect.stringMatching(text),
        fix: expect.stringMatching(fix),
      }),
    ),
  );
});

test("doctor no longer reports a fixed problem", async () => {
  const rt = await createHealthyServer();
  rt.advance(1);
  rt.tx(() => rt.store.keys.markSeenInBrowser(rt.keyId, rt.now()));
  expect(await listFindings(rt)).toHaveLength(1);
  rotateKey(rt, rt.keyId, 0);
  expect(await listFindings(rt)).toEqual([]);

  emitEvents(rt, rt.business, "service.updated");
  rt.edit(
    "UPDATE delivery SET status = 'CORRUPT', next_attempt_at = NULL; UPDATE delivery_count SET status = 'CORRUPT'",
  );
  const [delivery] = rt.store.deliveries.list({}, 1);
  expect(await listFindings(rt)).toMatchObject([
    { fix: `deskbell deliveries cancel ${delivery?.id}` },
  ]);
  expect(cancelDeliveries(rt, { id: delivery?.id })).toBe(1);
  expect(await listFindings(rt)).toEqual([]);
});

test("doctor does not report a failed attempt that will be retried", async () => {
  const rt = await createHealthyServer();
  const worker = createTestWorker(rt);
  emitEvents(rt, rt.business, "service.updated");
  worker.wake();
  await worker.whenIdle();
  expect(rt.store.endpoints.findById(rt.endpointId)).toMatchObject({ failureCount: 1 });
  expect(await listFindings(rt)).toEqual([]);
});

test("doctor does not report a backlog while attempts are made", async () => {
  const rt = await createHealthyServer();
  emitEvents(rt, rt.business, "service.updated");
  rt.advance(3 * 60_000);
  rt.tx(() => rt.store.tallies.addAttempts(rt.business.id, rt.now(), 1, 0));
  expect(await listFindings(rt)).toEqual([]);
});

/** Returns the findings about a daemon. `answer` can change the response of the daemon. */
async function findingsOfDaemon(
  answer: (ask: { status: number; headers: Record<string, string> }) => void,
) {
  const reply = { status: 200, headers: {} as Record<string, string> };
  answer(reply);
  const server = createServer((_, response) =>
    response.writeHead(reply.status, reply.headers).end("{}"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const rt = await createHealthyServer();
  rt.tx(() =>
    rt.store.daemon.save({
      ...rt.store.daemon.find()!,
      url: `http://127.0.0.1:${port}`,
    }),
  );
  return listFindings(rt, probeDaemon as ReturnType<typeof respondHealthy>);
}

test("doctor checks over HTTP whether the daemon is ready, and its clock", async () => {
  const now = new Date("2026-11-20T12:00:20Z").toUTCString();
  expect(await findingsOfDaemon(({ headers }) => (headers.date = now))).toEqual([]);
  expect(
    await findingsOfDaemon(({ headers }) => (headers.date = "Fri, 20 Nov 2026 13:00:00 GMT")),
  ).toMatchObject([
    {
      about: "daemon",
      text: "the daemon's clock says 2026-11-20T13:00:00Z, this command's 2026-11-20T12:00:00Z",
    },
  ]);
  expect(await findingsOfDaemon((reply) => (reply.status = 503))).toMatchObject([
    {
      about: "daemon",
      text: expect.stringMatching(/does not respond at http:\/\/127\.0\.0\.1:\d+: status 503$/),
    },
  ]);
});

test("doctor reports a daemon that holds the lock but does not listen", async () => {
  const rt = await createHealthyServer();
  expect(await listFindings(rt, probeDaemon as ReturnType<typeof respondHealthy>)).toMatchObject([
    {
      about: "daemon",
      text: "the daemon does not respond at http://127.0.0.1:1: connection refused",
      isAdvice: false,
    },
  ]);
});

test("doctor reports a Litestream whose SQLite can corrupt the database", () => {
  const programs = [{ pid: 7, name: "litestream" }];
  const findingsOf = (version: string | null) =>
    checkPrograms(programs, { isUsed: true, version }).map(({ text, isAdvice = false }) => ({
      text: text.split(":")[0],
      isAdvice,
    }));
  const old = { text: "Litestream 0.5.9 replicates the database", isAdvice: false };
  expect(findingsOf("0.5.9")).toEqual([old]);
  expect([findingsOf("0.5.17"), findingsOf("0.10.0")]).toEqual([[], []]);
  expect(findingsOf(null)).toEqual([
    { text: "'litestream' (process 7) has the database open", isAdvice: true },
    { text: "Litestream has replicated the database", isAdvice: true },
  ]);
});

test("doctor names the version of an installed Litestream only if it has replicated the database", async () => {
  const folder = createTempFolder();
  const program = join(folder, "litestream");
  writeFileSync(program, "#!/bin/sh\necho v0.5.17\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const rt = await createHealthyServer();
  const programs = async () => (await runChecks(rt)).find(({ about }) => about === "programs");
  expect(await programs()).toMatchObject({ summary: "no other program has the database open" });
  rt.edit("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY)");
  expect(await programs()).toMatchObject({ summary: "Litestream 0.5.17", findings: [] });
});

test.skipIf(process.platform !== "linux")(
  "doctor counts the other programs that have the database open",
  async () => {
    const rt = await createHealthyServer();
    const file = openSync(`${rt.config.databasePath}-shm`, "r");
    const child = spawn("sleep", ["60"], { argv0: "sqlite3", stdio: [file, "ignore", "ignore"] });
    closeSync(file);
    onTestFinished(() => void child.kill());
    await once(child, "spawn");
    const programs = (await runChecks(rt)).find(({ about }) => about === "programs");
    expect(programs).toEqual({
      about: "programs",
      summary: "the database is open in 1 other program",
      findings: [
        expect.objectContaining({
          text: expect.stringMatching(/^'sqlite3' \(process \d+\) has the database open: /),
        }),
      ],
    });
  },
);

test("doctor skips the check of file permissions on Windows, where files have no such permissions", async () => {
  const rt = await createHealthyServer();
  const { getuid } = process;
  onTestFinished(() => void Object.assign(process, { getuid }));
  Object.assign(process, { getuid: undefined });
  const checks = await runChecks(rt);
  expect(checks.map(({ about }) => about)).not.toContain("files");
  expect(checks.map(({ about }) => about)).toContain("database");
});

const examine = (rt: RunningServer): Promise<CheckResult[]> =>
  Array.fromAsync(
    runDoctor(rt.config, { open: async () => rt, askDaemon: async () => ({ at: rt.now() }) }),
  );

/** Returns the codes of the conditions that doctor lists. */
const listCodes = async (rt: RunningServer) =>
  (await examine(rt)).flatMap(({ findings }) => findings.flatMap(({ code }) => code ?? []));

test("doctor reports every condition until the condition ends", { timeout: 60_000 }, async () => {
  const rt = await createRunningServer();
  // No command can open a database that is gone.
  for (const code of listConditionCodes().filter((each) => each !== "storage.gone")) {
    const end = await INJECTIONS[code](rt);
    expect(await listCodes(rt)).toContain(code);
    await end();
    expect(await listCodes(rt), `the end of ${code}`).toEqual([]);
    rt.advance(HOUR_MS);
    await prepareForFeatures(rt);
  }
});

test("doctor reports a condition once, whichever area the condition belongs to", async () => {
  const rt = await createRunningServer();
  const code = "proxy.one_address";
  await INJECTIONS[code](rt);
  const areas = listConditionCodes().map((each) => conditionKind(each).about);
  const { about: own } = conditionKind(code);
  onTestFinished(() => void Object.assign(conditionKind(code), { about: own }));
  for (const about of areas) {
    Object.assign(conditionKind(code), { about });
    expect(await listCodes(rt), about).toEqual([code]);
  }
});

test("doctor lists a condition whose area has no checks of its own, and leaves the summary of the area empty", async () => {
  const rt = await createRunningServer();
  const code = "proxy.one_address";
  await INJECTIONS[code](rt);
  const { about: own } = conditionKind(code);
  onTestFinished(() => void Object.assign(conditionKind(code), { about: own }));
  Object.assign(conditionKind(code), { about: "booking" });
  expect((await examine(rt)).at(-1)).toEqual({
    about: "booking",
    summary: "",
    findings: [expect.objectContaining({ code })],
  });
});
