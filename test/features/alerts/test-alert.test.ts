import { expect, test } from "vitest";
import {
  createTestAnswers,
  requestTest,
  takeTestResults,
} from "../../../src/features/alerts/test-alert.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("the results of a requested test alert can be read once, after the daemon has sent it", async () => {
  const rt = createTestRuntime();
  const key = requestTest(rt);
  expect(takeTestResults(rt, key)).toBeUndefined();
  const channel = { name: "mail", send: async () => undefined };
  await createTestAnswers(rt, { channels: [channel] } as never, () => false)();
  expect(takeTestResults(rt, key)).toEqual([{ channel: "mail", isSent: true, error: null }]);
  expect(takeTestResults(rt, key)).toBeUndefined();
});
