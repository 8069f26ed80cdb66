import { expect, test } from "vitest";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("an endpoint has a share of failures only if an attempt succeeded after a failed one", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const replies: Record<string, number[]> = {
    broke: [200, 500, 500],
    recovered: [500, 200, 200],
    works: [200, 200, 200],
    fails: [500, 500, 500],
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
  for (let round = 0; round < 3; round++) {
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
    rt.advance(1);
  }
  expect(rt.store.deliveries.listFailureShares(0)).toEqual([
    { endpointId: ids.get("recovered"), attempts: 3, failed: 1 },
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
