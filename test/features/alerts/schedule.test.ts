import { expect, onTestFinished, test, vi } from "vitest";
import { schedule } from "../../../src/features/alerts/schedule.ts";
import { createAlertStore } from "../../../src/features/alerts/store.ts";
import { CHECKS } from "../../support/checks.ts";
import { createReceiver } from "../../support/receiver.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("an alert that is being sent when the daemon stops is no failure of its channel", async () => {
  const operator = await createReceiver([{ status: 500 }, { status: 500 }, { hold: true }]);
  const rt = createTestRuntime({ alertUrl: operator.url });
  rt.freeBytes = () => 1000;
  const { everySecond = [], stop } = schedule[0]!(rt, { checks: CHECKS });
  // A third failure in a row would be reported.
  for (let attempt = 1; attempt <= 3; attempt++) {
    await expect
      .poll(async () => {
        rt.advance(10_000);
        for (const work of everySecond) await work();
        return operator.requests.length;
      })
      .toBe(attempt);
  }
  await stop?.(0);
  expect(rt.logged.filter(({ level }) => level === "error")).toEqual([
    expect.objectContaining({ message: expect.stringContaining("free on the disk") }),
  ]);
  const stored = rt.openStore(createAlertStore);
  expect(stored.list("channel")).toEqual([]);
  expect(stored.list("unsent")).toHaveLength(1);
});

test("a bug in the alerts is thrown in the thread, and so ends the daemon", async () => {
  const rt = createTestRuntime();
  rt.freeBytes = () => 1000;
  const { everySecond = [] } = schedule[0]!(rt, { checks: CHECKS });
  rt.tx = () => {
    throw new TypeError("bug");
  };
  const thrown = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => {});
  onTestFinished(() => thrown.mockRestore());
  for (const work of everySecond) await work();
  await expect.poll(() => thrown.mock.calls).toHaveLength(1);
  expect(() => thrown.mock.calls[0]?.[0]()).toThrow("bug");
});
