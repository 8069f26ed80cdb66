import { expect, test } from "vitest";
import { ServerHealth } from "../../../src/features/guest-mail/server-health.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("a mail server that fails is logged once, at its third failure in a row, and once when it answers again", () => {
  const rt = createTestRuntime();
  const health = new ServerHealth(rt);
  const logged = () => rt.logged.map(({ level, message }) => `${level}: ${message}`);
  const failing = "error: Mail to guests cannot be sent; it is tried again.";
  for (const expected of [[], [], [failing], [failing], [failing]]) {
    health.recordFailure("connection refused");
    expect(logged()).toEqual(expected);
  }
  expect(rt.logged[0]?.fields).toEqual({ reason: "connection refused" });
  health.recordAnswer();
  health.recordAnswer();
  expect(logged()).toEqual([failing, "info: Mail to guests is sent again."]);
});

test("mails pause for only two seconds after the first failure since the mail server last answered", () => {
  const rt = createTestRuntime();
  const health = new ServerHealth(rt);
  for (let i = 0; i < 4; i++) health.recordFailure("connection refused");
  health.recordAnswer();
  health.recordFailure("connection refused");
  rt.advance(1999);
  expect(health.isPaused).toBe(true);
  rt.advance(1);
  expect(health.isPaused).toBe(false);
});
