/**
 * Draws catalog files of small businesses whose free times a reader of the documentation can
 * compute.
 */
import { addDays, createZone, DAYS, type Exception, type Weekly } from "./documented-hours.ts";
import type { RandomInt } from "./random-edits.ts";

export type PersonFile = {
  key: string;
  name: string;
  public: boolean;
  bookable: boolean;
  hours?: Weekly[];
  breaks: Weekly[];
  timeOff: { from: string; to: string }[];
  exceptions: Exception[];
  serviceOverrides: { service: string; durationMin?: number; priceCents?: number }[];
};
export type ServiceFile = {
  key: string;
  name: string;
  durationMin: number;
  priceCents: number;
  capacity: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  resources: { resource: string; units: number }[];
  staff: string[];
  variants: {
    key: string;
    name: string;
    durationMin: number;
    priceCents: number;
    default?: boolean;
    staff?: string[];
  }[];
  addons: { addon: string; required: boolean; min: number; max: number; default: number }[];
  bookingRules: { slotIntervalMin?: number; minNoticeMin?: number; maxAdvanceDays?: number };
};
export type CatalogFile = {
  catalog: 1;
  business: {
    slug: string;
    name: string;
    timezone: string;
    currency: string;
    bookingPolicy: {
      slotIntervalMin: number;
      minNoticeMin: number;
      maxAdvanceDays: number;
      grid: "clock" | "opening";
      bufferPolicy: "max" | "sum";
      maxGapMin: number;
    };
  };
  hours: Weekly[];
  exceptions: Exception[];
  closures: { date: string }[];
  turnTimes: { upTo: number; min: number }[];
  resources: { key: string; name: string; capacity: number }[];
  addons: {
    key: string;
    name: string;
    priceCents: number;
    durationMin: number;
    maxQuantity: number;
  }[];
  staff: PersonFile[];
  services: ServiceFile[];
  areas: { key: string; name: string }[];
  tables: { key: string; area?: string; minSeats: number; maxSeats: number }[];
};

const ZONES = ["Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];

export class Draw {
  readonly int: RandomInt;

  constructor(int: RandomInt) {
    this.int = int;
  }

  chance = (percent: number): boolean => this.int(100) < percent;
  pick = <T>(list: readonly T[]): T => list[this.int(list.length)] as T;
  some = <T>(list: readonly T[]): T[] => list.filter(() => this.int(2) === 0);
  times = <T>(least: number, most: number, make: (index: number) => T): T[] =>
    Array.from({ length: least + this.int(most - least + 1) }, (_, index) => make(index));

  time(minute: number): string {
    const two = (number: number): string => String(number).padStart(2, "0");
    return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
  }

  /** Returns one or two intervals of a day, in steps of five minutes. Some end after midnight. */
  intervals(): { start: string; end: string }[] {
    const open = 420 + 5 * this.int(48);
    const close = open + 120 + 5 * this.int(72);
    const pair = (from: number, to: number) => ({ start: this.time(from), end: this.time(to) });
    if (this.chance(20)) return [pair(1200 + 15 * this.int(8), 1380 + 30 * this.int(14))];
    if (this.chance(30)) return [pair(open, close), pair(close + 5 * this.int(20), close + 200)];
    return [pair(open, close)];
  }

  weekly(): Weekly[] {
    const days = DAYS.filter(() => this.chance(85));
    const half = days.filter(() => this.chance(50));
    return [half, days.filter((day) => !half.includes(day))]
      .filter((list) => list.length > 0)
      .flatMap((list) => this.intervals().map((interval) => ({ days: list, ...interval })));
  }
}

/** Returns days near the next changes of the clocks, and some others, within the next year. */
export function interestingDays(timezone: string, today: string, draw: Draw): string[] {
  const zone = createZone(timezone);
  const changes = Array.from({ length: 360 }, (_, index) => addDays(today, index + 1)).filter(
    (date) => zone.instantOf(addDays(date, 1), 0) - zone.instantOf(date, 0) !== 1440,
  );
  return [
    ...changes.map((date) => addDays(date, -1)),
    ...draw.times(2, 3, (i) => addDays(today, i * 9)),
  ];
}

/** Returns a catalog file whose exceptions and absences are on the given days. */
export function drawCatalog(
  slug: string,
  timezone: string,
  days: string[],
  draw: Draw,
): CatalogFile {
  const near = (): string => addDays(draw.pick(days), draw.int(3));
  const exception = (modes: Exception["mode"][]): Exception => ({
    date: near(),
    mode: draw.pick(modes),
    intervals: draw.intervals(),
  });
  const oncePerDay = (list: Exception[]): Exception[] => [
    ...new Map(list.map((one) => [one.date, one])).values(),
  ];
  const resources = draw.times(0, 2, (i) => ({
    key: `room-${i}`,
    name: `Room ${i}`,
    capacity: 1 + draw.int(3),
  }));
  const addons = draw.times(0, 3, (i) => ({
    key: `addon-${i}`,
    name: `Addon ${i}`,
    priceCents: 100 * draw.int(40),
    durationMin: 5 * draw.int(5),
    maxQuantity: 3,
  }));
  const people = draw.times(1, 4, (i) => `person-${i}`);
  const services = draw.times(2, 5, (i) =>
    drawService(`service-${i}`, draw, { people, resources, addons }),
  );
  const areas = draw.times(0, 2, (i) => ({ key: `area-${i}`, name: `Area ${i}` }));
  return {
    catalog: 1,
    business: {
      slug,
      name: slug,
      timezone,
      currency: "CHF",
      bookingPolicy: {
        slotIntervalMin: draw.pick([10, 15, 20, 25, 30, 45, 60]),
        minNoticeMin: draw.pick([0, 60, 600, 3000]),
        maxAdvanceDays: draw.pick([20, 400, 400]),
        grid: draw.pick(["clock", "opening"]),
        bufferPolicy: draw.pick(["max", "sum"]),
        maxGapMin: draw.pick([0, 5, 15, 30]),
      },
    },
    hours: draw.weekly(),
    exceptions: oncePerDay(draw.times(0, 3, () => exception(["replace", "add", "remove", "only"]))),
    closures: draw.times(0, 2, () => ({ date: near() })),
    turnTimes: draw.chance(70)
      ? [
          { upTo: 2, min: 60 + 15 * draw.int(3) },
          { upTo: 4, min: 120 },
        ]
      : [],
    resources,
    addons,
    staff: people.map((key) => {
      const hours = draw.chance(50) ? draw.weekly() : undefined;
      return {
        key,
        name: key,
        public: draw.chance(80),
        bookable: draw.chance(90),
        ...(hours && { hours }),
        breaks: draw.chance(50)
          ? [{ days: draw.some(DAYS).concat("mon"), start: "12:00", end: "12:35" }]
          : [],
        timeOff: draw.chance(30)
          ? [{ from: `${near()}T00:00`, to: `${addDays(near(), 400)}T00:00` }].map(({ from }) => ({
              from,
              to: `${from.slice(0, 10)}T15:20`,
            }))
          : [],
        exceptions: oncePerDay(draw.times(0, 2, () => exception(["replace", "add", "remove"]))),
        serviceOverrides: services
          .filter(({ staff }) => staff.includes(key) && draw.chance(25))
          .map((service) => ({
            service: service.key,
            durationMin: service.durationMin + 5 * draw.int(4),
            priceCents: service.priceCents + 500,
          })),
      };
    }),
    services,
    areas,
    tables: draw.times(0, 5, (i) => {
      const minSeats = 1 + draw.int(3);
      const area = areas.length > 0 && draw.chance(80) ? { area: draw.pick(areas).key } : {};
      return { key: `table-${i}`, ...area, minSeats, maxSeats: minSeats + draw.int(4) };
    }),
  };
}

function drawService(
  key: string,
  draw: Draw,
  has: {
    people: string[];
    resources: { key: string; capacity: number }[];
    addons: { key: string }[];
  },
): ServiceFile {
  const staff = draw.chance(75) ? draw.some(has.people) : [];
  const resources = has.resources
    .filter(() => draw.chance(35))
    .map((resource) => ({ resource: resource.key, units: 1 + draw.int(resource.capacity) }));
  const capacity = draw.chance(25) ? 2 + draw.int(4) : 1;
  const buffer = (): number => (draw.chance(35) ? 5 * draw.int(6) : 0);
  const durationMin = 15 + 5 * draw.int(18);
  const priceCents = 500 + 100 * draw.int(90);
  const variants = draw.chance(40)
    ? [0, 1, 2].map((i) => {
        const fewer = staff.length > 1 && draw.chance(30) ? { staff: [draw.pick(staff)] } : {};
        return {
          key: `${key}-v${i}`,
          name: `${key} v${i}`,
          durationMin: durationMin + 10 * i,
          priceCents: priceCents + 700 * i,
          ...(i === 1 && { default: true }),
          ...fewer,
        };
      })
    : [];
  return {
    key,
    name: key,
    durationMin,
    priceCents,
    capacity,
    bufferBeforeMin: buffer(),
    bufferAfterMin: buffer(),
    resources,
    staff,
    variants,
    addons: has.addons
      .filter(() => draw.chance(40))
      .map(({ key: addon }) => {
        const required = draw.chance(25);
        const min = required ? 1 + draw.int(2) : 0;
        return { addon, required, min, max: 3, default: min + draw.int(2) };
      }),
    bookingRules: {
      ...(draw.chance(25) && { slotIntervalMin: draw.pick([10, 20, 30, 50]) }),
      ...(draw.chance(20) && { minNoticeMin: draw.pick([0, 1500]) }),
      ...(draw.chance(20) && { maxAdvanceDays: draw.pick([1, 12]) }),
    },
  };
}

export const drawZone = (draw: Draw): string => draw.pick(ZONES);
