import { busyWindow } from "../../domain/availability/busy-intervals.ts";
import type { Interval } from "../../domain/availability/intervals.ts";
import type { VisitPlan } from "../../domain/availability/visit-plan.ts";
import type { BusyInterval } from "../../domain/availability/request.ts";
import type { Catalog, Kind } from "../../domain/catalog/catalog.ts";
import { findById } from "../../domain/catalog/doc-index.ts";
import type { BookedSegment } from "../../domain/bookings/booking.ts";
import type { BusySegment } from "../../store/bookings/booking-segments.ts";
import type { Runtime } from "../runtime.ts";

const MINUTE_MS = 60_000;

/**
 * Returns the busy intervals that a plan needs.
 * @param except the IDs of visits that are left out
 */
export const loadBusyIntervals = (
  rt: Runtime,
  businessId: string,
  plan: VisitPlan,
  except: readonly string[] = [],
): BusyInterval[] =>
  createBusyIntervalReader(rt, businessId, plan.catalog, except)(busyWindow(plan));

/**
 * Returns a function that reads the visits and open holds that overlap a window and end by `until`.
 * All times are minutes since 1970. Visits refer to catalog objects by ID, because keys can change.
 * Objects that have left the catalog are ignored, because nobody can request them.
 */
export function createBusyIntervalReader(
  rt: Runtime,
  businessId: string,
  catalog: Catalog,
  except: readonly string[],
): (window: Interval, until?: number) => BusyInterval[] {
  const findStaff = createKeyFinder(catalog, "staff");
  const findService = createKeyFinder(catalog, "service");
  const findTable = createKeyFinder(catalog, "table");
  const findResource = createKeyFinder(catalog, "resource");

  const ofSegment = (row: BusySegment): BusyInterval => ({
    staffKey: (row.staffId && findStaff(row.staffId)) ?? null,
    serviceKey: findService(row.serviceId) ?? null,
    tableKey: null,
    startMin: row.startsAt / MINUTE_MS,
    endMin: row.endsAt / MINUTE_MS,
    bufferBeforeMin: row.bufferBeforeMin,
    bufferAfterMin: row.bufferAfterMin,
    seats: row.seats,
    resources: toResourceUse(row.resources, findResource),
  });
  const ofTable = (
    tableId: string,
    row: { startsAt: number; endsAt: number },
    seats: number,
  ): BusyInterval => ({
    staffKey: null,
    serviceKey: null,
    tableKey: findTable(tableId) ?? null,
    startMin: row.startsAt / MINUTE_MS,
    endMin: row.endsAt / MINUTE_MS,
    bufferBeforeMin: 0,
    bufferAfterMin: 0,
    seats,
    resources: NO_RESOURCES,
  });

  return ({ start, end }, until = Infinity) => {
    const window = [start * MINUTE_MS, end * MINUTE_MS, until * MINUTE_MS] as const;
    const { bookings, reservations, holds } = rt.store;
    return [
      ...bookings.listBusySegments(businessId, ...window, except).map(ofSegment),
      ...reservations
        .listBusy(businessId, ...window, except)
        .map((row) => ofTable(row.tableId, row, row.partySize)),
      ...holds
        .listOverlapping(businessId, rt.now(), ...window)
        .flatMap((hold) =>
          hold.tableId === null
            ? hold.segments.map(ofSegment)
            : ofTable(hold.tableId, hold, hold.guests),
        ),
    ];
  };
}

/** All bookings without resources share one empty array, because there can be thousands of them. */
const NO_RESOURCES: BusyInterval["resources"] = [];

const toResourceUse = (
  booked: BookedSegment["resources"],
  findKey: FindKey,
): BusyInterval["resources"] =>
  booked.length === 0
    ? NO_RESOURCES
    : booked.flatMap(({ resourceId, units }) => {
        const key = findKey(resourceId);
        return key === undefined ? [] : [{ resource: key, units }];
      });

type FindKey = (id: string) => string | undefined;

const createKeyFinder =
  <K extends Kind>({ business, objects }: Catalog, kind: K): FindKey =>
  (id) =>
    findById<K>(kind, business.slug, objects[kind], id)?.key;
