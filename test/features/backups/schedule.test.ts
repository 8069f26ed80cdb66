import { afterEach, expect, test, vi } from "vitest";
import type { DeliveryWorker } from "../../../src/delivery/delivery-worker.ts";
import { startScheduler } from "../../../src/delivery/scheduler.ts";
import { listBackups } from "../../../src/features/backups/backups.ts";
import { startMaintenance } from "../../../src/features/backups/schedule.ts";
import { runMaintenance } from "../../../src/features/backups/upkeep/maintenance.ts";
import { seedShop } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const MINUTE_MS = 60_000;
const TIMERS = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;

afterEach(() => void vi.useRealTimers());

const idleWorker = { wake() {}, sweep() {}, reviewFailing() {} } as unknown as DeliveryWorker;

test("the nightly backup runs once, at 03:17 in the server's time zone", async () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const countBackups = () => rt.logged.filter(({ message }) => message === "backed up").length;
  vi.useFakeTimers({
    now: new Date(2026, 10, 20, 3, 15, 30),
    toFake: [...TIMERS],
  });
  const scheduler = startScheduler(rt, idleWorker, [
    startMaintenance(rt, (options) => runMaintenance(rt, options)),
  ]);
  const pass = async (ms: number) => {
    rt.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  await pass(MINUTE_MS);
  expect(listBackups(rt.config)).toEqual([]);
  await pass(MINUTE_MS);
  // The copy uses no timers, but yields to the event loop.
  while (countBackups() === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(listBackups(rt.config)).toHaveLength(1);
  await pass(10 * MINUTE_MS);
  expect(listBackups(rt.config)).toHaveLength(1);
  scheduler.stop();
});
