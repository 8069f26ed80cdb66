import { expect, test } from "vitest";
import { deleteBusiness } from "../../../src/app/delete-business.ts";
import { followAttempts } from "../../../src/cli/commands/deliveries.ts";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("deliveries tail goes on after a business was deleted with its attempts", async () => {
  const rt = createTestRuntime();
  const [kept, deleted] = [addBusiness(rt, "kept"), addBusiness(rt, "deleted")];
  for (const business of [kept, deleted]) await subscribe(rt, business, "http://10.0.0.1/");
  const worker = createTestWorker(rt, async () => ({
    kind: "responded",
    statusCode: 200,
    retryAfter: null,
    responseText: "",
  }));
  const deliver = async (business: typeof kept) => {
    emitEvents(rt, business, "service.updated");
    worker.sweep();
    await worker.whenIdle();
  };
  await deliver(kept);
  await deliver(deleted);
  // The command is another process than the daemon.
  const command = createTestRuntime({ dataDir: rt.config.dataDir });
  const readNew = followAttempts(command, command.store.deliveries.getLastAttemptNumber());
  deleteBusiness(rt, deleted);
  expect(readNew()).toEqual([]);
  await deliver(kept);
  expect(readNew()).toMatchObject([{ businessId: kept.id, number: 2 }]);
  expect(readNew()).toEqual([]);
});
