import { expect, test } from "vitest";
import { createReservation } from "../../../src/app/bookings/bookings.ts";
import { leavesTimeFree, type Pool, readPools } from "../../../src/app/bookings/hold-share.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { getBookableCatalog } from "../../../src/app/catalog/bookable-catalog.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { dayNumber } from "../../../src/domain/availability/wall-clock.ts";
import { HEADER, monday } from "../../http/support/bookings.ts";
import { seedShop, SHOP_SLUG, shopId } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { NO_NAMES } from "../../support/visit-rows.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONDAY = dayNumber("2026-11-23");

function openShop(yaml = "") {
  const rt = createTestRuntime();
  seedShop(rt);
  if (yaml !== "") applyCatalog(rt, [{ name: "shop.yaml", text: HEADER + yaml }]);
  const business = getBusiness(rt, SHOP_SLUG);
  const hoursOf = (pool: Pool, first: number, last: number): number[] =>
    [...readPools(getBookableCatalog(rt, business)).listWork(pool, first, last).values()].map(
      (work) => work.reduce((sum, { start, end }) => sum + (end - start) / 60, 0),
    );
  return { rt, business, hoursOf };
}

const segmentAt = (startsAt: number, service: string, staff: string) => ({
  ...NO_NAMES,
  serviceId: shopId("svc", service),
  staffId: shopId("stf", staff),
  startsAt,
  endsAt: startsAt + HOUR_MS,
  bufferBeforeMin: 0,
  bufferAfterMin: 0,
  seats: 1,
  resources: [],
});

test("the working time of a day is the same whether it is computed alone or with other days", () => {
  const { hoursOf } = openShop();
  const alone = [0, 1, 2, 3, 4, 5, 6].map((n) => hoursOf("staff", MONDAY + n, MONDAY + n)[0]);
  expect(alone[0]).toBe(6);
  // The calls above have cached the seven days from Monday on, but not the three days before.
  expect(hoursOf("staff", MONDAY - 3, MONDAY + 6).slice(3)).toEqual(alone);
});

test("a shift that ends after midnight counts towards both of its days", () => {
  const { hoursOf } = openShop(
    'hours: [{ days: [mon], start: "20:00", end: "24:00" }, { days: [tue], start: "00:00", end: "02:00" }]',
  );
  expect(hoursOf("tables", MONDAY, MONDAY + 2)).toEqual(
    openShop('hours: [{ days: [mon], start: "20:00", end: "26:00" }]').hoursOf(
      "tables",
      MONDAY,
      MONDAY + 2,
    ),
  );
});

test("the working time is computed once for each catalog", () => {
  const { rt, business } = openShop();
  const read = () => readPools(getBookableCatalog(rt, business)).listWork("staff", MONDAY, MONDAY);
  const before = read().get(MONDAY);
  expect(read().get(MONDAY)).toBe(before);
  applyCatalog(rt, [
    {
      name: "hours.yaml",
      text: `${HEADER}hours: [{ days: [mon-sun], start: "07:00", end: "21:00" }]`,
    },
  ]);
  const after = readPools(getBookableCatalog(rt, getBusiness(rt, SHOP_SLUG)));
  expect(after.listWork("staff", MONDAY, MONDAY).get(MONDAY)).not.toEqual(before);
});

test("the check of a hold reads only the visits of the weeks around the hold, however far ahead they are", () => {
  const { rt, business } = openShop();
  const spans: [from: number, to: number][] = [];
  const { listBusySegments } = rt.store.bookings;
  rt.store.bookings.listBusySegments = (id, from, to, ...more) => {
    spans.push([from, to]);
    return listBusySegments(id, from, to, ...more);
  };
  const startsAt = Date.parse(monday("09:00")) + 56 * DAY_MS;
  const segment = segmentAt(startsAt, "cut", "ann");
  const hold = { startsAt, endsAt: segment.endsAt, tableId: null, segments: [segment] };
  expect(leavesTimeFree(rt, business, [], hold)).toBe(true);
  expect(spans).toHaveLength(1);
  const [[from, to]] = spans as [[number, number]];
  expect((to - from) / DAY_MS).toBeLessThanOrEqual(16);
  // A week that includes the hold begins at most six days before it, and ends at most six after it.
  expect(from).toBeLessThanOrEqual(startsAt - 6 * DAY_MS);
  expect(to).toBeGreaterThanOrEqual(startsAt + 6 * DAY_MS);
});

test("booked seats of a group service take only their share of the staff member's time", () => {
  const { rt, business } = openShop();
  const { toTaken } = readPools(getBookableCatalog(rt, business));
  const startsAt = Date.parse(monday("09:00"));
  const shareOf = (service: string, staff: string, seats: number) => {
    const segment = { ...segmentAt(startsAt, service, staff), seats };
    const held = { startsAt, endsAt: segment.endsAt, tableId: null, segments: [segment] };
    return toTaken(held).map(({ share }) => share);
  };
  expect(shareOf("yoga", "bea", 2)).toEqual([2 / 5]);
  expect(shareOf("cut", "ann", 1)).toEqual([1]);
});

test("holds can take at most a tenth of the tables' unreserved time in a week", () => {
  const { rt, business } = openShop('hours: [{ days: [mon-sun], start: "10:00", end: "20:00" }]');
  // Two tables are free for ten hours on each of seven days, so 14 hours can be held.
  const tuesday = Date.parse("2026-12-08T10:00Z");
  const holdOf = (table: string, startsAt: number, hours: number) => ({
    startsAt,
    endsAt: startsAt + hours * HOUR_MS,
    segments: [],
    tableId: shopId("tbl", table),
  });
  const open = [holdOf("t4", tuesday, 9), holdOf("t4", tuesday + DAY_MS, 4)];
  const fits = (hours: number) =>
    leavesTimeFree(rt, business, open, holdOf("t2", tuesday - DAY_MS, hours));
  expect([1, 2].map(fits)).toEqual([true, false]);
  createReservation(rt, SHOP_SLUG, { party: 2, start: "2026-12-10T12:00" });
  expect(fits(1)).toBe(false);
});

test("the time that holds can take is only that of the tables and people who can be booked", () => {
  const hours = 'hours: [{ days: [mon-sun], start: "10:00", end: "20:00" }]';
  const { hoursOf } = openShop(hours);
  expect([hoursOf("tables", MONDAY, MONDAY), hoursOf("staff", MONDAY, MONDAY)]).toEqual([
    [20],
    [20],
  ]);
  const closed = openShop(
    `${hours}\nareas: [{ key: terrace, name: Terrace, status: INACTIVE }]\nstaff: [{ key: ann, name: Ann, status: INACTIVE }, { key: bea, name: Bea }]`,
  );
  expect(closed.hoursOf("tables", MONDAY, MONDAY)).toEqual([10]);
  expect(closed.hoursOf("staff", MONDAY, MONDAY)).toEqual([10]);
  const other = openShop(
    `${hours}\nstaff: [{ key: ann, name: Ann, bookable: false }, { key: bea, name: Bea }]`,
  );
  expect(other.hoursOf("staff", MONDAY, MONDAY)).toEqual([10]);
});

test("reservations in a closed area take no time of the tables elsewhere", () => {
  const { rt } = openShop('hours: [{ days: [mon-sun], start: "10:00", end: "20:00" }]');
  const start = Date.parse("2026-12-08T10:00Z");
  for (let hour = 10; hour < 20; hour++)
    createReservation(rt, SHOP_SLUG, { party: 1, area: "terrace", start: `2026-12-08T${hour}:00` });
  editObject(rt, SHOP_SLUG, "area", "terrace", (doc) => ({ ...doc, status: "INACTIVE" }));
  // The other table is free for ten hours on each of seven days, so seven hours can be held.
  const held = (startsAt: number, hours: number) => ({
    startsAt,
    endsAt: startsAt + hours * HOUR_MS,
    segments: [],
    tableId: shopId("tbl", "t4"),
  });
  const fits = (hours: number) =>
    leavesTimeFree(rt, getBusiness(rt, SHOP_SLUG), [held(start, 3)], held(start + DAY_MS, hours));
  expect([4, 5].map(fits)).toEqual([true, false]);
});

test("a hold with two staff members is refused if one of them would then have more than half of the day held", () => {
  const { rt, business } = openShop('hours: [{ days: [mon-sun], start: "07:00", end: "21:00" }]');
  const at = (hour: number, staff: string) =>
    segmentAt(Date.parse(monday("00:00")) + hour * HOUR_MS, "cut", staff);
  const held = (...segments: ReturnType<typeof segmentAt>[]) => {
    const [{ startsAt, endsAt }] = segments as [ReturnType<typeof segmentAt>];
    return { startsAt, endsAt, tableId: null, segments };
  };
  const open = [7, 8, 9, 10, 11, 12, 13].map((hour) => held(at(hour, "ann")));
  expect(leavesTimeFree(rt, business, open, held(at(14, "bea"), at(15, "bea")))).toBe(true);
  expect(leavesTimeFree(rt, business, open, held(at(14, "bea"), at(15, "ann")))).toBe(false);
});
