import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AttemptNotice } from "../../src/courier/courier.ts";
import { startReceiver, type Received } from "../../src/courier/receive.ts";
import { startCourier } from "../../src/courier/start.ts";
import { addBusiness, emit, subscribe } from "../support/engine.ts";
import { receiver } from "../support/receiver.ts";
import { world } from "../support/world.ts";

async function running(rt: ReturnType<typeof world>) {
  const attempts: AttemptNotice[] = [];
  const courier = await startCourier(rt.config, {
    onAttempt: (attempt) => void attempts.push(attempt),
  });
  onTestFinished(courier.stop);
  return { ...courier, attempts };
}

test("the thread takes up what is due at its start, hears of commits by itself and when told, and ends with 0", async () => {
  const rt = world({}, Date.now());
  const business = addBusiness(rt);
  const partner = await receiver();
  await subscribe(rt, business, partner.url);
  emit(rt, business, "service.updated");
  const courier = await running(rt);
  await partner.received(1);
  emit(rt, business, "staff.updated");
  await partner.received(2);
  emit(rt, business, "addon.updated");
  courier.wake();
  await partner.received(3);
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
  const rt = world({}, Date.now());
  const courier = await running(rt);
  const db = new Database(rt.config.databasePath);
  db.exec("DROP TABLE attempt; DROP TABLE delivery");
  db.close();
  expect(await courier.exited).toBe(1);
});

test("a courier that cannot start says so", async () => {
  const rt = world();
  const databasePath = `${rt.config.dataDir}/missing/deskbell.db`;
  await expect(startCourier({ ...rt.config, databasePath })).rejects.toThrow(
    /directory does not exist/,
  );
});

test("the sample receiver takes what is signed with its secret and refuses all else", async () => {
  const rt = world({}, Date.now());
  const business = addBusiness(rt);
  // The secret comes with the subscription, which needs the address first.
  const { url, port, close } = await receiver();
  await close();
  const { secret } = await subscribe(rt, business, url);
  const got: Received[] = [];
  const sample = await startReceiver({
    port,
    secret,
    now: Date.now,
    onDelivery: (received) => void got.push(received),
  });
  onTestFinished(sample.close);
  const courier = await running(rt);
  emit(rt, business, "service.updated");
  await vi.waitFor(() => expect(courier.attempts).toHaveLength(1));
  await fetch(sample.url, { method: "POST", body: "{}" }).then(({ status }) =>
    expect(status).toBe(400),
  );
  expect(got).toMatchObject([
    { eventType: "service.updated", attempt: 1, refused: undefined },
    { eventType: "", refused: "no X-Service-Signature header" },
  ]);
});
