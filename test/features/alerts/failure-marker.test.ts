import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import {
  hasAlertedFailure,
  recordFailureAlert,
} from "../../../src/features/alerts/failure-marker.ts";
import { createTempFolder } from "../../support/cli.ts";

test("a failure is alerted once an hour for each reason", () => {
  const config = readConfig({ dataDir: join(createTempFolder(), "data") }, {});
  const at = Date.parse("2026-11-20T12:00:00Z");
  expect(hasAlertedFailure(config, "disk", at)).toBe(false);
  recordFailureAlert(config, { at, reason: "disk" });
  expect(hasAlertedFailure(config, "disk", at)).toBe(true);
  expect(hasAlertedFailure(config, undefined, at + 3_599_999)).toBe(true);
  expect(hasAlertedFailure(config, "key", at)).toBe(false);
  expect(hasAlertedFailure(config, "disk", at + 3_600_000)).toBe(false);
  expect(hasAlertedFailure(config, "disk", at - 1)).toBe(false);
});
