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
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createBackup } from "../../../src/app/operations/backups.ts";
import type { DaemonResponse } from "../../../src/app/operations/doctor-checks.ts";
import { runDoctor } from "../../../src/app/operations/doctor.ts";
import type { Check } from "../../../src/app/operations/finding.ts";
import { cancelDeliveries } from "../../../src/app/webhooks/deliveries.ts";
import { createKey, rotateKey } from "../../../src/app/keys.ts";
import { createDeliveryQueue, type PermitKind } from "../../../src/delivery/delivery-queue.ts";
import { probeDaemon } from "../../../src/cli/running/probe-daemon.ts";
import { NO_STREAK } from "../../../src/domain/webhooks/failure-streak.ts";
import { maxInFlight, PERMITS } from "../../../src/domain/webhooks/permits.ts";
import { acquireDaemonLock } from "../../../src/store/database.ts";
import { emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { seedShop } from "../../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

const DAY_MS = 86_400_000;

type Box = TestRuntime & {
  business: NonNullable<ReturnType<TestRuntime["store"]["businesses"]["findBySlug"]>>;
  endpointId: string;
  keyId: string;
  edit: (sql: string) => void;
};

/** A box in order: a shop with a key and an endpoint, a backup, a daemon that seems to run and tells an operator. */
async function soundBox(): Promise<Box> {
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
  await createBackup(rt);
  const lock = acquireDaemonLock(rt.config.databasePath);
  onTestFinished(lock.release);
  rt.tx(() =>
    rt.store.live.saveDaemon({
      url: "http://127.0.0.1:1",
      startedAt: rt.now(),
      hasAlertUrl: true,
      openFiles: 65_536,
    }),
  );
  const edit = (sql: string) => {
    const db = new Database(rt.config.databasePath);
    db.pragma("foreign_keys = OFF");
    db.exec(sql);
    db.close();
  };
  return Object.assign(rt, { business, endpointId: endpoint.id, keyId: key.id, edit });
}

const isWell = (rt: TestRuntime) => async (): Promise<DaemonResponse> => ({ at: rt.now() });

async function checksOf(rt: TestRuntime, ask = isWell(rt)): Promise<Check[]> {
  const checks: Check[] = [];
  // As a process of its own, which knows nothing from before.
  const open = async () =>
    Object.assign(createTestRuntime({ dataDir: rt.config.dataDir }, rt.now()), {
      freeBytes: rt.freeBytes,
    });
  for await (const check of runDoctor(rt.config, { open, askDaemon: ask })) checks.push(check);
  return checks;
}

async function findingsOf(rt: TestRuntime, ask = isWell(rt)) {
  return (await checksOf(rt, ask)).flatMap(({ about, findings }) =>
    findings.map(({ text, fix, isAdvice = false }) => ({ about, text, fix, isAdvice })),
  );
}

const overwrite = (path: string, bytes: Buffer, at: number): void => {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
};

/** Lets the file hold everything, so that it can be damaged. */
const settle = (rt: Box): void => {
  rt.edit("PRAGMA wal_checkpoint(TRUNCATE)");
  rt.close();
};

test("a box in order has nothing to be mended", async () => {
  expect(await findingsOf(await soundBox())).toEqual([]);
});

test("one of a thing is told as one, and sizes as `status` tells them", async () => {
  const rt = await soundBox();
  rt.freeBytes = () => 23_400_000_000;
  const looked = Object.fromEntries(
    (await checksOf(rt)).map(({ about, looked }) => [about, looked]),
  );
  expect(looked).toMatchObject({
    database: expect.stringMatching(/^SQLite [\d.]+, schema \d+, \d+ KB read$/),
    clock: "1 time zone",
    disk: "23.4 GB free",
    webhooks: "1 endpoint",
  });
});

test("the files that a daemon needs are those of every webhook that can be on its way at once", () => {
  const turns = createDeliveryQueue(PERMITS);
  let onWire = 0;
  const fill = (kind: PermitKind): number => {
    const before = onWire;
    for (; turns.hasPermit(kind); onWire++) turns.acquire(kind);
    return onWire - before;
  };
  fill("PROBE");
  // Endless as long as those that hang make room for more.
  for (let fresh = fill("PROMPT"); fresh > 0; fresh = fill("PROMPT"))
    for (let i = 0; i < fresh; i++) turns.downgradeToLate();
  expect(fill("LATE")).toBe(0);
  expect(onWire).toBe(maxInFlight(PERMITS));
});

type Scenario = {
  what: string;
  provoke: (rt: Box) => void | Promise<void>;
  about: string;
  text: RegExp;
  fix: RegExp;
  advice?: true;
};

const scenarios: Scenario[] = [
  {
    what: "a folder that others may enter",
    provoke: (rt) => chmodSync(rt.config.dataDir, 0o755),
    about: "files",
    text: /^other users of this machine can get at \/.*$/,
    fix: /^chmod -R go= \/\S+$/,
  },
  {
    what: "a master key that others may read",
    provoke: (rt) => chmodSync(rt.config.masterKeyPath, 0o644),
    about: "files",
    text: /get at \/\S+\/master\.key$/,
    fix: /^chmod -R go= /,
  },
  {
    what: "a damaged page",
    provoke: (rt) => {
      settle(rt);
      overwrite(rt.config.databasePath, Buffer.alloc(4096, 0xa5), 4096 * 8);
    },
    about: "database",
    text: /is damaged: /,
    fix: /deskbell backup list/,
  },
  {
    what: "a file that was cut off",
    provoke: (rt) => {
      settle(rt);
      truncateSync(rt.config.databasePath, 4096 * 20);
    },
    about: "database",
    text: /is damaged: /,
    fix: /deskbell backup list/,
  },
  {
    what: "something else in the database's place",
    provoke: (rt) => {
      settle(rt);
      writeFileSync(rt.config.databasePath, "Dear diary, ".repeat(1000), { mode: 0o600 });
    },
    about: "database",
    text: /is no database/,
    fix: /./,
  },
  {
    what: "an empty file",
    provoke: (rt) => {
      settle(rt);
      truncateSync(rt.config.databasePath, 0);
    },
    about: "database",
    text: /is not one of deskbell's/,
    fix: /^deskbell backup list$/,
  },
  {
    what: "rows that belong to nothing",
    provoke: (rt) =>
      rt.edit("INSERT INTO time_off VALUES ('tof_1', 'biz_gone', 'stf_1', 1, 2, NULL, 1)"),
    about: "database",
    text: /^rows in time_off belong to nothing: restore a backup$/,
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
    provoke: (rt) => rt.edit("PRAGMA user_version = 3"),
    about: "database",
    text: /older deskbell \(schema 3\)/,
    fix: /^deskbell backup$/,
    advice: true,
  },
  {
    what: "a key in plain text",
    provoke: (rt) => rt.edit("UPDATE api_key_secret SET hash = CAST('deskbell_sk_plain' AS BLOB)"),
    about: "keys",
    text: /^key_\w+ is on file otherwise than as a hash$/,
    fix: /^deskbell keys revoke key_/,
  },
  {
    what: "a secret key in a web page",
    provoke: (rt) => {
      rt.advance(1);
      rt.tx(() => rt.store.keys.markSeenInBrowser(rt.keyId, rt.now()));
    },
    about: "keys",
    text: /^the secret key 'site' was sent by a web page/,
    fix: /^deskbell keys rotate key_\w+ --overlap 0s$/,
  },
  {
    what: "a key that has expired",
    provoke: (rt) => rt.edit(`UPDATE api_key SET expires_at = ${rt.now() - 1}`),
    about: "keys",
    text: /^the key 'site' has expired$/,
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
    text: /^the key 'joe's till' expires at 2026-11-27T12:00:00Z$/,
    fix: /^deskbell keys create --business shop --name 'joe'\\''s till' --scope services.read --scope webhooks.read$/,
    advice: true,
  },
  {
    what: "a master key that is gone",
    provoke: (rt) => rmSync(rt.config.masterKeyPath),
    about: "secrets",
    text: /master\.key is gone: no webhook can be signed\. Put the key file back/,
    fix: /^install -m 600 FILE \/\S+\/master\.key$/,
  },
  {
    what: "the master key of another box",
    provoke: (rt) =>
      writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`, {
        mode: 0o600,
      }),
    about: "secrets",
    text: /master\.key opens no signing secret: no webhook can be signed\. Put the key file back/,
    fix: /^install -m 600 FILE /,
  },
  {
    what: "a master key that is none",
    provoke: (rt) => writeFileSync(rt.config.masterKeyPath, "swordfish\n", { mode: 0o600 }),
    about: "secrets",
    text: /master\.key opens no signing secret/,
    fix: /^install -m 600 FILE /,
  },
  {
    what: "a signing secret that was moved to another row",
    provoke: async (rt) => {
      await subscribe(rt, rt.business, "http://127.0.0.1:9/other");
      rt.edit(`UPDATE endpoint_secret SET id = 'whs_other' WHERE endpoint_id = '${rt.endpointId}'`);
    },
    about: "secrets",
    text: /^a signing secret of 'partner' does not open with \/.*master\.key$/,
    fix: /^deskbell webhooks rotate-secret whe_\w+ --force$/,
  },
  {
    what: "a clock that was set back",
    provoke: (rt) => {
      rt.advance(3 * DAY_MS);
      emitEvents(rt, rt.business, "service.updated");
      rt.advance(-3 * DAY_MS);
    },
    about: "clock",
    text: /^the clock says 2026-11-20T12:00:00Z, but the newest record was made at 2026-11-23T12:00:00Z$/,
    fix: /timedatectl/,
  },
  {
    what: "a time zone that this Node does not know",
    provoke: (rt) =>
      rt.edit("UPDATE business SET doc = json_set(doc, '$.timezone', 'Mars/Olympus_Mons')"),
    about: "clock",
    text: /no time zone 'Mars\/Olympus_Mons', in which shop is$/,
    fix: /deskbell catalog apply FILE$/,
  },
  {
    what: "a disk that is almost full",
    provoke: (rt) => void (rt.freeBytes = () => 5_000_000),
    about: "disk",
    text: /has 5\.0 MB left/,
    fix: /^df -h /,
  },
  {
    what: "few files that may be open",
    provoke: (rt) => rt.edit("UPDATE daemon SET open_files = 1024"),
    about: "daemon",
    text: /^the daemon may have 1024 files open: under load it needs 6141 \(4096 connections, 1844 webhooks on their way and 201 others\)$/,
    fix: /LimitNOFILE=65536/,
    advice: true,
  },
  {
    what: "a courier that does nothing",
    provoke: (rt) => {
      emitEvents(rt, rt.business, "service.updated");
      rt.advance(3 * 60_000);
    },
    about: "daemon",
    text: /^webhooks are due since 2026-11-20T12:00:00Z, and the daemon sends none/,
    fix: /^deskbell deliveries list --status PENDING$/,
  },
  {
    what: "an event whose bytes were changed in the file",
    provoke: async (rt) => {
      const courier = createTestWorker(rt);
      emitEvents(rt, rt.business, "service.updated");
      rt.edit("UPDATE event SET body = CAST('{}' AS BLOB)");
      courier.wake();
      await courier.whenIdle();
    },
    about: "webhooks",
    text: /^the event of dlv_\w+ was changed in the file: it was not sent$/,
    fix: /^deskbell deliveries cancel dlv_\w+$/,
  },
  {
    what: "an event that was changed before it was sent",
    provoke: (rt) => {
      emitEvents(rt, rt.business, "service.updated");
      rt.edit("UPDATE event SET body = CAST(body || ' ' AS BLOB)");
    },
    about: "webhooks",
    text: /^evt_\w+ was changed in the file and will not be sent: restore a backup that has it whole$/,
    fix: /^deskbell backup list$/,
  },
  {
    what: "an endpoint that has been failing for a day",
    provoke: (rt) => {
      const streak = { ...NO_STREAK, failingSince: rt.now() - DAY_MS, failureCount: 1 };
      rt.tx(() => rt.store.endpoints.updateStreak(rt.endpointId, streak));
    },
    about: "webhooks",
    text: /^'partner' has failed once since /,
    fix: /^deskbell deliveries list --failed --endpoint whe_\w+$/,
  },
  {
    what: "an endpoint that is gone",
    provoke: (rt) =>
      rt.tx(() => rt.store.endpoints.updateStatus(rt.endpointId, "DISABLED", "gone", rt.now())),
    about: "webhooks",
    text: /^'partner' is disabled \(gone\)$/,
    fix: /^deskbell webhooks show whe_/,
  },
  {
    what: "nobody who is told of failures",
    provoke: (rt) => rt.edit("UPDATE daemon SET has_alert_url = 0"),
    about: "webhooks",
    text: /^nobody is told when an endpoint begins to fail/,
    fix: /--alert-url URL/,
    advice: true,
  },
  {
    what: "no backup at all",
    provoke: (rt) => rmSync(join(rt.config.dataDir, "backups"), { recursive: true }),
    about: "backups",
    text: /^there is no backup yet$/,
    fix: /^deskbell backup$/,
    advice: true,
  },
  {
    what: "no backup for three days",
    provoke: (rt) => rt.advance(3 * DAY_MS),
    about: "backups",
    text: /^there has been no backup since 2026-11-20T12:00:00Z$/,
    fix: /^deskbell backup$/,
  },
];

test.each(scenarios)(
  "$what is found, with what mends it",
  async ({ provoke, about, text, fix, advice }) => {
    const rt = await soundBox();
    await provoke(rt);
    expect(await findingsOf(rt)).toEqual([
      {
        about,
        text: expect.stringMatching(text),
        fix: expect.stringMatching(fix),
        isAdvice: advice ?? false,
      },
    ]);
  },
);

test.runIf(process.getuid?.() === 0)("a file of another user is found", async () => {
  const rt = await soundBox();
  chownSync(rt.config.masterKeyPath, 12_345, 12_345);
  expect(await findingsOf(rt)).toMatchObject(
    [
      { about: "files", text: /master\.key does not belong to user 0/, fix: /^sudo chown -R 0 / },
    ].map(({ text, fix, ...rest }) => ({
      ...rest,
      text: expect.stringMatching(text),
      fix: expect.stringMatching(fix),
    })),
  );
});

test("what was mended is told of no more", async () => {
  const rt = await soundBox();
  rt.advance(1);
  rt.tx(() => rt.store.keys.markSeenInBrowser(rt.keyId, rt.now()));
  expect(await findingsOf(rt)).toHaveLength(1);
  rotateKey(rt, rt.keyId, 0);
  expect(await findingsOf(rt)).toEqual([]);

  emitEvents(rt, rt.business, "service.updated");
  rt.edit(
    "UPDATE delivery SET status = 'CORRUPT', next_attempt_at = NULL; UPDATE delivery_count SET status = 'CORRUPT'",
  );
  const [delivery] = rt.store.deliveries.list({}, 1);
  expect(await findingsOf(rt)).toMatchObject([
    { fix: `deskbell deliveries cancel ${delivery?.id}` },
  ]);
  expect(cancelDeliveries(rt, { id: delivery?.id })).toBe(1);
  expect(await findingsOf(rt)).toEqual([]);
});

test("an attempt that failed and will be made again is nothing to be mended", async () => {
  const rt = await soundBox();
  const courier = createTestWorker(rt);
  emitEvents(rt, rt.business, "service.updated");
  courier.wake();
  await courier.whenIdle();
  expect(rt.store.endpoints.findById(rt.endpointId)).toMatchObject({ failureCount: 1 });
  expect(await findingsOf(rt)).toEqual([]);
});

test("a backlog that moves is none that is stuck", async () => {
  const rt = await soundBox();
  emitEvents(rt, rt.business, "service.updated");
  rt.advance(3 * 60_000);
  rt.tx(() => rt.store.tallies.addAttempts(rt.business.id, rt.now(), 1, 0));
  expect(await findingsOf(rt)).toEqual([]);
});

/** What the doctor says of a daemon that answers so. */
async function askFake(answer: (ask: { status: number; headers: Record<string, string> }) => void) {
  const reply = { status: 200, headers: {} as Record<string, string> };
  answer(reply);
  const server = createServer((_, response) =>
    response.writeHead(reply.status, reply.headers).end("{}"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const rt = await soundBox();
  rt.tx(() =>
    rt.store.live.saveDaemon({
      url: `http://127.0.0.1:${port}`,
      startedAt: rt.now(),
      hasAlertUrl: true,
      openFiles: 65_536,
    }),
  );
  return findingsOf(rt, probeDaemon as ReturnType<typeof isWell>);
}

test("a daemon is asked over HTTP: whether it is ready, and what its clock says", async () => {
  const now = new Date("2026-11-20T12:00:20Z").toUTCString();
  expect(await askFake(({ headers }) => (headers.date = now))).toEqual([]);
  expect(
    await askFake(({ headers }) => (headers.date = "Fri, 20 Nov 2026 13:00:00 GMT")),
  ).toMatchObject([
    {
      about: "daemon",
      text: "the daemon's clock says 2026-11-20T13:00:00Z, this command's 2026-11-20T12:00:00Z",
    },
  ]);
  expect(await askFake((reply) => (reply.status = 503))).toMatchObject([
    {
      about: "daemon",
      text: expect.stringMatching(/does not answer at http:\/\/127\.0\.0\.1:\d+: status 503$/),
    },
  ]);
});

test("a daemon that holds the data but does not listen is found", async () => {
  const rt = await soundBox();
  expect(await findingsOf(rt, probeDaemon as ReturnType<typeof isWell>)).toMatchObject([
    {
      about: "daemon",
      text: "the daemon does not answer at http://127.0.0.1:1: ECONNREFUSED",
      isAdvice: false,
    },
  ]);
});
