import { expect, test } from "vitest";
import { addBusiness, emitEvents, subscribe } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("an old event that waits for its delivery stays, and does not count as deleted", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const deletedAt = rt.now();
  emitEvents(rt, business, "service.created");
  await subscribe(rt, business, "http://127.0.0.1:9/hook");
  rt.advance(1000);
  emitEvents(rt, business, "service.updated");
  rt.advance(1000);
  const cutoffs = { ended: rt.now(), unresolved: rt.now() };
  const { retention, events } = rt.store;
  const types = () => events.list({}, 10).map(({ type }) => type);
  const batch = rt.tx(() => retention.pruneEvents(0, 100, cutoffs));
  expect(batch.deletedUntil).toBe(deletedAt);
  expect(types()).toEqual(["service.updated"]);
  expect(rt.tx(() => retention.pruneEvents(0, 100, cutoffs)).deletedUntil).toBe(0);
  expect(types()).toEqual(["service.updated"]);
});
