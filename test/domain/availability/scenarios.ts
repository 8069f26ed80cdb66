import { type Arbitrary, gen, integer } from "fast-check";
import { busyIntervalsOf } from "../../../src/domain/availability/booked-intervals.ts";
import { listSlots } from "../../../src/domain/availability/listing.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import type { BusyInterval, ResolvedRequest } from "../../../src/domain/availability/request.ts";
import type {
  Catalog,
  Day,
  HoursException,
  HoursRule,
  ServiceDoc,
  StaffDoc,
  WeeklyWindow,
} from "../../../src/domain/catalog/catalog.ts";
import { AppError } from "../../../src/domain/errors.ts";
import {
  buildCatalog,
  buildAddonLink,
  buildAddon,
  buildStaffMember,
  buildService,
  buildVariant,
} from "../../support/catalog-builders.ts";
import { anArea, aResource, aTable } from "./documents.ts";
import { addDays } from "./oracle-clock.ts";
import type { Scenario } from "./oracle.ts";
import { ZONES } from "./time-zones.ts";

/** Dice: one throw for each decision, so that fast-check can shrink them. */
type Dice = {
  int: (min: number, max: number) => number;
  pick: <T>(values: readonly T[]) => T;
  /** True once in so many throws. */
  once: (inThrows: number) => boolean;
  some: <T>(max: number, make: (i: number) => T, min?: number) => T[];
};

const WEEK: Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A business with its bookings, a question about it, and one more booking, which may be anything. */
export const scenariosWithOneMore: Arbitrary<{ world: Scenario; oneMore: BusyInterval[] }> =
  gen().map((g) => {
    const int = (min: number, max: number) => g(integer, { min, max });
    const dice: Dice = {
      int,
      pick: (values) => values[int(0, values.length - 1)]!,
      once: (inThrows) => int(1, inThrows) === inThrows,
      some: (max, make, min = 0) => Array.from({ length: int(min, max) }, (_, i) => make(i)),
    };
    const place = dice.pick(ZONES);
    const catalog = business(dice, place);
    const from = addDays(place.date, int(-1, 1));
    const midnight = Date.parse(`${from}T00:00Z`) / 60_000;
    const world = {
      catalog,
      request: { from, to: addDays(from, int(0, 2)), ...asked(dice, catalog) },
      busyIntervals: dice.some(8, () => busyRows(dice, catalog, midnight)).flat(),
      nowMs:
        (midnight - int(0, 3000) + (dice.once(4) ? int(0, 4000) : 0)) * 60_000 + int(0, 59_999),
    };
    for (let bookings = int(0, 6); bookings > 0; bookings -= 1) book(dice, world);
    return { world, oneMore: busyRows(dice, catalog, midnight) };
  });

/** Somebody asks the same and takes one of the slots, so that days fill and classes start. */
function book(
  { pick, once }: Dice,
  { catalog, request: question, busyIntervals: rows, nowMs }: Scenario,
): void {
  if (!isValidRequest({ catalog, request: question, busyIntervals: rows, nowMs })) return;
  const plan = planResolvedRequest(catalog, question, nowMs);
  const slots = listSlots(prepareSlotSearch(plan, rows)).flatMap((day) => day.slots);
  if (slots.length === 0) return;
  const slot = pick(slots);
  rows.push(...busyIntervalsOf(plan, slot));
  // At times for all seats but one.
  if (once(2))
    for (const row of busyIntervalsOf(plan, slot))
      rows.push({ ...row, seats: Math.max(1, slot.spotsLeft - 2) });
}

/** Whether the question passes: what else a service, a variant or a person can be asked in vain is tested by example. */
export function isValidRequest({ catalog, request: question, nowMs }: Scenario): boolean {
  try {
    planResolvedRequest(catalog, question, nowMs);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/** Often in the small hours, where clocks change; often past midnight. */
function wallSpan({ int, pick, once }: Dice, longest: number): { start: string; end: string } {
  const start = pick([0, 60, 90, 120, 135, 150, 180, 480, 540, 600, 780, 1320, 5 * int(0, 287)]);
  const length = once(3) ? pick([15, 30, 60, 90]) : 15 * int(1, Math.ceil(longest / 15));
  const end = Math.min(start + length, 2880);
  return { start: clock(start), end: clock(end) };
}

const weekly = (dice: Dice, longest: number): WeeklyWindow => ({
  days: dice.once(5) ? WEEK.filter(() => dice.once(2)) : WEEK,
  ...wallSpan(dice, longest),
});

const allWeek = ({ int }: Dice): HoursRule => ({
  days: WEEK,
  start: clock(15 * int(0, 40)),
  end: clock(15 * int(60, 130)),
  validFrom: null,
  validTo: null,
});

const hoursRule = (dice: Dice, date: string): HoursRule => ({
  ...weekly(dice, 1500),
  validFrom: dice.once(6) ? addDays(date, dice.int(-2, 2)) : null,
  validTo: dice.once(6) ? addDays(date, dice.int(-1, 3)) : null,
});

const exception = (dice: Dice, date: string): HoursException => ({
  date: addDays(date, dice.int(-2, 3)),
  mode: dice.pick(["REPLACE", "ADD", "REMOVE"]),
  intervals: dice.some(2, () => wallSpan(dice, 900)),
});

function business(dice: Dice, { zone, date }: { zone: string; date: string }): Catalog {
  const { int, pick, once, some } = dice;
  const resource = some(2, (i) =>
    aResource(`r${i}`, { capacity: int(1, 3), status: once(15) ? "INACTIVE" : "ACTIVE" }),
  );
  const addon = some(2, (i) =>
    buildAddon(`a${i}`, { durationMin: 5 * int(0, 4), status: once(8) ? "INACTIVE" : "ACTIVE" }),
  );
  const staffKeys = some(3, (i) => `p${i}`, 1);
  const service = some(
    3,
    (i) =>
      aServiceOf(
        dice,
        `s${i}`,
        staffKeys,
        resource.map(({ key }) => key),
        addon.map(({ key }) => key),
      ),
    1,
  );
  const staff = staffKeys.map((key) => person(dice, key, date, service));
  const area = [anArea("in"), anArea("out", { status: once(5) ? "INACTIVE" : "ACTIVE" })];
  const table = some(4, (i) => {
    const minSeats = int(1, 3);
    return aTable(`t${i}`, {
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
    hours: [...(once(4) ? [] : [allWeek(dice)]), ...some(2, () => hoursRule(dice, date))],
    exceptions: some(2, () => exception(dice, date)),
    closures: some(once(3) ? 1 : 0, () =>
      once(2)
        ? { name: null, yearly: addDays(date, int(-1, 2)).slice(5) }
        : { name: null, from: addDays(date, int(-3, 2)), to: addDays(date, int(-1, 2)) },
    ),
    turnTimes: some(3, () => ({ upTo: int(1, 6), min: 15 * int(2, 8) })),
  };
  return catalog;
}

function aServiceOf(
  dice: Dice,
  key: string,
  staff: string[],
  resources: string[],
  addons: string[],
): ServiceDoc {
  const { int, pick, once } = dice;
  const own = <T>(value: T) => (once(5) ? value : null);
  return buildService(key, {
    durationMin: pick([10, 15, 30, 45, 60, 75, 90]),
    capacity: pick([1, 1, 2, 4]),
    bufferBeforeMin: pick([0, 0, 5, 15]),
    bufferAfterMin: pick([0, 0, 10, 15, 30]),
    resources: resources.filter(() => once(4)).map((resource) => ({ resource, units: int(1, 2) })),
    staff: once(6) ? [] : staff.filter(() => !once(4)),
    bookingRules: {
      slotIntervalMin: own(pick([5, 20, 25, 60])),
      minNoticeMin: own(pick([0, 45, 600])),
      maxAdvanceDays: own(pick([2, 10])),
    },
    variants: dice.some(2, (i) =>
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
        durationMin: own(pick([0, 5, 25])),
      }),
    ),
  });
}

const person = (dice: Dice, key: string, date: string, services: ServiceDoc[]): StaffDoc => {
  const { int, pick, once, some } = dice;
  const midnight = Date.parse(`${date}T00:00Z`);
  return buildStaffMember(key, {
    status: once(12) ? "INACTIVE" : "ACTIVE",
    bookable: !once(12),
    hours: once(2) ? null : some(2, () => hoursRule(dice, date), 1),
    breaks: some(2, () => weekly(dice, 120)),
    timeOff: some(1, () => {
      const start = midnight + int(-2000, 4000) * 60_000 + pick([0, 0, 30_000]);
      return { from: start, to: start + int(1, 1500) * 60_000 };
    }),
    exceptions: some(1, () => exception(dice, date)),
    serviceOverrides: services
      .filter(() => once(4))
      .map((service) => ({
        service: service.key,
        durationMin: pick([null, 25, 35]),
        priceCents: null,
      })),
  });
};

function asked(dice: Dice, { objects }: Catalog): { services: Request[]; guests: number } | Party {
  const { int, pick, once, some } = dice;
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

/** Some as the business itself would have booked them, some as a change of its catalog has left them. */
function busyRows(dice: Dice, { objects }: Catalog, midnight: number): BusyInterval[] {
  const { int, pick, once, some } = dice;
  const startMin = midnight + pick([60, 30, 15, 5]) * int(-10, 60);
  const none = {
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
        ...none,
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
  // A class has several guests, each with a row.
  const guest = (): BusyInterval => ({
    ...booked,
    bufferBeforeMin: once(5) ? 20 : service.bufferBeforeMin,
    bufferAfterMin: once(5) ? 20 : service.bufferAfterMin,
    seats: int(1, Math.max(1, service.capacity - 1)),
    resources: once(6) ? [] : service.resources,
  });
  return some(service.capacity > 1 ? 3 : 1, guest, 1);
}
