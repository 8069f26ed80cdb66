import { expect, test } from "vitest";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { isoCurrency } from "../../../src/domain/money.ts";
import { seedShop, shopId, SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { confirmedVisit, NO_NAMES } from "../../support/visit-rows.ts";

test("a visit is orphaned if its table, service or staff member no longer exists", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const business = businessId(SHOP_SLUG);
  const now = rt.now();
  const times = { startsAt: now, endsAt: now + 1 };
  const reserve = (id: string, tableId: string) =>
    rt.store.reservations.insert(business, {
      ...confirmedVisit(now),
      ...times,
      id,
      partySize: 2,
      areaId: null,
      tableId,
    });
  const book = (id: string, serviceId: string, staffId: string | null) =>
    rt.store.bookings.insert(business, {
      ...confirmedVisit(now),
      ...times,
      id,
      guests: 1,
      totalCents: 0,
      ...isoCurrency("EUR"),
      segments: [
        {
          ...NO_NAMES,
          ...times,
          serviceId,
          variantId: null,
          addons: [],
          staffId,
          resources: [],
          seats: 1,
          bufferBeforeMin: 0,
          bufferAfterMin: 0,
          priceCents: 0,
        },
      ],
    });
  reserve("rsv_table", shopId("tbl", "t2"));
  reserve("rsv_no_table", "tbl_gone");
  book("bkg_staff", shopId("svc", "cut"), shopId("stf", "ann"));
  book("bkg_nobody", shopId("svc", "cut"), null);
  book("bkg_no_service", "svc_gone", shopId("stf", "ann"));
  book("bkg_no_staff", shopId("svc", "cut"), "stf_gone");
  expect(rt.store.reservations.listOrphaned(business, now)).toEqual(["rsv_no_table"]);
  expect(rt.store.bookings.listOrphaned(business, now)).toEqual(["bkg_no_service", "bkg_no_staff"]);
});
