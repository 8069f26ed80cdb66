import {
  assert,
  boolean,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  uniqueArray,
} from "../../support/property.ts";
import { expect, test } from "vitest";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { isoCurrency } from "../../../src/domain/money.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { confirmedVisit, NO_NAMES } from "../../support/visit-rows.ts";

const MAX_HOURS = 24 * 20;
const HOUR_MS = 3_600_000;

const span = record({
  start: integer({ min: 0, max: MAX_HOURS }),
  // Visits that last longer than a day are found by an index of their own.
  hours: oneof(integer({ min: 1, max: 72 }), constantFrom(23, 24, 25)),
});
const visits = uniqueArray(record({ span, isTable: boolean() }), { maxLength: 30 });

test("a search returns every visit that overlaps its window and ends by `until`, however long the visit lasts", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const business = businessId(SHOP_SLUG);
  const add = ({ start, hours }: { start: number; hours: number }, isTable: boolean) => {
    const times = { startsAt: start * HOUR_MS, endsAt: (start + hours) * HOUR_MS };
    const id = rt.newId(isTable ? "rsv" : "bkg");
    if (isTable)
      rt.store.reservations.insert(business, {
        ...confirmedVisit(times.startsAt),
        ...times,
        id,
        partySize: 2,
        areaId: null,
        tableId: "tbl_1",
      });
    else
      rt.store.bookings.insert(business, {
        ...confirmedVisit(times.startsAt),
        ...times,
        id,
        guests: 1,
        totalCents: 0,
        ...isoCurrency("EUR"),
        segments: [
          {
            ...NO_NAMES,
            ...times,
            serviceId: id,
            variantId: null,
            addons: [],
            staffId: null,
            resources: [],
            seats: 1,
            bufferBeforeMin: 0,
            bufferAfterMin: 0,
            priceCents: 0,
          },
        ],
      });
    return { id, ...times };
  };
  assert(
    property(visits, span, integer({ min: 0, max: MAX_HOURS }), (all, window, untilHour) => {
      const end = rt.startDryRun();
      try {
        const rows = rt.tx(() => all.map((visit) => add(visit.span, visit.isTable)));
        const [from, to] = [window.start * HOUR_MS, (window.start + window.hours) * HOUR_MS];
        for (const until of [untilHour * HOUR_MS, Infinity]) {
          const found = [
            ...rt.store.bookings
              .listBusySegments(business, from, to, until)
              .map((row) => row.serviceId),
            ...rt.store.reservations.listBusy(business, from, to, until).map(({ id }) => id),
          ];
          const expected = rows.filter(
            ({ startsAt, endsAt }) => endsAt > from && endsAt <= until && startsAt < to,
          );
          expect(found.sort()).toEqual(expected.map(({ id }) => id).sort());
        }
      } finally {
        end();
      }
    }),
  );
});
