import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { Booking } from "../../../src/domain/bookings/booking.ts";
import { VISIT_STATUSES } from "../../../src/domain/bookings/visit.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { isoCurrency } from "../../../src/domain/money.ts";
import { createOrderStore } from "../../../src/features/tickets/store.ts";
import {
  bookingsParameters,
  reservationsParameters,
} from "../../../src/http/handlers/bookings/lists.ts";
import { ticketOrdersParameters } from "../../../src/features/tickets/handlers.ts";
import type { VisitListFilter } from "../../../src/store/bookings/visit-lists.ts";
import { plansOf } from "../../support/query-plans.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { confirmedVisit, NO_NAMES } from "../../support/visit-rows.ts";

const BUSINESS = businessId(SHOP_SLUG);
const HOUR_MS = 3_600_000;

type Filter = Omit<VisitListFilter, "businessId">;

/** Each field of a filter, with the values that decide how a list is read. */
const VALUES: { [Name in keyof Filter]-?: Filter[Name][] } = {
  status: [undefined, "PENDING", "CONFIRMED"],
  staffId: [undefined, "stf_1"],
  serviceId: [undefined, "svc_1"],
  from: [undefined, 10 * HOUR_MS],
  to: [undefined, 40 * HOUR_MS],
  updatedSince: [undefined, 20 * HOUR_MS],
  createdByKey: [undefined, "key_1"],
  createdSince: [undefined, 5 * HOUR_MS],
  after: [undefined, { at: 12 * HOUR_MS, id: "bkg_5" }],
};

/** Returns every combination of the values of some fields. */
const combine = (names: readonly (keyof Filter)[]): Filter[] =>
  names.reduce<Filter[]>(
    (filters, name) =>
      filters.flatMap((filter) => VALUES[name].map((value) => ({ ...filter, [name]: value }))),
    [{}],
  );

/**
 * The fields of a filter that do not come from the parameters of a request, but from its key and
 * its cursor.
 */
const OF_REQUEST = ["createdByKey", "after"] as const;
/** The parameters of a list that do not select rows. */
const OF_RESPONSE = new Set(["includeCustomer", "limit", "cursor"]);

const filtersOf = (parameters: () => object): (keyof Filter)[] => [
  ...(Object.keys(parameters()).filter((name) => !OF_RESPONSE.has(name)) as (keyof Filter)[]),
  ...OF_REQUEST,
];

/** Returns the index that a list must use, so that it reads few rows that it does not return. */
function expectedIndex(table: string, filter: Filter): string {
  const { status, createdByKey, updatedSince, staffId, serviceId } = filter;
  const isOrder = table === "ticket_order";
  if (status === "PENDING") return isOrder ? `${table}_status` : `${table}_status_start`;
  if (updatedSince !== undefined)
    return createdByKey === undefined ? `${table}_change` : `${table}_own_change`;
  if (createdByKey !== undefined) return isOrder ? `${table}_own` : `${table}_own_start`;
  if (staffId !== undefined) return "booking_segment_staff";
  if (serviceId !== undefined) return "booking_segment_service";
  if (status !== undefined) return isOrder ? `${table}_status` : `${table}_status_start`;
  return isOrder ? `${table}_business` : `${table}_start`;
}

test.each([
  ["booking", bookingsParameters, (rt: TestRuntime) => rt.store.bookings],
  ["reservation", reservationsParameters, (rt: TestRuntime) => rt.store.reservations],
  ["ticket_order", ticketOrdersParameters, (rt: TestRuntime) => rt.openStore(createOrderStore)],
] as const)(
  "a list of each %s is read in its order from the index of its filter, for all filters of the routes",
  async (table, parameters, storeOf) => {
    const rt = createTestRuntime();
    const store = storeOf(rt);
    for (const filter of combine(filtersOf(parameters))) {
      const plans = await plansOf(rt, () => store.listPage({ businessId: BUSINESS, ...filter }, 5));
      const steps = [...plans].flatMap(([query, found]) => (/LIMIT/.test(query) ? found : []));
      const text = `${JSON.stringify(filter)}: ${steps.join("; ")}`;
      expect(steps[0], text).toContain(` INDEX ${expectedIndex(table, filter)} (`);
      expect(steps.filter((step) => step.startsWith("SCAN"))).toEqual([]);
      // Pending visits are few, so that sorting them by change is cheap.
      const isSorted = steps.some((step) => step.includes("TEMP B-TREE"));
      if (isSorted) expect(filter, text).toMatchObject({ status: "PENDING" });
      if (isSorted) expect(filter.updatedSince, text).toBeDefined();
    }
  },
);

/** Stores random bookings with one to three segments, of two services and two staff members. */
function storeRandomBookings(rt: TestRuntime, count: number): Booking[] {
  const randomInt = createRandomInt(7);
  const pick = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T;
  const bookings = Array.from({ length: count }, (_, n): Booking => {
    const startsAt = randomInt(50) * HOUR_MS;
    const segments = Array.from({ length: 1 + randomInt(3) }, (_, position) => ({
      ...NO_NAMES,
      startsAt: startsAt + position * HOUR_MS,
      endsAt: startsAt + (position + 1) * HOUR_MS,
      serviceId: pick(["svc_1", "svc_2"]),
      staffId: pick(["stf_1", "stf_2", null]),
      variantId: null,
      addons: [],
      resources: [],
      seats: 1,
      bufferBeforeMin: 0,
      bufferAfterMin: 0,
      priceCents: 0,
    }));
    return {
      ...confirmedVisit(startsAt),
      startsAt,
      endsAt: startsAt + segments.length * HOUR_MS,
      id: `bkg_${n}`,
      status: pick(VISIT_STATUSES),
      createdByKey: pick(["key_1", "key_2", null]),
      createdAt: randomInt(10) * HOUR_MS,
      updatedAt: randomInt(40) * HOUR_MS,
      guests: 1,
      totalCents: 0,
      ...isoCurrency("EUR"),
      segments,
    };
  });
  rt.tx(() => bookings.forEach((booking) => rt.store.bookings.insert(BUSINESS, booking)));
  return bookings;
}

/** Returns the IDs of the bookings that match a filter, in the order of a list. */
function select(bookings: readonly Booking[], filter: Filter): string[] {
  const { from = -Infinity, to = Infinity, updatedSince, createdSince = -Infinity, after } = filter;
  const placeOf = ({ startsAt, updatedAt }: Booking) =>
    updatedSince === undefined ? startsAt : updatedAt;
  const isOf = (name: "staffId" | "serviceId", { segments }: Booking) =>
    filter[name] === undefined || segments.some((segment) => segment[name] === filter[name]);
  return bookings
    .filter(
      (one) =>
        (filter.status === undefined || one.status === filter.status) &&
        (filter.createdByKey === undefined || one.createdByKey === filter.createdByKey) &&
        isOf("staffId", one) &&
        isOf("serviceId", one) &&
        one.startsAt >= from &&
        one.startsAt < to &&
        one.updatedAt >= (updatedSince ?? -Infinity) &&
        one.createdAt >= createdSince,
    )
    .sort((a, b) => placeOf(a) - placeOf(b) || (a.id < b.id ? -1 : 1))
    .filter(
      (one) =>
        after === undefined ||
        placeOf(one) > after.at ||
        (placeOf(one) === after.at && one.id > after.id),
    )
    .map(({ id }) => id);
}

test("a list has exactly the bookings that match its filter, each once and in order", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const bookings = storeRandomBookings(rt, 300);
  const filters = combine(Object.keys(VALUES) as (keyof Filter)[]);
  for (const filter of filters) {
    const rows = rt.store.bookings.listPage({ businessId: BUSINESS, ...filter }, 1000);
    expect(
      rows.map(({ id }) => id),
      JSON.stringify(filter),
    ).toEqual(select(bookings, filter));
  }
  expect(filters).toHaveLength(3 * 2 ** 8);
});

test("a list of the bookings of a service has a moved booking at its new time", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const [booking] = storeRandomBookings(rt, 1);
  const moved = { ...booking!, startsAt: 100 * HOUR_MS, endsAt: 103 * HOUR_MS };
  rt.store.bookings.reschedule(BUSINESS, moved);
  const db = new Database(rt.config.databasePath, { readonly: true });
  onTestFinished(() => void db.close());
  const starts = db.prepare("SELECT DISTINCT visit_starts_at FROM booking_segment").pluck().all();
  expect(starts).toEqual([moved.startsAt]);
  const [{ serviceId }] = moved.segments as [Booking["segments"][number]];
  const listFrom = (hour: number) =>
    rt.store.bookings.listPage({ businessId: BUSINESS, serviceId, from: hour * HOUR_MS }, 5).length;
  expect([listFrom(100), listFrom(101)]).toEqual([1, 0]);
});

test("getLastChange returns the time of the latest change of a business's bookings, or 0 without bookings", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  expect(rt.store.bookings.getLastChange(BUSINESS)).toBe(0);
  const changes = storeRandomBookings(rt, 5).map(({ updatedAt }) => updatedAt);
  expect(rt.store.bookings.getLastChange(BUSINESS)).toBe(Math.max(...changes));
  expect(rt.store.bookings.getLastChange("biz_of_nobody")).toBe(0);
});
