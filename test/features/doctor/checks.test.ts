import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { CLOCK_TOLERANCE_MS } from "../../../src/app/operations/clock-conditions.ts";
import {
  checkDaemonResponse,
  checkGainedScopes,
  checkKeyExpiry,
  checkOrphanedVisits,
} from "../../../src/features/doctor/checks.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("doctor reports a key whose scopes an upgrade changed until the operator has accepted or reverted the change", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  createKey(rt, { businessId, name: "site", kind: "SECRET", scopes: [] });
  const [key] = rt.store.keys.list();
  const fixOf = (gainedScopes: "KEPT" | "REMOVED" | null) =>
    checkGainedScopes([{ ...key!, gainedScopes }], () => "shop", rt.now()).map(({ fix }) => fix);
  expect(fixOf("KEPT")).toEqual([`deskbell keys update ${key!.id} --all-scopes no`]);
  expect(fixOf("REMOVED")).toEqual([`deskbell keys update ${key!.id} --all-scopes yes`]);
  expect(fixOf(null)).toEqual([]);
});

test.each([
  [0, 0],
  [CLOCK_TOLERANCE_MS, 0],
  [-CLOCK_TOLERANCE_MS, 0],
  [CLOCK_TOLERANCE_MS + 1, 1],
  [-CLOCK_TOLERANCE_MS - 1, 1],
])("clocks that differ by %i ms cause %i findings of doctor", (differenceMs, count) => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const found = checkDaemonResponse("http://127.0.0.1:4100", { at: now + differenceMs }, now);
  expect(found).toHaveLength(count);
});

test.each([
  ["SECRET", [], "--secret"],
  [
    "RESTRICTED",
    ["services.read", "bookings.write"],
    "--scope services.read --scope bookings.write",
  ],
] as const)(
  "doctor replaces a key of the kind %s that expires soon by one with the same rights",
  (kind, scopes, rights) => {
    const rt = createTestRuntime();
    const { id: businessId } = addBusiness(rt);
    const expiresAt = rt.now() + 1000;
    createKey(rt, { businessId, name: "site", kind, scopes: [...scopes], expiresAt });
    expect(checkKeyExpiry(rt.store.keys.list(), () => "shop", rt.now())).toMatchObject([
      { fix: `deskbell keys create --business shop --name site ${rights}` },
    ]);
  },
);

test("doctor suggests the command that shows the booking or reservation whose service is missing", () => {
  const fixOf = (...ids: string[]) => checkOrphanedVisits([{ slug: "shop", ids }])[0]?.fix;
  expect(fixOf()).toBeUndefined();
  expect(fixOf("bkg_1", "rsv_2")).toMatch(/^deskbell bookings show bkg_1 --business shop, /);
  expect(fixOf("rsv_2")).toMatch(/^deskbell reservations show rsv_2 --business shop, /);
});
