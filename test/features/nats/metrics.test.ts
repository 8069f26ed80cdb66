import { expect, test } from "vitest";
import { metrics } from "../../../src/features/nats/metrics.ts";
import { createDestinationStore } from "../../../src/features/nats/store.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addDestination } from "./destinations.ts";

test("the metrics count the destinations in each state, and say how long the oldest event has waited", () => {
  const rt = createTestRuntime();
  const samples = () =>
    metrics
      .flatMap((format) => format(rt))
      .join("\n")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples()).toEqual([
    'deskbell_destinations{state="current"} 0',
    'deskbell_destinations{state="failing"} 0',
    'deskbell_destinations{state="late"} 0',
    "deskbell_destinations_behind_seconds 0",
  ]);
  const { destination } = addDestination(rt);
  expect(samples()).toContain('deskbell_destinations{state="current"} 1');
  const state = { behindSince: rt.now(), lastError: "connection refused", streamSequence: 1 };
  rt.tx(() => rt.openStore(createDestinationStore).updateState(destination, state));
  rt.advance(300_000);
  expect(samples()).toEqual([
    'deskbell_destinations{state="current"} 0',
    'deskbell_destinations{state="failing"} 0',
    'deskbell_destinations{state="late"} 1',
    "deskbell_destinations_behind_seconds 300",
  ]);
});
