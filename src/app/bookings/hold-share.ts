import type { Interval } from "../../domain/availability/intervals.ts";
import { type DayNumber, DAY_MIN, dayAt, localDays } from "../../domain/availability/wall-clock.ts";
import { createWorkingTimeReader } from "../../domain/availability/working-time.ts";
import { fitsDay, fitsWeek, shareDays } from "../../domain/bookings/hold-share.ts";
import type { BusySegment } from "../../store/bookings.ts";
import type { Catalog, StaffDoc } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { readBookableCatalog } from "../catalog/bookable-catalog.ts";
import type { Runtime } from "../runtime.ts";

const MINUTE_MS = 60_000;

type Held = {
  startsAt: number;
  endsAt: number;
  segments: readonly BusySegment[];
  tableId: string | null;
};

/** All staff, all tables, or the ID of a service that needs no staff. */
type Pool = "staff" | "tables" | (string & {});

/** Time taken of a staff member, a table or a service without staff. */
type Taken = Interval & {
  pool: Pool;
  id: string;
  /** Which part of a session it takes: its seats, of those of the service. */
  share: number;
};

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
  const toTaken = createTakenReader(catalog);
  const wanted = toTaken(hold);
  const others = open.flatMap(toTaken);
  const dayOf = ({ start }: Interval): DayNumber => dayAt(timezone, start);

  return [...Map.groupBy(wanted, ({ pool }) => pool)].every(([pool, taken]) => {
    const [first] = taken as [Taken];
    const [today, day] = [dayAt(timezone, now), dayOf(first)];
    const held = others.filter((other) => other.pool === pool);
    const days = shareDays(today, day);
    const span = { start: now, end: (days.last + 2) * DAY_MIN };
    const booked = listBooked(rt, business.id, pool, span, toTaken);
    const work = listWork(catalog, pool, localDays(timezone, days.first, days.last), span);
    const minutes = sumMinutes(taken);
    const free = byDay(work, dayOf);
    for (const [bookedOn, min] of byDay(booked, dayOf))
      free.set(bookedOn, Math.max(0, (free.get(bookedOn) ?? 0) - min));
    if (!fitsWeek({ today, free, held: byDay(held, dayOf) }, day, minutes)) return false;

    return [...Map.groupBy(taken, ({ id }) => id)].every(([id, ofOne]) => {
      const thatDay = (all: readonly Taken[]): number =>
        sumMinutes(all.filter((one) => one.id === id && dayOf(one) === day));
      return fitsDay(thatDay(work) - thatDay(booked), thatDay(held), sumMinutes(ofOne));
    });
  });
}

const sumMinutes = (taken: readonly Taken[]): number =>
  taken.reduce((sum, { start, end, share }) => sum + (end - start) * share, 0);

const byDay = (
  taken: readonly Taken[],
  dayOf: (taken: Taken) => DayNumber,
): Map<DayNumber, number> =>
  new Map([...Map.groupBy(taken, dayOf)].map(([day, all]) => [day, sumMinutes(all)]));

/** The working time of a pool from the start of the span on, also that which is booked. */
function listWork(
  { business: { slug }, schedule, objects }: Catalog,
  pool: Pool,
  days: ReturnType<typeof localDays>,
  span: Interval,
): Taken[] {
  const workingTimeOf = createWorkingTimeReader(schedule, days, span);
  const workOf = (id: string, person: StaffDoc | null): Taken[] =>
    workingTimeOf(person).work.map(({ start, end }) => ({
      start: Math.max(start, span.start),
      end,
      pool,
      id,
      share: 1,
    }));
  if (pool === "tables")
    return objects.table.flatMap((table) => workOf(objectId("table", slug, table), null));
  if (pool !== "staff") return workOf(pool, null);
  const performers = new Set(
    objects.service
      .filter(({ status, bookable }) => status === "ACTIVE" && bookable)
      .flatMap(({ staff, variants }) => [...staff, ...variants.flatMap((one) => one.staff ?? [])]),
  );
  return objects.staff
    .filter(({ key }) => performers.has(key))
    .flatMap((person) => workOf(objectId("staff", slug, person), person));
}

function listBooked(
  rt: Runtime,
  businessId: string,
  pool: Pool,
  { start, end }: Interval,
  toTaken: (held: Held) => Taken[],
): Taken[] {
  const { bookings, reservations } = rt.store;
  const span = [start * MINUTE_MS, end * MINUTE_MS] as const;
  if (pool === "tables")
    return reservations
      .listBusy(businessId, ...span)
      .flatMap((row) => toTaken({ ...row, segments: [] }));
  const segments = bookings.listBusySegments(businessId, ...span);
  return toTaken({ startsAt: 0, endsAt: 0, tableId: null, segments }).filter(
    (taken) => taken.pool === pool,
  );
}

function createTakenReader({ business: { slug }, objects }: Catalog) {
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
