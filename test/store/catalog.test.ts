import { expect, test } from "vitest";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("deleting the expired sold-out marks of a business keeps its later marks and all marks of other businesses", () => {
  const rt = createTestRuntime();
  const [shop, other] = [addBusiness(rt), addBusiness(rt, "bar-nova")];
  const { soldOut } = rt.store;
  const now = rt.now();
  const marks = { itm_past: now - 1, itm_due: now, itm_later: now + 1, itm_endless: null };
  for (const { id } of [shop, other])
    for (const [dish, until] of Object.entries(marks)) soldOut.upsert(id, dish, until);
  soldOut.deleteExpired(shop.id, now);
  expect(Object.fromEntries(soldOut.list(shop.id))).toEqual({
    itm_later: now + 1,
    itm_endless: null,
  });
  expect(Object.fromEntries(soldOut.list(other.id))).toEqual(marks);
});
