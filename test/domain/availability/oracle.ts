import type {
  BusyInterval,
  ResolvedRequest,
  ServiceRequest,
} from "../../../src/domain/availability/request.ts";
import type { Catalog, ServiceDoc } from "../../../src/domain/catalog/catalog.ts";
import { addDays, wallClockAt } from "./oracle-clock.ts";
import { type OracleHours, oracleHours } from "./oracle-hours.ts";

/**
 * The input of the oracle: a second implementation of the availability rules, as simple as
 * possible, which checks every minute, every booking and every choice of staff. The oracle shares
 * only the types of its input with the first implementation.
 */
export type Scenario = {
  catalog: Catalog;
  request: ResolvedRequest;
  busyIntervals: BusyInterval[];
  nowMs: number;
};

export type Oracle = {
  /** Every minute of the requested days. */
  minutes: number[];
  isOnGrid: (minute: number) => boolean;
  isBookable: (minute: number) => boolean;
  isTooSoon: (minute: number) => boolean;
  /** The last date within the horizon. */
  lastDate: string;
  /** The date of the first minute after the minimum notice. */
  firstDate: string;
  /** Whether this person or table can take the segment at that minute. */
  fits: (segment: number, candidate: string | null, minute: number) => boolean;
  /**
   * The people and tables that can take the segment at that minute, if the rest of the visit can
   * then be finished.
   */
  candidatesAt: (segment: number, minute: number) => (string | null)[];
  fewestChanges: (minute: number) => number;
  durationOf: (segment: number, candidate: string | null) => number;
};

/** A segment and the people or tables that can take it. */
type SegmentRules = {
  service: ServiceDoc | undefined;
  candidates: (string | null)[];
  duration: (candidate: string | null) => number;
  seats: number;
};

export function createOracle({ catalog, request, busyIntervals, nowMs }: Scenario): Oracle {
  const zone = catalog.business.timezone;
  const policy = catalog.business.bookingPolicy;
  const { objects } = catalog;
  const isTable = "partySize" in request;
  const segments = isTable
    ? [tableSegment(catalog, request)]
    : request.services.map((s) => appointmentSegment(catalog, s, request.guests));

  const hours = new Map<string | null, OracleHours>();
  const hoursOf = (candidate: string | null): OracleHours => {
    const person = isTable ? undefined : objects.staff.find(({ key }) => key === candidate);
    const key = person?.key ?? null;
    if (!hours.has(key)) hours.set(key, oracleHours(catalog, person, request.from, request.to));
    return hours.get(key)!;
  };

  // The intervals of the guests of one session are merged into one, because these guests do not
  // exclude each other.
  const isSession = (interval: BusyInterval) =>
    (objects.service.find(({ key }) => key === interval.serviceKey)?.capacity ?? 1) > 1;
  const busy: BusyInterval[] = [];
  for (const interval of busyIntervals) {
    const index = busy.findIndex(
      (b) =>
        isSession(interval) &&
        b.serviceKey === interval.serviceKey &&
        b.staffKey === interval.staffKey &&
        b.startMin === interval.startMin &&
        b.endMin === interval.endMin,
    );
    if (index === -1) busy.push(interval);
    else {
      const session = busy[index]!;
      const units = (b: BusyInterval, r: string) =>
        b.resources.filter((x) => x.resource === r).reduce((sum, x) => sum + x.units, 0);
      busy[index] = {
        ...session,
        seats: session.seats + interval.seats,
        bufferBeforeMin: Math.max(session.bufferBeforeMin, interval.bufferBeforeMin),
        bufferAfterMin: Math.max(session.bufferAfterMin, interval.bufferAfterMin),
        resources: objects.resource
          .map(({ key }) => ({
            resource: key,
            units: Math.max(units(session, key), units(interval, key)),
          }))
          .filter(({ units }) => units > 0),
      };
    }
  }

  const gapBetween = (after: number, before: number) =>
    policy.bufferPolicy === "SUM" ? after + before : Math.max(after, before);
  /** Whether the interval and its buffers block the minute for the service. */
  const blocks = (interval: BusyInterval, service: ServiceDoc | undefined, minute: number) =>
    interval.startMin - gapBetween(service?.bufferAfterMin ?? 0, interval.bufferBeforeMin) <=
      minute &&
    minute < interval.endMin + gapBetween(interval.bufferAfterMin, service?.bufferBeforeMin ?? 0);

  const fits: Oracle["fits"] = (i, candidate, start) => {
    const { service, duration, seats } = segments[i]!;
    const span = Array.from({ length: duration(candidate) }, (_, n) => start + n);
    const { worksAt } = hoursOf(candidate);
    if (!span.every(worksAt)) return false;
    const resources = service?.resources ?? [];
    const noStaff = candidate === null;

    if (service && service.capacity > 1 && !(noStaff && resources.length === 0)) {
      const started = busy.find(
        (b) =>
          b.serviceKey === service.key &&
          b.staffKey === candidate &&
          b.startMin === start &&
          b.endMin === start + span.length,
      );
      if (started) return started.seats + seats <= service.capacity;
    }
    return span.every((minute) => {
      const blocking = busy.filter((interval) => blocks(interval, service, minute));
      if (
        !noStaff &&
        blocking.some((interval) => (isTable ? interval.tableKey : interval.staffKey) === candidate)
      )
        return false;
      for (const { resource } of resources) {
        const of = (list: { resource: string; units: number }[]) =>
          list.reduce((sum, used) => (used.resource === resource ? sum + used.units : sum), 0);
        const doc = objects.resource.find(
          ({ key, status }) => key === resource && status === "ACTIVE",
        );
        const used = blocking.reduce((sum, interval) => sum + of(interval.resources), 0);
        if (used + of(resources) > (doc?.capacity ?? 0)) return false;
      }
      if (service && noStaff && resources.length === 0) {
        const taken = blocking
          .filter((interval) => interval.serviceKey === service.key)
          .reduce((sum, interval) => sum + interval.seats, 0);
        if (taken + seats > service.capacity) return false;
      }
      return true;
    });
  };

  const cache = new Map<string, number>();
  /** Returns the fewest changes of staff from this segment on, after `last`; Infinity if impossible. */
  const fewestFrom = (
    i: number,
    minute: number,
    last: string | null,
    onlyCandidate?: string | null,
  ): number => {
    const appointmentSegment = segments[i];
    if (appointmentSegment === undefined) return 0;
    const key = `${i} ${minute} ${last} ${onlyCandidate}`;
    if (cache.has(key)) return cache.get(key)!;
    let fewest = Infinity;
    for (const candidate of appointmentSegment.candidates) {
      if (
        (onlyCandidate !== undefined && candidate !== onlyCandidate) ||
        !startsAt(i, candidate, minute)
      )
        continue;
      const end = minute + appointmentSegment.duration(candidate);
      const change = last !== null && candidate !== null && candidate !== last ? 1 : 0;
      const gaps = i === segments.length - 1 ? 0 : policy.maxGapMin;
      for (let gap = 0; gap <= gaps; gap += 1)
        fewest = Math.min(fewest, change + fewestFrom(i + 1, end + gap, candidate ?? last));
    }
    cache.set(key, fewest);
    return fewest;
  };

  const interval =
    (isTable ? undefined : segments[0]!.service!.bookingRules.slotIntervalMin) ??
    policy.slotIntervalMin;
  const onGridFor = (candidate: string | null, minute: number) =>
    policy.grid === "CLOCK"
      ? wallClockAt(zone, minute).clockMin % interval === 0
      : hoursOf(candidate).shifts.some(
          ({ from, to }) => from <= minute && minute < to && (minute - from) % interval === 0,
        );
  const joins = (i: number, candidate: string | null, minute: number) => {
    const { service, duration, seats, candidates } = segments[i]!;
    if (
      !service ||
      service.capacity === 1 ||
      (service.resources.length === 0 && candidates.includes(null))
    )
      return false;
    return busy.some(
      (b) =>
        b.serviceKey === service.key &&
        b.staffKey === candidate &&
        b.startMin === minute &&
        b.endMin === minute + duration(candidate) &&
        b.seats + seats <= service.capacity,
    );
  };
  const startsAt = (i: number, candidate: string | null, minute: number) =>
    (i > 0 || onGridFor(candidate, minute) || joins(i, candidate, minute)) &&
    fits(i, candidate, minute);

  const rules = isTable ? [] : segments.map(({ service }) => service!.bookingRules);
  const notice = isTable
    ? policy.minNoticeMin
    : Math.max(...rules.map(({ minNoticeMin }) => minNoticeMin ?? policy.minNoticeMin));
  const horizon = isTable
    ? policy.maxAdvanceDays
    : Math.min(...rules.map(({ maxAdvanceDays }) => maxAdvanceDays ?? policy.maxAdvanceDays));
  const dateAfter = (minutes: number) =>
    Temporal.Instant.fromEpochMilliseconds(nowMs + minutes * 60_000)
      .toZonedDateTimeISO(zone)
      .toPlainDate()
      .toString();
  const lastDate = addDays(dateAfter(0), horizon);
  const tooSoon = (minute: number) => minute * 60_000 < nowMs + notice * 60_000;

  const minutes: number[] = [];
  const midnight = Date.parse(`${request.from}T00:00Z`) / 60_000;
  for (let minute = midnight - 1500; minute < midnight + 63 * 1440; minute += 1) {
    const { date } = wallClockAt(zone, minute);
    if (request.from <= date && date <= request.to) minutes.push(minute);
    if (minute - 1500 > Date.parse(`${request.to}T24:00Z`) / 60_000) break;
  }

  return {
    minutes,
    fits,
    isTooSoon: tooSoon,
    lastDate,
    firstDate: wallClockAt(zone, Math.ceil(nowMs / 60_000) + notice).date,
    isOnGrid: (minute) => segments[0]!.candidates.some((candidate) => onGridFor(candidate, minute)),
    isBookable: (minute) =>
      !tooSoon(minute) &&
      wallClockAt(zone, minute).date <= lastDate &&
      fewestFrom(0, minute, null) < Infinity,
    candidatesAt: (i, minute) =>
      segments[i]!.candidates.filter(
        (candidate) => fewestFrom(i, minute, null, candidate) < Infinity,
      ),
    fewestChanges: (minute) => fewestFrom(0, minute, null),
    durationOf: (i, candidate) => segments[i]!.duration(candidate),
  };
}

function appointmentSegment(
  { objects }: Catalog,
  request: ServiceRequest,
  guests: number,
): SegmentRules {
  const service = objects.service.find(({ key }) => key === request.service)!;
  const active = service.variants.filter(({ status }) => status === "ACTIVE");
  const variant = active.find(({ key, isDefault }) =>
    request.variant === null ? isDefault : key === request.variant,
  );
  let extra = 0;
  for (const link of service.addons) {
    const addon = objects.addon.find(
      ({ key, status }) => key === link.addon && status === "ACTIVE",
    );
    if (!addon) continue;
    let quantity = 0;
    for (const requested of request.addons)
      if (requested.addon === addon.key) quantity += requested.quantity;
    if (quantity === 0 && link.required)
      quantity = Math.max(1, link.minQuantity, link.defaultQuantity);
    extra += quantity * (link.durationMin ?? addon.durationMin);
  }
  const able = variant?.staff ?? service.staff;
  const people = objects.staff.filter(
    (p) => able.includes(p.key) && p.status === "ACTIVE" && p.bookable,
  );
  const candidates = people
    .map(({ key }) => key)
    .filter((key) => request.staff === null || key === request.staff);
  return {
    service,
    seats: guests,
    candidates: able.length === 0 ? [null] : candidates,
    duration: (candidate) => {
      const override = people
        .find(({ key }) => key === candidate)
        ?.serviceOverrides.find((o) => o.service === service.key);
      return (override?.durationMin ?? variant?.durationMin ?? service.durationMin) + extra;
    },
  };
}

function tableSegment(
  { objects, schedule }: Catalog,
  request: { partySize: number; area: string | null },
): SegmentRules {
  const { partySize, area } = request;
  const isOpen = (key: string | null) =>
    key === null || objects.area.some((a) => a.key === key && a.status === "ACTIVE");
  const tables = objects.table.filter(
    (t) =>
      t.status === "ACTIVE" &&
      isOpen(t.area) &&
      (area === null || t.area === area) &&
      t.minSeats <= partySize &&
      t.maxSeats >= partySize,
  );
  const largest = Math.max(...schedule.turnTimes.map(({ upTo }) => upTo));
  const meant = schedule.turnTimes
    .map(({ upTo }) => upTo)
    .filter((upTo) => upTo >= partySize || upTo === largest);
  const turns = schedule.turnTimes
    .filter(({ upTo }) => upTo === Math.min(...meant))
    .map(({ min }) => min);
  const turn = turns.length > 0 ? Math.max(...turns) : 120;
  return {
    service: undefined,
    seats: partySize,
    candidates: tables.map(({ key }) => key),
    duration: () => turn,
  };
}
