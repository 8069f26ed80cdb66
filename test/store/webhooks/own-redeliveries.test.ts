import { expect, test } from "vitest";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("successive searches for deliveries to send again find each of them once, the oldest first", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  const worker = createTestWorker(rt, async () => ({
    kind: "responded",
    statusCode: 200,
    retryAfter: null,
    responseText: "",
  }));
  emitEvents(rt, business, ...Array.from({ length: 5 }, () => "service.updated" as const));
  worker.wake();
  await worker.whenIdle();
  const all = rt.store.deliveries
    .list({ endpointId: endpoint.id, status: "DELIVERED" }, 10)
    .map(({ id }) => id)
    .sort();
  expect(all).toHaveLength(5);
  const searchAll = (limit: number, most: number) => {
    const pages: string[][] = [];
    for (let after: string | null = ""; after !== null;) {
      const search = { endpointId: endpoint.id, after, before: "dlv_~" };
      const { rows, read, reached } = rt.store.ownRedeliveries.search(search, limit, most);
      expect(read).toBeLessThanOrEqual(most);
      pages.push(rows.map(({ id }) => id));
      after = reached;
    }
    return pages;
  };
  expect(searchAll(2, 100)).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
  expect(searchAll(100, 3)).toEqual([all.slice(0, 3), all.slice(3)]);
});
