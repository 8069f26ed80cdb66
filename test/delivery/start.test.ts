import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
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

test("the delivery thread sends due deliveries at startup, after a poll and after a wake, and exits with 0", async () => {
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
  await worker.stop();
  expect(await worker.exited).toBe(0);
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

test("an internal error ends the delivery thread with exit code 1", async () => {
  const rt = createTestRuntime({}, Date.now());
  const worker = await startWorker(rt);
  const db = new Database(rt.config.databasePath);
  db.exec("DROP TABLE attempt; DROP TABLE delivery");
  db.close();
  expect(await worker.exited).toBe(1);
});

test("starting a delivery worker that cannot start rejects with the reason", async () => {
  const rt = createTestRuntime();
  const databasePath = `${rt.config.dataDir}/missing/deskbell.db`;
  await expect(startDeliveryWorker({ ...rt.config, databasePath })).rejects.toThrow(
    /directory does not exist/,
  );
});
