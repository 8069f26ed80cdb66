import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { KEPT_HOURS } from "../../../src/store/bookings/booking-limits.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const HOUR = 500_000;

test("recent visits are compared with the busiest hour of the same key in the week before", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const [a, b, c] = ["a", "b", "c"].map((name) => {
    const scopes = ["bookings.write"];
    return createKey(rt, { businessId, name, kind: "RESTRICTED", scopes }).key.id;
  }) as [string, string, string];
  const add = (keyId: string, hour: number, visits: number) => {
    for (let n = 0; n < visits; n++) rt.store.keyVisits.increment(keyId, hour);
  };
  add(a, HOUR, 2);
  add(a, HOUR - 1, 3);
  add(a, HOUR - 2, 1);
  add(a, HOUR + 1 - KEPT_HOURS, 2);
  // An hour more than a week ago counts no longer.
  add(a, HOUR - KEPT_HOURS, 9);
  add(b, HOUR - 3, 7);
  add(c, HOUR, 1);
  expect(rt.store.keyVisits.listRecent(HOUR).sort((x, y) => x.recent - y.recent)).toEqual([
    { keyId: c, recent: 1, busiest: 0 },
    { keyId: a, recent: 5, busiest: 2 },
  ]);
});
