import { busyWindow } from "../../domain/availability/busy-intervals.ts";
import type { Interval } from "../../domain/availability/intervals.ts";
import type { VisitPlan } from "../../domain/availability/visit-plan.ts";
import type { BusyInterval } from "../../domain/availability/request.ts";
import type { Catalog, Kind } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import type { BookedSegment } from "../../domain/bookings/booking.ts";
import type { Runtime } from "../runtime.ts";

const MINUTE_MS = 60_000;

export const loadBusyIntervals = (
  rt: Runtime,
  businessId: string,
  plan: VisitPlan,
): BusyInterval[] => createBusyIntervalReader(rt, businessId, plan.catalog)(busyWindow(plan));

/**
 * Reads what overlaps a window and ends by `until`. Bookings store IDs, which do not change when a
 * key does. Objects that left the catalog are ignored: they cannot be requested.
 */
export function createBusyIntervalReader(
  rt: Runtime,
  businessId: string,
  catalog: Catalog,
): (window: Interval, until?: number) => BusyInterval[] {
  const [staff, service, table, resource] = (
    ["staff", "service", "table", "resource"] as const
  ).map((kind) => keysById(catalog, kind)) as [Keys, Keys, Keys, Keys];
  return ({ start, end }, until = Infinity) => {
    const window = [start * MINUTE_MS, end * MINUTE_MS, until * MINUTE_MS] as const;
    return [
      ...rt.store.bookings.listBusySegments(businessId, ...window).map((row) => ({
        staffKey: (row.staffId && staff.get(row.staffId)) ?? null,
        serviceKey: service.get(row.serviceId) ?? null,
        tableKey: null,
        startMin: row.startsAt / MINUTE_MS,
        endMin: row.endsAt / MINUTE_MS,
        bufferBeforeMin: row.bufferBeforeMin,
        bufferAfterMin: row.bufferAfterMin,
        seats: row.seats,
        resources: toResourceUse(row.resources, resource),
      })),
      ...rt.store.reservations.listBusy(businessId, ...window).map((row) => ({
        staffKey: null,
        serviceKey: null,
        tableKey: table.get(row.tableId) ?? null,
        startMin: row.startsAt / MINUTE_MS,
        endMin: row.endsAt / MINUTE_MS,
        bufferBeforeMin: 0,
        bufferAfterMin: 0,
        seats: row.partySize,
        resources: NO_RESOURCES,
      })),
    ];
  };
}

/** Shared, because thousands of bookings use no resource. */
const NO_RESOURCES: BusyInterval["resources"] = [];

const toResourceUse = (booked: BookedSegment["resources"], keys: Keys): BusyInterval["resources"] =>
  booked.length === 0
    ? NO_RESOURCES
    : booked.flatMap(({ resourceId, units }) => {
        const key = keys.get(resourceId);
        return key === undefined ? [] : [{ resource: key, units }];
      });

type Keys = ReadonlyMap<string, string>;

const keysById = ({ business, objects }: Catalog, kind: Kind): Keys =>
  new Map(objects[kind].map((doc) => [objectId(kind, business.slug, doc), doc.key]));
