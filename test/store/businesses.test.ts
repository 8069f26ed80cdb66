import { expect, test } from "vitest";
import { addBusiness, emitEvents } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("a business that is created again continues its own counters, and another one begins at 0", () => {
  const rt = createTestRuntime();
  const { businesses } = rt.store;
  const first = addBusiness(rt, "first");
  const second = addBusiness(rt, "second");
  emitEvents(rt, first, "service.created", "service.updated");
  emitEvents(rt, second, "service.created");
  for (const { id } of [first, second]) rt.tx(() => businesses.delete(id));
  expect(businesses.getInitialCounters(first.id)).toEqual({ catalogVersion: 1, lastSequence: 2 });
  expect(businesses.getInitialCounters(second.id)).toEqual({ catalogVersion: 1, lastSequence: 1 });
  expect(businesses.getInitialCounters("biz_new")).toEqual({ catalogVersion: 0, lastSequence: 0 });
});
