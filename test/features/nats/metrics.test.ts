import { expect, test } from "vitest";
import { metrics } from "../../../src/features/nats/metrics.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("the metrics have the number of destinations by state, and how long the oldest event has waited", () => {
  const rt = createTestRuntime();
  const samples = metrics
    .flatMap((format) => format(rt))
    .join("\n")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples).toEqual([
    'deskbell_destinations{state="current"} 0',
    'deskbell_destinations{state="failing"} 0',
    'deskbell_destinations{state="late"} 0',
    "deskbell_destinations_behind_seconds 0",
  ]);
});
