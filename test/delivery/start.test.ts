import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AttemptNotice } from "../../src/delivery/delivery-worker.ts";
import { startReceiver, type ReceivedDelivery } from "../../src/delivery/sample-receiver.ts";
import { startDeliveryWorker } from "../../src/delivery/start.ts";
import { addBusiness, emitEvents, subscribe } from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

async function running(rt: ReturnType<typeof createTestRuntime>) {
  const attempts: AttemptNotice[] = [];
  const courier = await startDeliveryWorker(rt.config, {
    onAttempt: (attempt) => void attempts.push(attempt),
  });
  onTestFinished(courier.stop);
  return { ...courier, attempts };
}

test("the thread takes up what is due at its start, hears of commits by itself and when told, and ends with 0", async () => {
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  const partner = await createReceiver();
  await subscribe(rt, business, partner.url);
  emitEvents(rt, business, "service.updated");
  const courier = await running(rt);
  await partner.waitForRequests(1);
  emitEvents(rt, business, "staff.updated");
  await partner.waitForRequests(2);
  emitEvents(rt, business, "addon.updated");
  courier.wake();
  await partner.waitForRequests(3);
  await vi.waitFor(() => expect(courier.attempts).toHaveLength(3));
  expect(courier.attempts[0]).toMatchObject({
    eventType: "service.updated",
    n: 1,
    statusCode: 200,
    status: "DELIVERED",
  });
  await courier.stop();
  expect(await courier.exited).toBe(0);
  expect(rt.store.deliveries.list({ status: "DELIVERED" }, 10)).toHaveLength(3);
});

test("an error that nobody expected ends the thread with 1, so that the daemon can end as well", async () => {
  const rt = createTestRuntime({}, Date.now());
  const courier = await running(rt);
  const db = new Database(rt.config.databasePath);
  db.exec("DROP TABLE attempt; DROP TABLE delivery");
  db.close();
  expect(await courier.exited).toBe(1);
});

test("a courier that cannot start says so", async () => {
  const rt = createTestRuntime();
  const databasePath = `${rt.config.dataDir}/missing/deskbell.db`;
  await expect(startDeliveryWorker({ ...rt.config, databasePath })).rejects.toThrow(
    /directory does not exist/,
  );
});

test("the sample receiver takes what is signed with its secret and refuses all else", async () => {
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  // The secret comes with the subscription, which needs the address first.
  const { url, port, close } = await createReceiver();
  await close();
  const { secret } = await subscribe(rt, business, url);
  const got: ReceivedDelivery[] = [];
  const sample = await startReceiver({
    port,
    secret,
    now: Date.now,
    onDelivery: (received) => void got.push(received),
  });
  onTestFinished(sample.close);
  const courier = await running(rt);
  emitEvents(rt, business, "service.updated");
  await vi.waitFor(() => expect(courier.attempts).toHaveLength(1));
  await fetch(sample.url, { method: "POST", body: "{}" }).then(({ status }) =>
    expect(status).toBe(400),
  );
  expect(got).toMatchObject([
    { eventType: "service.updated", attempt: 1, refused: undefined },
    { eventType: "", refused: "no X-Service-Signature header" },
  ]);
});
