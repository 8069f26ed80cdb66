import { closeSync, openSync, writeSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import type { AttemptReport } from "../../src/delivery/delivery-worker.ts";
import { startDeliveryWorker } from "../../src/delivery/start.ts";
import { addBusiness, emitEvents, subscribe } from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { WAITS } from "../support/waits.ts";

async function startWorker(rt: ReturnType<typeof createTestRuntime>) {
  const attempts: AttemptReport[] = [];
  const worker = await startDeliveryWorker(rt.config, {
    onAttempt: (attempt) => void attempts.push(attempt),
  });
  onTestFinished(worker.stop);
  return { ...worker, attempts };
}

test("the delivery thread sends due deliveries at startup, after a poll and after a wake, and exits with 0 on a stop", async () => {
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  const partner = await createReceiver();
  await subscribe(rt, business, partner.url);
  emitEvents(rt, business, "service.updated");
  const worker = await startWorker(rt);
  await partner.waitForRequests(1);
  emitEvents(rt, business, "staff.updated");
  await partner.waitForRequests(2);
  emitEvents(rt, business, "addon.updated");
  worker.wake();
  await partner.waitForRequests(3);
  await vi.waitFor(() => expect(worker.attempts).toHaveLength(3), WAITS);
  expect(worker.attempts[0]).toMatchObject({
    eventType: "service.updated",
    n: 1,
    statusCode: 200,
    status: "DELIVERED",
  });
  let exitCode: number | undefined;
  void worker.exited.then((code) => (exitCode = code));
  await worker.stop();
  expect(exitCode).toBe(0);
  expect(rt.store.deliveries.list({ status: "DELIVERED" }, 10)).toHaveLength(3);
});

test("the audit log names the daemon as the actor if the delivery thread disables an endpoint", async () => {
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  const partner = await createReceiver([{ status: 410 }]);
  const { endpoint } = await subscribe(rt, business, partner.url);
  emitEvents(rt, business, "service.updated");
  await startWorker(rt);
  const listDisabled = () => rt.store.audit.list({ action: "endpoint.disabled" }, 10);
  await vi.waitFor(() => expect(listDisabled()).toHaveLength(1), WAITS);
  expect(listDisabled()).toMatchObject([
    {
      via: "daemon",
      actorId: "daemon",
      address: null,
      subjectId: endpoint.id,
      details: { reason: "gone" },
    },
  ]);
});

test("an internal error ends the delivery thread with exit code 1, and is logged with its stack", async () => {
  const logged: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    logged.push(String(text));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  const rt = createTestRuntime({}, Date.now());
  const worker = await startWorker(rt);
  const db = new Database(rt.config.databasePath);
  db.exec("DROP TABLE attempt; DROP TABLE delivery");
  db.close();
  expect(await worker.exited).toBe(1);
  expect(worker.failure()?.message).toBe("The delivery worker failed: no such table: delivery.");
  await vi.waitFor(
    () =>
      expect(logged.join("")).toMatch(
        /"The delivery worker failed\.","error":"SqliteError: no such table: delivery.+at /,
      ),
    WAITS,
  );
});

/** Overwrites the first page of a table, as a broken disk does. */
function damageTable(path: string, table: string): void {
  const db = new Database(path);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const select = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck();
  const rootPage = select.get(table) as number;
  const pageSize = db.pragma("page_size", { simple: true }) as number;
  db.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(pageSize, 0xff), 0, pageSize, (rootPage - 1) * pageSize);
  closeSync(file);
}

/**
 * Makes the JSON in the scopes of each key invalid, but leaves the structure of the database
 * intact.
 */
function damageKeys(path: string): void {
  const db = new Database(path);
  db.pragma("ignore_check_constraints = ON");
  db.exec("UPDATE api_key SET scopes = '['");
  db.close();
}

test.each([
  {
    what: "page",
    damage: (path: string) => damageTable(path, "endpoint"),
    message: /deskbell\.db is damaged or is not a database: database disk image is malformed\.$/,
  },
  {
    what: "value",
    damage: damageKeys,
    message: /^the database is damaged or is not a database: api_key\.scopes is not valid JSON\.$/,
  },
])(
  "a damaged $what of the database ends the delivery thread, which logs and reports the damage and its fix",
  async ({ damage, message }) => {
    const rt = createTestRuntime({ logFormat: "json" }, Date.now());
    const business = addBusiness(rt);
    const { key } = createKey(rt, {
      businessId: business.id,
      name: "partner",
      kind: "SECRET",
      scopes: [],
    });
    await subscribe(rt, business, "http://127.0.0.1:9/", ["service.updated"], key.id);
    emitEvents(rt, business, "service.updated");
    damage(rt.config.databasePath);
    const logged: string[] = [];
    const write = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
      logged.push(String(chunk));
      return true;
    });
    onTestFinished(() => write.mockRestore());
    const worker = await startDeliveryWorker(rt.config);
    expect(await worker.exited).toBe(1);
    const failure = {
      message: expect.stringMatching(message),
      fix: "stop the daemon and restore a backup: deskbell backup list",
    };
    expect(worker.failure()).toMatchObject(failure);
    const lines = logged.join("").split("\n");
    const entries = lines
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as object);
    expect(entries).toContainEqual(expect.objectContaining({ level: "error", ...failure }));
  },
);

test("startDeliveryWorker rejects with the reason if the database cannot be opened", async () => {
  const rt = createTestRuntime();
  const databasePath = `${rt.config.dataDir}/missing/deskbell.db`;
  await expect(startDeliveryWorker({ ...rt.config, databasePath })).rejects.toThrow(
    /directory does not exist/,
  );
});
