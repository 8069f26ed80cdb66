import { expect, test } from "vitest";
import { deleteBusiness } from "../../../src/app/delete-business.ts";
import { followAttempts } from "../../../src/cli/commands/deliveries.ts";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import type { BusinessRow } from "../../../src/store/businesses.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

/** Returns a function that delivers an event of a business, as a daemon that has just started. */
function startDelivering(rt: TestRuntime) {
  const worker = createTestWorker(rt, async () => ({
    kind: "responded",
    statusCode: 200,
    retryAfter: null,
    responseText: "",
  }));
  return async (business: BusinessRow) => {
    emitEvents(rt, business, "service.updated");
    worker.sweep();
    await worker.whenIdle();
  };
}

/** Follows the attempts of a server with two businesses. The newest attempt is of the second. */
async function followTwo() {
  const rt = createTestRuntime();
  const [kept, deleted] = [addBusiness(rt, "kept"), addBusiness(rt, "deleted")];
  for (const business of [kept, deleted]) await subscribe(rt, business, "http://10.0.0.1/");
  const deliver = startDelivering(rt);
  await deliver(kept);
  await deliver(deleted);
  // A second runtime stands for the process of the command, which is not the daemon.
  const command = createTestRuntime({ dataDir: rt.config.dataDir });
  const readNew = followAttempts(command, command.store.deliveries.getLastAttemptNumber());
  return { rt, kept, deleted, deliver, readNew };
}

test.each([
  ["the daemon has made the deleted attempts", false],
  ["the daemon was started after the deleted attempts", true],
])(
  "deliveries tail prints all attempts that follow the deletion of a business before its next look: %s",
  async (_name, isRestarted) => {
    const { rt, kept, deleted, readNew, ...first } = await followTwo();
    const deliver = isRestarted
      ? startDelivering(createTestRuntime({ dataDir: rt.config.dataDir }))
      : first.deliver;
    deleteBusiness(rt, deleted);
    for (let i = 0; i < 3; i++) await deliver(kept);
    expect(readNew()).toHaveLength(3);
    expect(readNew()).toEqual([]);
  },
);

test("deliveries tail goes on after a business was deleted and the daemon was started again", async () => {
  const { rt, kept, deleted, readNew } = await followTwo();
  deleteBusiness(rt, deleted);
  expect(readNew()).toEqual([]);
  const restarted = createTestRuntime({ dataDir: rt.config.dataDir });
  await startDelivering(restarted)(kept);
  expect(readNew()).toMatchObject([{ businessId: kept.id, number: 2 }]);
  expect(readNew()).toEqual([]);
});
