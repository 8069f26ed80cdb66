import { type Arbitrary, gen, integer } from "../../support/property.ts";
import { busyIntervalsOf } from "./booked-intervals.ts";
import { listSlots } from "../../../src/domain/availability/slot.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import type { BusyInterval, ResolvedRequest } from "../../../src/domain/availability/request.ts";
import { BOOKING_POLICY_DEFAULTS } from "../../../src/domain/catalog/file/business.ts";
import { BOOKING_RULE_DEFAULTS } from "../../../src/domain/catalog/file/services.ts";
import type {
  Catalog,
  HoursException,
  HoursRule,
  ServiceDoc,
  StaffDoc,
} from "../../../src/domain/catalog/catalog.ts";
import type { Weekday, WeeklyWindow } from "../../../src/domain/catalog/common.ts";
import { AppError } from "../../../src/domain/errors.ts";
import {
  buildAddon,
  buildAddonLink,
  buildArea,
  buildCatalog,
  buildResource,
  buildService,
  buildStaffMember,
  buildTable,
  buildVariant,
} from "../../support/catalog-builders.ts";
import { addDays } from "./oracle-clock.ts";
import type { Scenario } from "./oracle.ts";
import { ZONES } from "./time-zones.ts";

/** Random decisions, drawn one by one so that fast-check can shrink them. */
type Random = {
  int: (min: number, max: number) => number;
  pick: <T>(values: readonly T[]) => T;
  /** Returns true once in `n` calls on average. */
  once: (n: number) => boolean;
  some: <T>(max: number, make: (i: number) => T, min?: number) => T[];
};

const builders = new Map<string, () => Arbitrary<number>>();

/**
 * Returns a builder of integers, which is created once for each range. If the range were given as
 * arguments of one builder, fast-check would compare them with all earlier ones, which took half of
 * the time to draw a business.
 */
function intBetween(min: number, max: number): () => Arbitrary<number> {
  const range = `${min} ${max}`;
  let build = builders.get(range);
  if (build === undefined) builders.set(range, (build = () => integer({ min, max })));
  return build;
}

const WEEK: Weekday[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A business with bookings, a request, and one extra booking that need not be valid. */
export const scenariosWithExtraBooking: Arbitrary<{
  scenario: Scenario;
  extraBooking: BusyInterval[];
}> = gen().map((g) => {
  const int = (min: number, max: number) => g(intBetween(min, max));
  const random: Random = {
    int,
    pick: (values) => values[int(0, values.length - 1)]!,
    once: (n) => int(1, n) === n,
    some: (max, make, min = 0) => Array.from({ length: int(min, max) }, (_, i) => make(i)),
  };
  const place = random.pick(ZONES);
  const catalog = randomCatalog(random, place);
  const from = addDays(place.date, int(-1, 1));
  const midnight = Date.parse(`${from}T00:00Z`) / 60_000;
  const scenario = {
    catalog,
    request: { from, to: addDays(from, int(0, 2)), ...randomRequest(random, catalog) },
    busyIntervals: random.some(8, () => randomBusyIntervals(random, catalog, midnight)).flat(),
    nowMs:
      (midnight - int(0, 3000) + (random.once(4) ? int(0, 4000) : 0)) * 60_000 + int(0, 59_999),
  };
  for (let bookings = int(0, 6); bookings > 0; bookings -= 1) bookRandomSlot(random, scenario);
  return { scenario, extraBooking: randomBusyIntervals(random, catalog, midnight) };
});

/** Books one of the slots, so that days fill up and sessions exist. */
function bookRandomSlot(
  { pick, once }: Random,
  { catalog, request, busyIntervals, nowMs }: Scenario,
): void {
  if (!isValidRequest({ catalog, request, busyIntervals, nowMs })) return;
  const plan = planResolvedRequest(catalog, request, nowMs);
  const slots = listSlots(prepareSlotSearch(plan, busyIntervals)).flatMap((day) => day.slots);
  if (slots.length === 0) return;
  const slot = pick(slots);
  busyIntervals.push(...busyIntervalsOf(plan, slot));
  // A second booking sometimes leaves a single spot.
  if (once(2))
    for (const interval of busyIntervalsOf(plan, slot))
      busyIntervals.push({ ...interval, seats: Math.max(1, slot.spotsLeft - 2) });
}

/** Returns whether the request is valid. Tests with examples cover invalid requests. */
export function isValidRequest({ catalog, request, nowMs }: Scenario): boolean {
  try {
    planResolvedRequest(catalog, request, nowMs);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/**
 * Returns a random time window. Many windows begin in the early hours, when clocks change, and many
 * end after midnight.
 */
function randomWindow(
  { int, pick, once }: Random,
  maxMinutes: number,
): { start: string; end: string } {
  const start = pick([0, 60, 90, 120, 135, 150, 180, 480, 540, 600, 780, 1320, 5 * int(0, 287)]);
  const length = once(3) ? pick([15, 30, 60, 90]) : 15 * int(1, Math.ceil(maxMinutes / 15));
  const end = Math.min(start + length, 2880);
  return { start: clock(start), end: clock(end) };
}

const randomWeeklyWindow = (random: Random, maxMinutes: number): WeeklyWindow => ({
  days: random.once(5) ? WEEK.filter(() => random.once(2)) : WEEK,
  ...randomWindow(random, maxMinutes),
});

const randomOpeningHours = ({ int }: Random): HoursRule => ({
  days: WEEK,
  start: clock(15 * int(0, 40)),
  end: clock(15 * int(60, 130)),
  validFrom: null,
  validTo: null,
});

const randomHoursRule = (random: Random, date: string): HoursRule => ({
  ...randomWeeklyWindow(random, 1500),
  validFrom: random.once(6) ? addDays(date, random.int(-2, 2)) : null,
  validTo: random.once(6) ? addDays(date, random.int(-1, 3)) : null,
});

const randomException = (random: Random, date: string): HoursException => ({
  date: addDays(date, random.int(-2, 3)),
  mode: random.pick(["REPLACE", "ADD", "REMOVE"]),
  intervals: random.some(2, () => randomWindow(random, 900)),
});

function randomCatalog(random: Random, { zone, date }: { zone: string; date: string }): Catalog {
  const { int, pick, once, some } = random;
  const resource = some(2, (i) =>
    buildResource(`r${i}`, { capacity: int(1, 3), status: once(15) ? "INACTIVE" : "ACTIVE" }),
  );
  const addon = some(2, (i) =>
    buildAddon(`a${i}`, { durationMin: 5 * int(0, 4), status: once(8) ? "INACTIVE" : "ACTIVE" }),
  );
  const staffKeys = some(3, (i) => `p${i}`, 1);
  const service = some(
    3,
    (i) =>
      randomService(
        random,
        `s${i}`,
        staffKeys,
        resource.map(({ key }) => key),
        addon.map(({ key }) => key),
      ),
    1,
  );
  const staff = staffKeys.map((key) => randomStaffMember(random, key, date, service));
  const area = [buildArea("in"), buildArea("out", { status: once(5) ? "INACTIVE" : "ACTIVE" })];
  const table = some(4, (i) => {
    const minSeats = int(1, 3);
    return buildTable(`t${i}`, {
      area: pick([null, "in", "out"]),
      minSeats,
      maxSeats: minSeats + int(0, 3),
    });
  });
  const catalog = buildCatalog(
    { service, resource, addon, staff, area, table },
    {
      timezone: zone,
      bookingPolicy: {
        ...BOOKING_POLICY_DEFAULTS,
        slotIntervalMin: pick([5, 10, 15, 20, 30, 45, 60, 90, 7, 100]),
        minNoticeMin: pick([0, 0, 30, 61, 1440]),
        maxAdvanceDays: pick([30, 30, 5, 2, 1]),
        bufferPolicy: pick(["MAX", "SUM"]),
        grid: pick(["CLOCK", "OPENING"]),
        maxGapMin: pick([0, 0, 5, 15, 40]),
      },
    },
  );
  catalog.schedule = {
    hours: [
      ...(once(4) ? [] : [randomOpeningHours(random)]),
      ...some(2, () => randomHoursRule(random, date)),
    ],
    exceptions: some(2, () => ({
      ...randomException(random, date),
      ...(once(4) ? { mode: "ONLY" } : {}),
    })),
    closures: some(once(3) ? 1 : 0, () =>
      once(2)
        ? { name: null, yearly: addDays(date, int(-1, 2)).slice(5) }
        : { name: null, from: addDays(date, int(-3, 2)), to: addDays(date, int(-1, 2)) },
    ),
    turnTimes: some(3, () => ({ upTo: int(1, 6), min: 15 * int(2, 8) })),
  };
  return catalog;
}

function randomService(
  random: Random,
  key: string,
  staff: string[],
  resources: string[],
  addons: string[],
): ServiceDoc {
  const { int, pick, once } = random;
  const sometimes = <T>(value: T) => (once(5) ? value : null);
  return buildService(key, {
    durationMin: pick([10, 15, 30, 45, 60, 75, 90]),
    capacity: pick([1, 1, 2, 4]),
    bufferBeforeMin: pick([0, 0, 5, 15]),
    bufferAfterMin: pick([0, 0, 10, 15, 30]),
    resources: resources.filter(() => once(4)).map((resource) => ({ resource, units: int(1, 2) })),
    staff: once(6) ? [] : staff.filter(() => !once(4)),
    bookingRules: {
      ...BOOKING_RULE_DEFAULTS,
      slotIntervalMin: sometimes(pick([5, 20, 25, 60])),
      minNoticeMin: sometimes(pick([0, 45, 600])),
      maxAdvanceDays: sometimes(pick([2, 10])),
    },
    variants: random.some(2, (i) =>
      buildVariant(`v${i}`, {
        durationMin: pick([20, 40, 50]),
        isDefault: i === 0 && once(2),
        staff: once(4) ? staff.filter(() => once(2)) : null,
        status: once(6) ? "INACTIVE" : "ACTIVE",
      }),
    ),
    addons: addons.map((addon) =>
      buildAddonLink(addon, {
        required: once(4),
        maxQuantity: 3,
        defaultQuantity: int(0, 2),
        durationMin: sometimes(pick([0, 5, 25])),
      }),
    ),
  });
}

const randomStaffMember = (
  random: Random,
  key: string,
  date: string,
  services: ServiceDoc[],
): StaffDoc => {
  const { int, pick, once, some } = random;
  const midnight = Date.parse(`${date}T00:00Z`);
  return buildStaffMember(key, {
    status: once(12) ? "INACTIVE" : "ACTIVE",
    bookable: !once(12),
    hours: once(2) ? null : some(2, () => randomHoursRule(random, date), 1),
    breaks: some(2, () => randomWeeklyWindow(random, 120)),
    timeOff: some(1, () => {
      const start = midnight + int(-2000, 4000) * 60_000 + pick([0, 0, 30_000]);
      return { from: start, to: start + int(1, 1500) * 60_000 };
    }),
    exceptions: some(1, () => randomException(random, date)),
    serviceOverrides: services
      .filter(() => once(4))
      .map((service) => ({
        service: service.key,
        durationMin: pick([null, 25, 35]),
        priceCents: null,
      })),
  });
};

function randomRequest(
  random: Random,
  { objects }: Catalog,
): { services: Request[]; guests: number } | Party {
  const { int, pick, once, some } = random;
  if (objects.table.length > 0 && once(4))
    return {
      partySize: int(1, Math.max(...objects.table.map(({ maxSeats }) => maxSeats))),
      area: pick([null, null, "in"]),
    };
  const services = some(
    once(6) ? 5 : 2,
    () => {
      const service = pick(objects.service);
      const active = service.variants.filter(({ status }) => status === "ACTIVE");
      const offered = service.addons.filter(({ addon }) =>
        objects.addon.some(({ key, status }) => key === addon && status === "ACTIVE"),
      );
      const staff = objects.staff.filter(({ key }) => service.staff.includes(key));
      return {
        service: service.key,
        variant: active.length > 0 && once(2) ? pick(active).key : null,
        addons: offered.filter(() => once(3)).map(({ addon }) => ({ addon, quantity: int(1, 3) })),
        staff: staff.length > 0 && once(4) ? pick(staff).key : null,
      };
    },
    1,
  );
  const most = Math.min(
    ...services.map((s) => objects.service.find(({ key }) => key === s.service)!.capacity),
  );
  return { services, guests: int(1, most) };
}

type Request = Extract<ResolvedRequest, { services: unknown }>["services"][number];
type Party = { partySize: number; area: string | null };

/** Returns bookings that fit the catalog, and some that were made before the catalog changed. */
function randomBusyIntervals(
  random: Random,
  { objects }: Catalog,
  midnight: number,
): BusyInterval[] {
  const { int, pick, once, some } = random;
  const startMin = midnight + pick([60, 30, 15, 5]) * int(-10, 60);
  const common = {
    staffKey: null,
    serviceKey: null,
    tableKey: null,
    bufferBeforeMin: 0,
    bufferAfterMin: 0,
    resources: [],
  };
  if (objects.table.length > 0 && once(4))
    return [
      {
        ...common,
        tableKey: pick(objects.table).key,
        startMin,
        endMin: startMin + 15 * int(1, 10),
        seats: 2,
      },
    ];
  const service = pick(objects.service);
  const endMin =
    startMin + (once(3) ? pick([20, 40, 50, 25, 5 * int(1, 24)]) : service.durationMin);
  const booked = {
    staffKey: service.staff.length > 0 ? pick(service.staff) : null,
    serviceKey: once(20) ? null : service.key,
    tableKey: null,
    startMin,
    endMin,
  };
  // A session has several guests with one interval each.
  const guest = (): BusyInterval => ({
    ...booked,
    bufferBeforeMin: once(5) ? 20 : service.bufferBeforeMin,
    bufferAfterMin: once(5) ? 20 : service.bufferAfterMin,
    seats: int(1, Math.max(1, service.capacity - 1)),
    resources: once(6) ? [] : service.resources,
  });
  return some(service.capacity > 1 ? 3 : 1, guest, 1);
}
