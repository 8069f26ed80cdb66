import { expect, test } from "vitest";
import { listFastKeys } from "../../../src/app/bookings/booking-limits.ts";
import { createKey } from "../../../src/app/keys.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test("a key is listed as fast when it exceeds four times its busiest hour and reaches a quarter of its daily limit", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const createTestKey = (name: string) =>
    createKey(rt, {
      businessId,
      name,
      kind: "RESTRICTED",
      scopes: ["bookings.write"],
      maxBookingsDay: 20,
    }).key.id;
  const add = (keyId: string, visits: number, ageMs = 0) => {
    const hour = Math.floor((rt.now() - ageMs) / HOUR_MS);
    for (let n = 0; n < visits; n++) rt.store.keyVisits.increment(keyId, hour);
  };
  const listed = () => listFastKeys(rt).map(({ key, recent }) => `${key.name} ${recent}`);
  const [known, unknown] = [createTestKey("known"), createTestKey("unknown")];
  add(known, 2, DAY_MS);
  add(known, 8);
  add(unknown, 4);
  expect(listed()).toEqual([]);
  add(known, 1);
  add(unknown, 1);
  expect(listed().sort()).toEqual(["known 9", "unknown 5"]);
});
