import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, describe } from "vitest";
import {
  scanDays,
  type Availability,
  createAvailabilityFinder,
  type AvailabilityQuery,
} from "../../../src/app/availability/availability.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { getBookableCatalog } from "../../../src/app/catalog/bookable-catalog.ts";
import { planNamedRequest } from "../../../src/domain/availability/resolve-request.ts";
import { createLargeSalon } from "../../support/large-salon.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { createEventLoopYield } from "../../../src/app/availability/yield-to-event-loop.ts";
import { addDays } from "../../../src/domain/local-time.ts";
import type { NamedAppointmentRequest } from "../../../src/domain/availability/request.ts";
import { captureError } from "../../support/use-case.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";

test("a scan that waits for its turn does not keep in memory the days that it has already searched", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const rt = createTestRuntime();
  const salon = { people: 2, services: 1, firstDay: "2026-11-23", days: 62, bookings: 0 };
  const business = getBusiness(rt, createLargeSalon(rt, salon).slug);
  const request = { serviceIds: ["s0"], variantIds: [], addonIds: [], staffIds: [], guests: 1 };
  const dates = { from: "2026-11-23", to: "2027-01-23" };
  const catalog = getBookableCatalog(rt, business);
  const plan = planNamedRequest(catalog, "INTERNAL", request, dates, rt.now());

  let searched: WeakRef<object> | undefined;
  const isKept: boolean[] = [];
  const yieldToEventLoop = async (): Promise<void> => {
    await nextTurn();
    if (searched === undefined) return;
    collectGarbage();
    isKept.push(searched.deref() !== undefined);
  };
  // The range has three chunks.
  const range = { first: plan.firstDay, last: plan.lastDay };
  const occupied = { businessId: business.id };
  const chunks = scanDays(rt, yieldToEventLoop, occupied, plan, range, ({ search }) => {
    searched = search === null ? undefined : new WeakRef(search);
  });
  for await (const chunk of chunks) expect(chunk).toBeUndefined();
  expect(isKept).toEqual([false, false, false]);
});

const MONDAY = "2026-11-23";

const appointment = (fields: Partial<NamedAppointmentRequest> = {}): NamedAppointmentRequest => ({
  serviceIds: ["cut"],
  variantIds: [],
  addonIds: [],
  staffIds: [],
  guests: 1,
  ...fields,
});

const yieldToEventLoop = createEventLoopYield();

const createQuery = (fields: Partial<AvailabilityQuery> = {}): AvailabilityQuery => ({
  audience: "INTERNAL",
  request: appointment(),
  dates: { from: MONDAY, to: MONDAY },
  timezone: null,
  explain: false,
  yieldToEventLoop,
  ...fields,
});

const createFinder = (rt: TestRuntime, slug = SHOP_SLUG) => {
  const find = createAvailabilityFinder(rt);
  return (fields: Partial<AvailabilityQuery> = {}) =>
    find(getBusiness(rt, slug), createQuery(fields));
};

function openTestShop() {
  const rt = createTestRuntime();
  seedShop(rt);
  return { rt, find: createFinder(rt) };
}

async function startsOf({ days }: Availability): Promise<string[]> {
  const found: string[] = [];
  for await (const some of days())
    found.push(...some.flatMap(({ slots }) => slots.map(({ startsAt }) => startsAt)));
  return found.map((startsAt) => startsAt.slice(5, 16));
}

describe("an internal request", () => {
  test("an internal request uses keys or IDs and sees objects that are not public", async () => {
    const { find } = openTestShop();
    const request = appointment({
      serviceIds: ["cut", "color"],
      variantIds: ["long"],
      addonIds: ["wash", "color:oil"],
      staffIds: ["cut:bea"],
    });
    const { terms, days } = find({ request });
    expect(terms).toEqual({
      timezone: "Europe/Lisbon",
      durationMin: 210,
      priceCents: 14_200,
      currency: "EUR",
    });
    for await (const some of days()) expect(some).toMatchObject([{ state: "CLOSED" }]);
    const { nextSlots } = find({ request: appointment({ staffIds: ["bea"] }) });
    expect((await nextSlots(1, MONDAY))[0]?.segments).toMatchObject([
      { staffId: expect.stringMatching(/^stf_/) },
    ]);
  });

  test.each([
    [{ serviceIds: ["ct"] }, "resource_not_found: There is no service 'ct'. Did you mean 'cut'?"],
    [{ serviceIds: ["old"] }, "service_not_bookable: 'No more' cannot be booked."],
    [
      { staffIds: ["ann", "bea"] },
      "validation_failed: Name the service of each staff member, as in service:person.",
    ],
    [
      { serviceIds: ["color"], staffIds: ["bea"] },
      "staff_cannot_perform: 'Bea Quiet' does not perform 'Color'.",
    ],
    [
      { serviceIds: ["color"], variantIds: ["long", "long"] },
      "variant_service_mismatch: Too many variants of 'Color': name the service once for each variant.",
    ],
  ])("an internal request with %j is rejected", (fields, message) => {
    const { find } = openTestShop();
    expect(captureError(() => find({ request: appointment(fields) }))).toBe(message);
  });
});

describe("availability after changes", () => {
  test("availability changes immediately after a booking or time off", async () => {
    const { rt, find } = openTestShop();
    const color = appointment({ serviceIds: ["color"] });
    const starts = () => startsOf(find({ request: color }));
    expect(await starts()).toEqual(["11-23T09:00", "11-23T10:00", "11-23T11:00"]);
    createBooking(rt, SHOP_SLUG, { service: "color", start: `${MONDAY}T10:00` });
    expect(await starts()).toEqual(["11-23T09:00", "11-23T11:00"]);
    createTimeOff(rt, SHOP_SLUG, {
      staff: "ann",
      from: `${MONDAY}T09:00`,
      to: `${MONDAY}T10:00`,
      reason: null,
    });
    expect(await starts()).toEqual(["11-23T11:00"]);
  });
});

describe("the next slots", () => {
  const next = async (rt: TestRuntime, limit: number, from: string): Promise<string[]> => {
    const request = appointment({ serviceIds: ["color"] });
    return (await createFinder(rt)({ request }).nextSlots(limit, from)).map(({ startsAt }) =>
      startsAt.slice(5, 16),
    );
  };

  test("the next slots begin at the requested day, or now if that is later, and end at the booking horizon", async () => {
    const { rt } = openTestShop();
    expect(await next(rt, 2, "2026-11-01")).toEqual(["11-23T09:00", "11-23T10:00"]);
    expect(await next(rt, 2, "2026-11-24")).toEqual(["11-25T09:00", "11-25T10:00"]);
    expect(await next(rt, 9, "2026-12-18")).toEqual(["12-18T09:00", "12-18T10:00", "12-18T11:00"]);
    rt.advance(Date.parse("2026-11-23T09:30:00Z") - rt.now());
    expect(await next(rt, 1, "2026-11-20")).toEqual(["11-23T11:00"]);
  });

  test("the search for the next slots looks months ahead", async () => {
    const rt = createTestRuntime();
    const { slug } = createLargeSalon(rt, {
      people: 1,
      services: 1,
      firstDay: MONDAY,
      days: 1,
      bookings: 0,
    });
    createTimeOff(rt, slug, { staff: "p0", from: "2026-11-20", to: "2027-02-14", reason: null });
    const { nextSlots } = createFinder(rt, slug)({ request: appointment({ serviceIds: ["s0"] }) });
    expect((await nextSlots(1, MONDAY)).map(({ startsAt }) => startsAt)).toEqual([
      "2027-02-15T08:00:00+00:00",
    ]);
  });
});

test("a scan of three weeks finds the same slots as 21 scans of one day", async () => {
  const rt = createTestRuntime();
  const { slug } = createLargeSalon(rt, {
    people: 2,
    services: 1,
    firstDay: MONDAY,
    days: 21,
    bookings: 800,
  });
  const find = createFinder(rt, slug);
  const request = appointment({ serviceIds: ["s0"] });
  const days = Array.from({ length: 21 }, (_, i) => addDays(MONDAY, i));
  const oneByOne = await Promise.all(
    days.map((day) => startsOf(find({ request, dates: { from: day, to: day } }))),
  );
  expect(oneByOne.flat().length).toBeGreaterThan(100);
  expect(
    await startsOf(find({ request, dates: { from: MONDAY, to: addDays(MONDAY, 20) } })),
  ).toEqual(oneByOne.flat());
});

describe("a long scan yields to the event loop", () => {
  const WORST = { people: 50, services: 8, firstDay: MONDAY, days: 62, bookings: 10_000 };
  const requestFor = (services: string[]) => appointment({ serviceIds: services });
  const twoMonths = { from: MONDAY, to: "2027-01-23" };

  /** Returns the longest event loop iteration during the work, in ms of CPU time of this thread. */
  async function longestIteration(work: Promise<unknown>): Promise<number> {
    const done = new AbortController();
    void work.finally(() => done.abort());
    let longest = 0;
    while (!done.signal.aborted) {
      const before = process.threadCpuUsage();
      await nextTurn();
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1000);
    }
    return longest;
  }

  test("a scan of 62 days, 8 services, 50 people and 10,000 bookings never blocks the event loop for 50 ms", async () => {
    const rt = createTestRuntime();
    const { slug, services } = createLargeSalon(rt, WORST);
    const find = createFinder(rt, slug);
    const once = () => startsOf(find({ request: requestFor(services), dates: twoMonths }));
    // The first scan warms up the code.
    expect((await once()).length).toBeGreaterThan(500);
    expect(await longestIteration(once())).toBeLessThan(50);
    expect(await longestIteration(Promise.all([once(), once()]))).toBeLessThan(50);
  });

  test("a search for one service does not wait for a longer search that began earlier", async () => {
    const rt = createTestRuntime();
    const { slug, services } = createLargeSalon(rt, { ...WORST, bookings: 100 });
    const find = createFinder(rt, slug);
    const order: string[] = [];
    const heavy = startsOf(find({ request: requestFor(services), dates: twoMonths })).then(() =>
      order.push("heavy"),
    );
    const light = startsOf(find({ request: requestFor(services.slice(0, 1)) })).then(() =>
      order.push("light"),
    );
    await Promise.all([heavy, light]);
    expect(order).toEqual(["light", "heavy"]);
  });
});
