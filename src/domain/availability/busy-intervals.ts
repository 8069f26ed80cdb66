import type { Catalog } from "../catalog/catalog.ts";
import { findByKey } from "../catalog/doc-index.ts";
import type { Interval } from "./intervals.ts";
import type { BusyInterval } from "./request.ts";
import type { Segment } from "./segments.ts";
import { daysInterval } from "./wall-clock.ts";
import { maxVisitMin, type VisitPlan } from "./visit-plan.ts";

/**
 * The busy intervals by staff member, table, service and resource. A session of a group service is
 * one interval, because its guests share the staff and the resources.
 */
export type BusyIndex = ReturnType<typeof indexBusyIntervals>;

export function indexBusyIntervals(catalog: Catalog, intervals: readonly BusyInterval[]) {
  const isGroupService = (key: string): boolean =>
    (findByKey<"service">(catalog.objects.service, key)?.capacity ?? 1) > 1;
  const isSession = ({ serviceKey }: BusyInterval): boolean =>
    serviceKey !== null && isGroupService(serviceKey);
  const merged = [
    ...intervals.filter((interval) => !isSession(interval)),
    ...mergeSessions(intervals.filter(isSession)),
  ];

  const ofStaff = Map.groupBy(merged, ({ staffKey }) => staffKey);
  const ofTable = Map.groupBy(merged, ({ tableKey }) => tableKey);
  const ofService = Map.groupBy(merged, ({ serviceKey }) => serviceKey);
  const ofResource = new Map<string, BusyInterval[]>();
  for (const interval of merged)
    for (const { resource } of interval.resources)
      ofResource.getOrInsertComputed(resource, () => []).push(interval);
  return {
    ofStaff: (key: string): readonly BusyInterval[] => ofStaff.get(key) ?? [],
    ofTable: (key: string): readonly BusyInterval[] => ofTable.get(key) ?? [],
    ofService: (key: string): readonly BusyInterval[] => ofService.get(key) ?? [],
    ofResource: (key: string): readonly BusyInterval[] => ofResource.get(key) ?? [],
  };
}

function mergeSessions(intervals: readonly BusyInterval[]): BusyInterval[] {
  const sessions = new Map<string, BusyInterval>();
  for (const interval of intervals) {
    const key = JSON.stringify([
      interval.serviceKey,
      interval.staffKey,
      interval.startMin,
      interval.endMin,
    ]);
    const session = sessions.get(key);
    sessions.set(key, session === undefined ? interval : mergeGuests(session, interval));
  }
  return [...sessions.values()];
}

const mergeGuests = (a: BusyInterval, b: BusyInterval): BusyInterval => ({
  ...a,
  seats: a.seats + b.seats,
  bufferBeforeMin: Math.max(a.bufferBeforeMin, b.bufferBeforeMin),
  bufferAfterMin: Math.max(a.bufferAfterMin, b.bufferAfterMin),
  resources: [...new Set([...a.resources, ...b.resources].map(({ resource }) => resource))].map(
    (resource) => ({
      resource,
      units: Math.max(unitsUsed(a, resource), unitsUsed(b, resource)),
    }),
  ),
});

export const unitsUsed = (
  { resources }: Pick<BusyInterval, "resources">,
  resource: string,
): number =>
  resources.reduce((sum, used) => (used.resource === resource ? sum + used.units : sum), 0);

/**
 * Returns the time that a busy interval blocks for the segment: the interval with a buffer at each
 * end. The buffer is the sum of the buffers of the two visits that meet there or, if the policy is
 * MAX, the longer one of these two buffers.
 */
export function blockedInterval(
  { catalog }: VisitPlan,
  interval: BusyInterval,
  segment: Segment,
): Interval {
  const bufferBetween = (after: number, before: number) =>
    catalog.business.bookingPolicy.bufferPolicy === "MAX"
      ? Math.max(after, before)
      : after + before;
  return {
    start: interval.startMin - bufferBetween(segment.bufferAfterMin, interval.bufferBeforeMin),
    end: interval.endMin + bufferBetween(interval.bufferAfterMin, segment.bufferBeforeMin),
  };
}

/** How far outside the requested days a booking can lie and still affect the result. */
type BusyMargins = {
  /** The most minutes from the end of an earlier booking to the first requested day. */
  beforeMin: number;
  /** The most minutes from the last requested day to the start of a later booking. */
  afterMin: number;
};

/**
 * Returns the margins of a plan. A visit that starts on the last day can end after it. The margins
 * do not include the buffers of the bookings, because each booking has its own.
 */
export function busyMargins({ catalog, segments }: VisitPlan): BusyMargins {
  const largestBuffer = Math.max(
    0,
    ...segments.flatMap(({ bufferBeforeMin, bufferAfterMin }) => [bufferBeforeMin, bufferAfterMin]),
  );
  const longestVisit = maxVisitMin(segments, catalog.business.bookingPolicy.maxGapMin);
  return { beforeMin: largestBuffer, afterMin: longestVisit + largestBuffer };
}

/**
 * The largest buffer that a catalog file can set, in minutes. A booking keeps its own buffers when
 * those of the service change.
 */
const MAX_BUFFER_MIN = 1440;

/**
 * Returns the time range whose bookings must be loaded. The range has room for the largest possible
 * buffer, because the buffers of the bookings are not known yet.
 */
export function busyWindow(plan: VisitPlan): Interval {
  const { start, end } = requestedTimeWithMargins(plan, busyMargins(plan));
  return { start: start - MAX_BUFFER_MIN, end: end + MAX_BUFFER_MIN };
}

/** Returns the bookings that can affect the days of the plan, each with its own buffers. */
export function bookingsNear(
  plan: VisitPlan,
  margins: BusyMargins,
  bookings: readonly BusyInterval[],
): BusyInterval[] {
  const { start, end } = requestedTimeWithMargins(plan, margins);
  return bookings.filter(
    (booking) =>
      booking.startMin - booking.bufferBeforeMin < end &&
      booking.endMin + booking.bufferAfterMin > start,
  );
}

function requestedTimeWithMargins(plan: VisitPlan, { beforeMin, afterMin }: BusyMargins): Interval {
  const requested = daysInterval(plan.timezone, plan.firstDay, plan.lastDay);
  return { start: requested.start - beforeMin, end: requested.end + afterMin };
}
