import { type Interval, intersect } from "../../domain/availability/intervals.ts";
import {
  daysInterval,
  DAY_MIN,
  type DayNumber,
  localDays,
  dayAt,
} from "../../domain/availability/wall-clock.ts";
import { createTableCheck } from "../../domain/availability/segments.ts";
import { createWorkingTimeReader } from "../../domain/availability/working-time.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import type { Catalog, StaffDoc } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { lazy } from "../../domain/lazy.ts";
import type { BusySegment } from "../../store/bookings/booking-segments.ts";
import { fitsDay, fitsWeek, shareDays } from "../../domain/bookings/hold.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { readBookableCatalog } from "../catalog/bookable-catalog.ts";
import type { Runtime } from "../runtime.ts";

// A pool is all staff, all tables, or one service that needs no staff. This file compares the
// working time of each pool with the time that visits and holds take of it. Working time is cached
// for each catalog, because computing it for 200 people takes longer than all other work for a
// hold.

const MINUTE_MS = 60_000;
/** The most intervals of working time that are cached for a catalog. */
const MAX_INTERVALS = 20_000;

/** The fields of a hold or visit that say which working time it takes. */
export type Held = {
  startsAt: number;
  endsAt: number;
  segments: readonly BusySegment[];
  tableId: string | null;
};

/** Names a pool: all staff, all tables, or the ID of one service that needs no staff. */
export type Pool = "staff" | "tables" | (string & {});

/** Time that a visit or hold takes of a staff member, a table or a service without staff. */
export type Taken = Interval & {
  pool: Pool;
  id: string;
  /**
   * The fraction of the time that is taken, from 0 to 1: the booked seats divided by the capacity
   * of the service.
   */
  share: number;
};

/** Working time of a staff member, a table or a service without staff. */
export type Work = Interval & { id: string };

export type Pools = {
  toTaken: (held: Held) => Taken[];
  /** Returns the working time of a pool on each of the days, including booked time. */
  listWork: (pool: Pool, first: DayNumber, last: DayNumber) => Map<DayNumber, readonly Work[]>;
};

const poolsOfCatalog = new WeakMap<Catalog, Pools>();

export const readPools = (catalog: Catalog): Pools =>
  poolsOfCatalog.getOrInsertComputed(catalog, () => ({
    toTaken: createTakenConverter(catalog),
    listWork: createWorkReader(catalog),
  }));

/** Returns a function that computes working time and caches it. */
function createWorkReader(catalog: Catalog): Pools["listWork"] {
  const { timezone } = catalog.business;
  const workersOf = createWorkerReader(catalog);
  const cache = new BoundedCache<string, readonly Work[]>(
    MAX_INTERVALS,
    ({ length }) => length + 1,
  );

  const compute = (pool: Pool, days: readonly DayNumber[]): (readonly Work[])[] => {
    const [first = 0] = days;
    // The day before is included, because its shifts can end after midnight.
    const local = localDays(timezone, first - 1, days.at(-1) ?? first);
    const workingTimeOf = createWorkingTimeReader(catalog.schedule, local);
    const spans = days.map((day) => daysInterval(timezone, day, day));
    const workers = workersOf(pool);
    return spans.map((span) =>
      workers.flatMap(({ id, person }) =>
        intersect(workingTimeOf(person).work, [span]).map((work) => ({ ...work, id })),
      ),
    );
  };

  return (pool, first, last) => {
    const days = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    const keyOf = (day: DayNumber): string => `${pool} ${day}`;
    const cached = days.map((day) => cache.get(keyOf(day)));
    const work = cached.every((one) => one !== undefined) ? cached : compute(pool, days);
    for (const [n, day] of days.entries())
      if (cached[n] === undefined) cache.set(keyOf(day), work[n] ?? []);
    return new Map(days.map((day, n) => [day, work[n] ?? []]));
  };
}

/**
 * Returns a function that lists a pool: the bookable staff members who perform a bookable service,
 * the tables that can be reserved, or one service.
 */
function createWorkerReader({ business: { slug }, objects }: Catalog) {
  const staff = lazy(() => {
    const performers = new Set(
      objects.service
        .filter(({ status, bookable }) => status === "ACTIVE" && bookable)
        .flatMap((one) => [
          ...one.staff,
          ...one.variants.flatMap((variant) => variant.staff ?? []),
        ]),
    );
    return objects.staff
      .filter(({ key, status, bookable }) => status === "ACTIVE" && bookable && performers.has(key))
      .map((person) => ({ id: objectId("staff", slug, person), person }));
  });
  // Tables and services have no `person`, so their working time is the hours of the business.
  return (pool: Pool): readonly { id: string; person: StaffDoc | null }[] => {
    if (pool === "staff") return staff();
    if (pool !== "tables") return [{ id: pool, person: null }];
    return objects.table
      .filter(createTableCheck(objects.area))
      .map((table) => ({ id: objectId("table", slug, table), person: null }));
  };
}

/** Returns a function that converts a hold or visit to the time that it takes of each pool. */
function createTakenConverter({ business: { slug }, objects }: Catalog) {
  const capacities = new Map(
    objects.service.map((doc) => [objectId("service", slug, doc), doc.capacity]),
  );
  return ({ startsAt, endsAt, segments, tableId }: Held): Taken[] =>
    tableId === null
      ? segments.map((segment) => ({
          start: segment.startsAt / MINUTE_MS - segment.bufferBeforeMin,
          end: segment.endsAt / MINUTE_MS + segment.bufferAfterMin,
          pool: segment.staffId === null ? segment.serviceId : "staff",
          id: segment.staffId ?? segment.serviceId,
          share: Math.min(1, segment.seats / (capacities.get(segment.serviceId) ?? 1)),
        }))
      : [
          {
            start: startsAt / MINUTE_MS,
            end: endsAt / MINUTE_MS,
            pool: "tables",
            id: tableId,
            share: 1,
          },
        ];
}

/**
 * Returns whether the open holds of a key and the new hold leave enough time free. Each pool that
 * the new hold uses must keep enough free time in any seven days around the hold (`fitsWeek`). Each
 * staff member or table must keep enough free time on the day of the hold (`fitsDay`).
 * @param open the open holds of the key
 * @param part fraction, from 0 to 1, of the key's share of the free time that may be filled
 */
export function leavesTimeFree(
  rt: Runtime,
  business: BusinessRow,
  open: readonly Held[],
  hold: Held,
  part = 1,
): boolean {
  const catalog = readBookableCatalog(rt, business);
  const { timezone } = catalog.business;
  const now = Math.ceil(rt.now() / MINUTE_MS);
  const { toTaken, listWork } = readPools(catalog);
  const wanted = toTaken(hold);
  const takenByOpen = open.flatMap(toTaken);
  const dayOf = ({ start }: Interval): DayNumber => dayAt(timezone, start);

  return [...Map.groupBy(wanted, ({ pool }) => pool)].every(([pool, taken]) => {
    const [firstTaken] = taken as [Taken];
    const [today, day] = [dayAt(timezone, now), dayOf(firstTaken)];
    const held = takenByOpen.filter((one) => one.pool === pool);
    // The free time of these days decides whether the hold is allowed.
    const days = shareDays(today, day);
    const work = listWork(pool, days.first, days.last);
    const workers = new Set([...work.values()].flatMap((ofDay) => ofDay.map(({ id }) => id)));
    // A visit at a table of a closed area takes no time of the tables that can be reserved.
    const booked = listBooked(rt, business.id, pool, { now, ...days, toTaken }).filter(({ id }) =>
      workers.has(id),
    );
    const minutes = sumMinutes(taken);
    // The free minutes of each day are its working time from now on, less what is booked.
    const free = new Map([...work].map(([workDay, ofDay]) => [workDay, sumWork(ofDay, now)]));
    for (const [bookedDay, bookedMinutes] of byDay(booked, dayOf))
      free.set(bookedDay, Math.max(0, (free.get(bookedDay) ?? 0) - bookedMinutes));
    if (!fitsWeek({ today, free, held: byDay(held, dayOf) }, day, minutes, part)) return false;

    return [...Map.groupBy(taken, ({ id }) => id)].every(([id, takenOfOne]) => {
      const minutesOfDay = (takenByAll: readonly Taken[]): number =>
        sumMinutes(takenByAll.filter((one) => one.id === id && dayOf(one) === day));
      const working = sumWork(
        (work.get(day) ?? []).filter((one) => one.id === id),
        now,
      );
      return fitsDay(working - minutesOfDay(booked), minutesOfDay(held), sumMinutes(takenOfOne));
    });
  });
}

const sumMinutes = (taken: readonly Taken[]): number =>
  taken.reduce((sum, { start, end, share }) => sum + (end - start) * share, 0);

/** Returns the minutes of working time from `now` on. */
const sumWork = (work: readonly Work[], now: number): number =>
  work.reduce((sum, { start, end }) => sum + Math.max(0, end - Math.max(start, now)), 0);

const byDay = (
  taken: readonly Taken[],
  dayOf: (taken: Taken) => DayNumber,
): Map<DayNumber, number> =>
  new Map([...Map.groupBy(taken, dayOf)].map(([day, takenOnDay]) => [day, sumMinutes(takenOnDay)]));

type BookedSpan = { now: number; first: DayNumber; last: DayNumber; toTaken: Pools["toTaken"] };

function listBooked(
  rt: Runtime,
  businessId: string,
  pool: Pool,
  { now, first, last, toTaken }: BookedSpan,
): Taken[] {
  const { bookings, reservations } = rt.store;
  // The span is a day longer at each end, because a local day can begin or end up to a day before
  // or after the UTC day of the same date.
  const start = Math.max(now, (first - 1) * DAY_MIN);
  const span = [start * MINUTE_MS, (last + 2) * DAY_MIN * MINUTE_MS] as const;
  if (pool === "tables")
    return reservations
      .listBusy(businessId, ...span)
      .flatMap((row) => toTaken({ ...row, segments: [] }));
  const segments = bookings.listBusySegments(businessId, ...span);
  // `toTaken` reads `startsAt` and `endsAt` only if there is a table, so the zeros are never used.
  return toTaken({ startsAt: 0, endsAt: 0, tableId: null, segments }).filter(
    (taken) => taken.pool === pool,
  );
}
