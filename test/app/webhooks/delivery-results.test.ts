import { expect, test } from "vitest";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("the attempts of each business are counted by their result", async () => {
  const rt = createTestRuntime();
  const [salon, bar] = [addBusiness(rt), addBusiness(rt, "bar-nova")];
  await subscribe(rt, salon, "http://127.0.0.1:9/up");
  await subscribe(rt, bar, "http://127.0.0.1:9/down");
  emitEvents(rt, salon, "service.updated", "service.updated");
  emitEvents(rt, bar, "service.updated");
  const worker = createTestWorker(rt, ({ url }) =>
    Promise.resolve({
      kind: "responded",
      statusCode: url.endsWith("/up") ? 200 : 500,
      retryAfter: null,
      responseText: "",
    }),
  );
  worker.sweep();
  await worker.whenIdle();
  const countsOf = (id: string) => rt.store.tallies.listMinutes(0, id);
  expect(countsOf(salon.id)).toMatchObject([{ delivered: 2, failed: 0 }]);
  expect(countsOf(bar.id)).toMatchObject([{ delivered: 0, failed: 1 }]);
});
