import { type DayNumber, DAY_MIN, dayAt } from "../../domain/availability/wall-clock.ts";
import type { Interval } from "../../domain/availability/intervals.ts";
import { fitsDay, fitsWeek, shareDays } from "../../domain/bookings/hold.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { readBookableCatalog } from "../catalog/bookable-catalog.ts";
import type { Runtime } from "../runtime.ts";
import { type Held, type Pool, type Pools, readPools, type Taken, type Work } from "./pools.ts";

const MINUTE_MS = 60_000;

/**
 * Returns whether the open holds of a key, and one more, leave enough time free.
 * @param open the open holds of the key
 */
export function leavesTimeFree(
  rt: Runtime,
  business: BusinessRow,
  open: readonly Held[],
  hold: Held,
): boolean {
  const catalog = readBookableCatalog(rt, business);
  const { timezone } = catalog.business;
  const now = Math.ceil(rt.now() / MINUTE_MS);
  const { toTaken, listWork } = readPools(catalog);
  const wanted = toTaken(hold);
  const others = open.flatMap(toTaken);
  const dayOf = ({ start }: Interval): DayNumber => dayAt(timezone, start);

  return [...Map.groupBy(wanted, ({ pool }) => pool)].every(([pool, taken]) => {
    const [first] = taken as [Taken];
    const [today, day] = [dayAt(timezone, now), dayOf(first)];
    const held = others.filter((other) => other.pool === pool);
    const days = shareDays(today, day);
    const booked = listBooked(rt, business.id, pool, { now, ...days, toTaken });
    const work = listWork(pool, days.first, days.last);
    const minutes = sumMinutes(taken);
    const free = new Map([...work].map(([on, all]) => [on, sumWork(all, now)]));
    for (const [bookedOn, min] of byDay(booked, dayOf))
      free.set(bookedOn, Math.max(0, (free.get(bookedOn) ?? 0) - min));
    if (!fitsWeek({ today, free, held: byDay(held, dayOf) }, day, minutes)) return false;

    return [...Map.groupBy(taken, ({ id }) => id)].every(([id, ofOne]) => {
      const thatDay = (all: readonly Taken[]): number =>
        sumMinutes(all.filter((one) => one.id === id && dayOf(one) === day));
      const working = sumWork(
        (work.get(day) ?? []).filter((one) => one.id === id),
        now,
      );
      return fitsDay(working - thatDay(booked), thatDay(held), sumMinutes(ofOne));
    });
  });
}

const sumMinutes = (taken: readonly Taken[]): number =>
  taken.reduce((sum, { start, end, share }) => sum + (end - start) * share, 0);

/** @param now working time before it is over */
const sumWork = (work: readonly Work[], now: number): number =>
  work.reduce((sum, { start, end }) => sum + Math.max(0, end - Math.max(start, now)), 0);

const byDay = (
  taken: readonly Taken[],
  dayOf: (taken: Taken) => DayNumber,
): Map<DayNumber, number> =>
  new Map([...Map.groupBy(taken, dayOf)].map(([day, all]) => [day, sumMinutes(all)]));

type BookedSpan = { now: number; first: DayNumber; last: DayNumber; toTaken: Pools["toTaken"] };

function listBooked(
  rt: Runtime,
  businessId: string,
  pool: Pool,
  { now, first, last, toTaken }: BookedSpan,
): Taken[] {
  const { bookings, reservations } = rt.store;
  // A day in another time zone begins and ends within a day of that in UTC.
  const start = Math.max(now, (first - 1) * DAY_MIN);
  const span = [start * MINUTE_MS, (last + 2) * DAY_MIN * MINUTE_MS] as const;
  if (pool === "tables")
    return reservations
      .listBusy(businessId, ...span)
      .flatMap((row) => toTaken({ ...row, segments: [] }));
  const segments = bookings.listBusySegments(businessId, ...span);
  return toTaken({ startsAt: 0, endsAt: 0, tableId: null, segments }).filter(
    (taken) => taken.pool === pool,
  );
}
