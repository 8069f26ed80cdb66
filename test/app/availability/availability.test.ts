import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  type Availability,
  createAvailabilityFinder,
  type AvailabilityQuery,
} from "../../../src/app/availability/availability.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { createEventLoopYield } from "../../../src/app/availability/yield-to-event-loop.ts";
import { addDays } from "../../../src/domain/local-time.ts";
import type { NamedAppointmentRequest } from "../../../src/domain/availability/request.ts";
import { createLargeSalon } from "../../support/large-salon.ts";
import { captureError } from "../../support/use-case.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

const MONDAY = "2026-11-23";

const visit = (fields: Partial<NamedAppointmentRequest> = {}): NamedAppointmentRequest => ({
  serviceIds: ["cut"],
  variantIds: [],
  addonIds: [],
  staffIds: [],
  guests: 1,
  ...fields,
});

const enquire = (fields: Partial<AvailabilityQuery> = {}): AvailabilityQuery => ({
  audience: "INTERNAL",
  request: visit(),
  dates: { from: MONDAY, to: MONDAY },
  timezone: null,
  explain: false,
  ...fields,
});

const asking = (rt: TestRuntime, slug = SHOP_SLUG) => {
  const ask = createAvailabilityFinder(rt, createEventLoopYield());
  return (fields: Partial<AvailabilityQuery> = {}) => ask(getBusiness(rt, slug), enquire(fields));
};

function shop() {
  const rt = createTestRuntime();
  seedShop(rt);
  return { rt, ask: asking(rt) };
}

async function startsOf({ days }: Availability): Promise<string[]> {
  const found: string[] = [];
  for await (const some of days())
    found.push(...some.flatMap(({ slots }) => slots.map(({ startsAt }) => startsAt)));
  return found.map((startsAt) => startsAt.slice(5, 16));
}

describe("the house", () => {
  test("names things by key or id, and sees whom the public does not", async () => {
    const { ask } = shop();
    const wish = visit({
      serviceIds: ["cut", "color"],
      variantIds: ["long"],
      addonIds: ["wash", "color:oil"],
      staffIds: ["cut:bea"],
    });
    const { terms, days } = ask({ request: wish });
    expect(terms).toEqual({
      timezone: "Europe/Lisbon",
      durationMin: 210,
      priceCents: 14_200,
      currency: "EUR",
    });
    for await (const some of days()) expect(some).toMatchObject([{ state: "CLOSED" }]);
    const { nextSlots } = ask({ request: visit({ staffIds: ["bea"] }) });
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
  ])("is told what is wrong with %j", (fields, refusal) => {
    const { ask } = shop();
    expect(captureError(() => ask({ request: visit(fields) }))).toBe(refusal);
  });
});

describe("what has changed since shows at once", () => {
  test("a booking, a time off, a catalog", async () => {
    const { rt, ask } = shop();
    const color = visit({ serviceIds: ["color"] });
    const starts = () => startsOf(ask({ request: color }));
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
    const wish = visit({ serviceIds: ["color"] });
    return (await asking(rt)({ request: wish }).nextSlots(limit, from)).map(({ startsAt }) =>
      startsAt.slice(5, 16),
    );
  };

  test("begin neither before the day that is asked for nor before now, and end at the horizon", async () => {
    const { rt } = shop();
    expect(await next(rt, 2, "2026-11-01")).toEqual(["11-23T09:00", "11-23T10:00"]);
    expect(await next(rt, 2, "2026-11-24")).toEqual(["11-25T09:00", "11-25T10:00"]);
    expect(await next(rt, 9, "2026-12-18")).toEqual(["12-18T09:00", "12-18T10:00", "12-18T11:00"]);
    rt.advance(Date.parse("2026-11-23T09:30:00Z") - rt.now());
    expect(await next(rt, 1, "2026-11-20")).toEqual(["11-23T11:00"]);
  });

  test("are looked for over months", async () => {
    const rt = createTestRuntime();
    const { slug } = createLargeSalon(rt, {
      people: 1,
      services: 1,
      firstDay: MONDAY,
      days: 1,
      bookings: 0,
    });
    createTimeOff(rt, slug, { staff: "p0", from: "2026-11-20", to: "2027-02-14", reason: null });
    const { nextSlots } = asking(rt, slug)({ request: visit({ serviceIds: ["s0"] }) });
    expect((await nextSlots(1, MONDAY)).map(({ startsAt }) => startsAt)).toEqual([
      "2027-02-15T08:00:00+00:00",
    ]);
  });
});

test("three weeks at once are the same as their days one by one", async () => {
  const rt = createTestRuntime();
  const { slug } = createLargeSalon(rt, {
    people: 2,
    services: 1,
    firstDay: MONDAY,
    days: 21,
    bookings: 800,
  });
  const ask = asking(rt, slug);
  const wish = visit({ serviceIds: ["s0"] });
  const days = Array.from({ length: 21 }, (_, i) => addDays(MONDAY, i));
  const oneByOne = await Promise.all(
    days.map((day) => startsOf(ask({ request: wish, dates: { from: day, to: day } }))),
  );
  expect(oneByOne.flat().length).toBeGreaterThan(100);
  expect(
    await startsOf(ask({ request: wish, dates: { from: MONDAY, to: addDays(MONDAY, 20) } })),
  ).toEqual(oneByOne.flat());
});

describe("however long it takes, others are served in between", () => {
  const WORST = { people: 50, services: 8, firstDay: MONDAY, days: 62, bookings: 10_000 };
  const chain = (services: string[]) => visit({ serviceIds: services });
  const twoMonths = { from: MONDAY, to: "2027-01-23" };

  /** The longest turn of the event loop while it works, in milliseconds of this thread's own time. */
  async function longestTurn(work: Promise<unknown>): Promise<number> {
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

  test("62 days of 8 services by 50 people around 10,000 bookings hold nobody up for 50 ms", async () => {
    const rt = createTestRuntime();
    const { slug, services } = createLargeSalon(rt, WORST);
    const ask = asking(rt, slug);
    const once = () => startsOf(ask({ request: chain(services), dates: twoMonths }));
    // Code that has run for a while.
    expect((await once()).length).toBeGreaterThan(500);
    expect(await longestTurn(once())).toBeLessThan(50);
    // Two that come together take turns.
    expect(await longestTurn(Promise.all([once(), once()]))).toBeLessThan(50);
  });

  test("of two who ask, the one whose question is lighter does not wait for the other", async () => {
    const rt = createTestRuntime();
    const { slug, services } = createLargeSalon(rt, { ...WORST, bookings: 100 });
    const ask = asking(rt, slug);
    const order: string[] = [];
    const heavy = startsOf(ask({ request: chain(services), dates: twoMonths })).then(() =>
      order.push("heavy"),
    );
    const light = startsOf(ask({ request: chain(services.slice(0, 1)) })).then(() =>
      order.push("light"),
    );
    await Promise.all([heavy, light]);
    expect(order).toEqual(["light", "heavy"]);
  });
});
