import { expect, test, vi } from "vitest";
import { startPublishing } from "../../../src/features/nats/schedule.ts";
import { createDestinationStore } from "../../../src/features/nats/store.ts";
import { createPublishers } from "../../../src/features/nats/publishing/publishers.ts";
import { deleteDestination } from "../../../src/features/nats/delete-destination.ts";
import { addBusiness, emitEvents } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addDestination, createFakeStream } from "./destinations.ts";

test("the code that publishes events is loaded for the first destination, which gets every later event", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const stream = createFakeStream();
  const load = vi.fn(async () => ({
    createPublishers: () => createPublishers(rt, stream.connect),
  }));
  const { afterCommit, everySecond = [], stop } = startPublishing(rt, load);
  const pass = () => {
    afterCommit?.();
    for (const task of everySecond) void task();
  };
  emitEvents(rt, business, "service.updated");
  pass();
  expect(load).not.toHaveBeenCalled();
  const { destination } = addDestination(rt);
  pass();
  emitEvents(rt, business, "service.updated");
  pass();
  await expect.poll(stream.ids).toHaveLength(1);
  emitEvents(rt, business, "service.updated");
  pass();
  await expect.poll(stream.ids).toHaveLength(2);
  pass();
  expect(load).toHaveBeenCalledOnce();
  await stop?.(1000);
  expect(rt.openStore(createDestinationStore).findById(destination.id)).toMatchObject({
    streamSequence: 2,
  });
});

test("a server whose destinations were deleted does not load the code that publishes", async () => {
  const rt = createTestRuntime();
  const { destination } = addDestination(rt);
  deleteDestination(rt, destination.id);
  const load = vi.fn(() => import("../../../src/features/nats/publishing/publishers.ts"));
  const { afterCommit, stop } = startPublishing(rt, load);
  afterCommit?.();
  await stop?.(1000);
  expect(load).not.toHaveBeenCalled();
});
