import { expect, test } from "vitest";
import { assertMayHold } from "../../../src/app/bookings/hold-limits.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createKey } from "../../../src/app/keys.ts";
import { monday } from "../../http/support/bookings.ts";
import { seedShop, SHOP_SLUG, shopId } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { NO_NAMES, releasedHold } from "../../support/visit-rows.ts";
import { captureError } from "../../support/use-case.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test("a key can have three open holds per staff member or table and day, and the error of a fourth names the day", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const business = getBusiness(rt, SHOP_SLUG);
  const { key } = createKey(rt, {
    businessId: business.id,
    name: "site",
    kind: "RESTRICTED",
    scopes: ["bookings.write"],
  });
  const client = { keyId: key.id, visitor: null };
  const hold = (n: number, tableId: string | null, day = 0) => {
    const startsAt = Date.parse(monday("09:00")) + n * HOUR_MS + day * DAY_MS;
    const endsAt = startsAt + HOUR_MS;
    const segment = {
      ...NO_NAMES,
      serviceId: shopId("svc", "cut"),
      variantId: null,
      addons: [],
      priceCents: 4000,
      staffId: shopId("stf", "ann"),
      startsAt,
      endsAt,
      bufferBeforeMin: 0,
      bufferAfterMin: 0,
      seats: 1,
      resources: [],
    };
    return { startsAt, endsAt, tableId, segments: tableId === null ? [segment] : [] };
  };
  const table = shopId("tbl", "t2");
  for (const tableId of [null, table])
    for (const n of [0, 1, 2]) {
      assertMayHold(rt, business, client, hold(n, tableId));
      rt.store.holds.insert(business.id, {
        ...releasedHold(rt.newId("hld"), key.id, rt.now()),
        ...hold(n, tableId),
        status: "OPEN",
        expiresAt: rt.now() + HOUR_MS,
      });
    }
  const refusal = (...fourth: Parameters<typeof hold>) =>
    captureError(() => assertMayHold(rt, business, client, hold(...fourth)));
  expect(refusal(3, null)).toBe(
    "too_many_holds: This key already has 3 open holds on 2026-11-23 for each staff member who could take this visit.",
  );
  expect(refusal(3, table)).toBe(
    "too_many_holds: This key already has 3 open holds on 2026-11-23 for each table that could take this visit.",
  );
  for (const free of [refusal(3, shopId("tbl", "t4")), refusal(3, null, 2), refusal(3, table, 2)])
    expect(free).toMatch(/^no error/);
});
