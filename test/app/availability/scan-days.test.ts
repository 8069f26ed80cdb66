import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { scanDays } from "../../../src/app/availability/scan-days.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { getBookableCatalog } from "../../../src/app/catalog/bookable-catalog.ts";
import { planNamedRequest } from "../../../src/domain/availability/resolve-request.ts";
import { createLargeSalon } from "../../support/large-salon.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("a scan that waits for its turn keeps no days in memory that it has searched", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const rt = createTestRuntime();
  const salon = { people: 2, services: 1, firstDay: "2026-11-23", days: 62, bookings: 0 };
  const business = getBusiness(rt, createLargeSalon(rt, salon).slug);
  const request = { serviceIds: ["s0"], variantIds: [], addonIds: [], staffIds: [], guests: 1 };
  const dates = { from: "2026-11-23", to: "2027-01-23" };
  const catalog = getBookableCatalog(rt, business);
  const plan = planNamedRequest(catalog, "INTERNAL", request, dates, rt.now());

  let searched: WeakRef<object> | undefined;
  const isKept: boolean[] = [];
  const yieldToEventLoop = async (): Promise<void> => {
    await nextTurn();
    if (searched === undefined) return;
    collectGarbage();
    isKept.push(searched.deref() !== undefined);
  };
  // Three chunks.
  const range = { first: plan.firstDay, last: plan.lastDay };
  const chunks = scanDays(rt, yieldToEventLoop, business.id, plan, range, ({ search }) => {
    searched = search === null ? undefined : new WeakRef(search);
  });
  for await (const chunk of chunks) expect(chunk).toBeUndefined();
  expect(isKept).toEqual([false, false, false]);
});
