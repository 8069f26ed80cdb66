import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("a share of failures is listed only for an endpoint with a successful attempt between two failed attempts", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const replies: Record<string, number[]> = {
    broke: [200, 500, 500, 500],
    recovered: [500, 500, 200, 200],
    flaps: [200, 500, 200, 500],
    works: [200, 200, 200, 200],
    fails: [500, 500, 500, 500],
  };
  const ids = new Map<string, string>();
  for (const name of Object.keys(replies)) {
    const { endpoint } = await subscribe(rt, business, `http://127.0.0.1:9/${name}`);
    ids.set(name, endpoint.id);
  }
  const worker = createTestWorker(rt, async ({ url }) => ({
    kind: "responded",
    statusCode: replies[new URL(url).pathname.slice(1)]!.shift() ?? 200,
    retryAfter: null,
    responseText: "",
  }));
  for (let round = 0; round < 4; round++) {
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
    rt.advance(1);
  }
  expect(rt.store.deliveries.listFailureShares(0)).toEqual([
    { endpointId: ids.get("flaps"), attempts: 4, failed: 2 },
  ]);
});

test("a delivery is found by its ID among others", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  emitEvents(rt, business, "service.updated", "service_price.updated", "catalog.changed");
  const all = rt.store.deliveries.list({ endpointId: endpoint.id }, 10);
  expect(all).toHaveLength(3);
  for (const { id, eventType } of all)
    expect(rt.store.deliveries.findById(id)).toMatchObject({ id, eventType });
  expect(rt.store.deliveries.findById("dlv_none")).toBeUndefined();
});

test("the share of failures is computed from the latest 1000 attempts", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  emitEvents(rt, business, "service.updated");
  const db = new Database(rt.config.databasePath);
  const insert = db.prepare(`
    INSERT INTO attempt (delivery, n, at, duration_ms, outcome, status_code, error)
    VALUES ((SELECT number FROM delivery), :n, 0, 1, 'responded', :statusCode, :error)`);
  db.transaction(() => {
    for (let n = 1; n <= 1001; n++) {
      // The first attempt is not one of the latest 1000.
      const failed = [1, 2, 4].includes(n);
      insert.run({ n, statusCode: failed ? 500 : 200, error: failed ? "HTTP 500" : null });
    }
  })();
  db.close();
  expect(rt.store.deliveries.listFailureShares(0)).toEqual([
    { endpointId: endpoint.id, attempts: 1000, failed: 2 },
  ]);
});

test("the attempts of one delivery are listed, and the responses of one event are deleted", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://127.0.0.1:9/");
  const worker = createTestWorker(rt, async ({ headers }) => ({
    kind: "responded",
    statusCode: 200,
    retryAfter: null,
    responseText: headers["X-Service-Event"]!,
  }));
  emitEvents(rt, business, "service.updated", "service_price.updated");
  worker.wake();
  await worker.whenIdle();
  const responses = () =>
    rt.store.deliveries
      .list({}, 10)
      .toReversed()
      .map(({ id }) => rt.store.deliveries.listAttempts(id).map((attempt) => attempt.responseText));
  expect(responses()).toEqual([["service.updated"], ["service_price.updated"]]);
  rt.store.deliveries.deleteResponses(rt.store.events.findIdAt(business.id, 1)!);
  expect(responses()).toEqual([[null], ["service_price.updated"]]);
});
