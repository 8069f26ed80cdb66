import { expect, test } from "vitest";
import { addBusiness, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("a redelivery with a rate is sent again early by its ID, and not by a filter without an ID", async () => {
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
