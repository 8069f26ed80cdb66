import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { expect, test } from "vitest";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("a delivery that waits in a slow redelivery is made due now by its ID, but not by a filter without an ID", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  emitEvents(rt, business, "service.updated", "service_price.updated", "catalog.changed");
  const { deliveries, deliveryMoves } = rt.store;
  const filter = { endpointId: endpoint.id };
  rt.tx(() => deliveryMoves.cancel(filter));
  const batch = { after: 0, upTo: 3, limit: 10, at: rt.now(), stepMs: 60_000 };
  const redeliver = (one: object) => rt.tx(() => deliveryMoves.redeliver(one, batch));
  expect(redeliver({ ...filter, status: "CANCELLED" })).toEqual({ count: 3, last: 3 });
  const dueTimes = () =>
    deliveries
      .list(filter, 10)
      .toReversed()
      .map(({ nextAttemptAt }) => nextAttemptAt! - rt.now());
  expect(dueTimes()).toEqual([0, 60_000, 120_000]);
  expect(deliveryMoves.countRedeliverable(filter)).toBe(0);
  const { id } = deliveries.list(filter, 1)[0]!;
  expect(deliveryMoves.countRedeliverable({ id })).toBe(1);
  expect(redeliver({ id })).toEqual({ count: 1, last: 3 });
  expect(dueTimes()).toEqual([0, 60_000, 0]);
});

test("a redelivery counts as untried until its first attempt; a new delivery or a retry never counts", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  const worker = createTestWorker(rt, async () => ({
    kind: "responded",
    statusCode: 500,
    retryAfter: null,
    responseText: "",
  }));
  const attempt = async () => {
    worker.sweep();
    await worker.whenIdle();
  };
  const { deliveryMoves } = rt.store;
  const filter = { endpointId: endpoint.id };
  const countUntried = () => deliveryMoves.countUntriedRedeliveries(filter);
  emitEvents(rt, business, "service.updated");
  expect(countUntried()).toBe(0);
  await attempt();
  const batch = { after: 0, upTo: 1, limit: 10, at: rt.now(), stepMs: 0 };
  expect(rt.tx(() => deliveryMoves.redeliver(filter, batch)).count).toBe(1);
  expect(countUntried()).toBe(1);
  rt.advance(3_600_000);
  await attempt();
  const [tried] = rt.store.deliveries.list(filter, 1);
  expect([tried!.status, tried!.attemptCount]).toEqual(["PENDING", 2]);
  expect(countUntried()).toBe(0);
  expect(deliveryMoves.countStoppedRedeliveries(filter)).toBe(0);
  rt.tx(() => deliveryMoves.redeliver(filter, { ...batch, at: rt.now() }));
  disableEndpoint(rt, endpoint.id, "manual");
  expect([countUntried(), deliveryMoves.countStoppedRedeliveries(filter)]).toEqual([0, 1]);
});
