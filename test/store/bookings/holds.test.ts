import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { addBusiness } from "../../support/delivery.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { releasedHold } from "../../support/visit-rows.ts";

const HOUR_MS = 3_600_000;

test("a hold occupies time if it is open, overlaps the span, ends by `until` and belongs to the business", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const business = businessId(SHOP_SLUG);
  const other = addBusiness(rt).id;
  const { key } = createKey(rt, {
    businessId: business,
    name: "website",
    kind: "RESTRICTED",
    scopes: ["bookings.write"],
  });
  const now = rt.now();
  const at = (hour: number) => now + hour * HOUR_MS;
  const add = (id: string, startHour: number, endHour: number, changes = {}, owner = business) =>
    rt.store.holds.insert(owner, {
      ...releasedHold(id, key.id, now),
      status: "OPEN",
      startsAt: at(startHour),
      endsAt: at(endHour),
      expiresAt: now + 1,
      ...changes,
    });
  add("hld_before", 1, 2);
  add("hld_begin", 1, 3);
  add("hld_inside", 2, 3);
  add("hld_end", 3, 5);
  add("hld_late", 3, 6);
  add("hld_after", 4, 5);
  add("hld_expired", 2, 3, { expiresAt: now });
  add("hld_released", 2, 3, { status: "RELEASED" });
  add("hld_used", 2, 3, { status: "USED" });
  add("hld_foreign", 2, 3, {}, other);
  const list = (until?: number) =>
    rt.store.holds
      .listOverlapping(business, now, at(2), at(4), until)
      .map(({ id }) => id)
      .sort();
  expect(list(at(5))).toEqual(["hld_begin", "hld_end", "hld_inside"]);
  expect(list()).toEqual(["hld_begin", "hld_end", "hld_inside", "hld_late"]);
});

test("the release of a business's expired holds leaves open holds and other businesses' holds unchanged", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const business = businessId(SHOP_SLUG);
  const other = addBusiness(rt).id;
  const { key } = createKey(rt, {
    businessId: business,
    name: "website",
    kind: "RESTRICTED",
    scopes: ["bookings.write"],
  });
  const now = rt.now();
  const rows = [
    ["hld_expired", business, "OPEN", now],
    ["hld_open", business, "OPEN", now + 1],
    ["hld_used", business, "USED", now],
    ["hld_foreign", other, "OPEN", now],
  ] as const;
  for (const [id, owner, status, expiresAt] of rows)
    rt.store.holds.insert(owner, { ...releasedHold(id, key.id, now), status, expiresAt });
  rt.store.holds.releaseOverdue(business, now);
  expect(rows.map(([id, owner]) => rt.store.holds.findById(owner, id, null)!.status)).toEqual([
    "RELEASED",
    "OPEN",
    "USED",
    "OPEN",
  ]);
});
