import { expect, test } from "vitest";
import { createStreamPosition } from "../../../../src/features/nats/publishing/stream-position.ts";
import { createDestinationStore } from "../../../../src/features/nats/store.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { addDestination } from "../destinations.ts";

const stored = (streamSequence: number) => ({
  kind: "stored" as const,
  streamSequence,
  isDuplicate: false,
});

test("a late answer of a stream that was recreated meanwhile does not change the position in the new one", () => {
  const rt = createTestRuntime();
  const destination = { ...addDestination(rt).destination, streamSequence: 50 };
  const position = createStreamPosition(rt, destination);
  const late = position.beginPublish();
  position.beginPublish()(stored(1));
  expect(position.highest()).toBe(1);
  late(stored(51));
  expect(position.highest()).toBe(1);
  position.beginPublish()(stored(2));
  expect(position.highest()).toBe(2);
  expect(rt.openStore(createDestinationStore).findById(destination.id)).toMatchObject({
    recreatedAt: rt.now(),
    streamSequence: 1,
  });
});
