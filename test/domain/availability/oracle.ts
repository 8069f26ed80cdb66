import type {
  BusyInterval,
  ResolvedRequest,
  ServiceRequest,
} from "../../../src/domain/availability/request.ts";
import type { Catalog, ServiceDoc } from "../../../src/domain/catalog/catalog.ts";
import { addDays, wallClockAt } from "./oracle-clock.ts";
import { type OracleHours, oracleHours } from "./oracle-hours.ts";

/**
 * The rules of availability once more, as slowly and plainly as they can be said: one minute after the other, one booking
 * against the other, every order of people tried. It shares nothing with the engine but the types of what goes in.
 */
export type Scenario = {
  catalog: Catalog;
  request: ResolvedRequest;
  busyIntervals: BusyInterval[];
  nowMs: number;
};

export type Oracle = {
  /** Every minute of the days asked of. */
  minutes: number[];
  isOnGrid: (minute: number) => boolean;
  isBookable: (minute: number) => boolean;
  isTooSoon: (minute: number) => boolean;
  /** The horizon. */
  lastDate: string;
  /** The date of the first minute that does not come too soon. */
  firstDate: string;
  /** Whether this person or table can do the segment then. */
  fits: (segment: number, doer: string | null, minute: number) => boolean;
  /** All who can do the segment then and let the visit be finished. */
  candidatesAt: (segment: number, minute: number) => (string | null)[];
  fewestChanges: (minute: number) => number;
  durationOf: (segment: number, doer: string | null) => number;
};

/** What has to be done, by whom or at what it may be done. */
type Task = {
  service: ServiceDoc | undefined;
  doers: (string | null)[];
  duration: (doer: string | null) => number;
  seats: number;
};

export function createOracle({
  catalog,
  request: question,
  busyIntervals: rows,
  nowMs,
}: Scenario): Oracle {
  const zone = catalog.business.timezone;
  const policy = catalog.business.bookingPolicy;
  const { objects } = catalog;
  const isTable = "partySize" in question;
  const tasks = isTable
    ? [tableTask(catalog, question)]
    : question.services.map((s) => task(catalog, s, question.guests));

  const hours = new Map<string | null, OracleHours>();
  const hoursOfDoer = (doer: string | null): OracleHours => {
    const person = isTable ? undefined : objects.staff.find(({ key }) => key === doer);
    const key = person?.key ?? null;
    if (!hours.has(key)) hours.set(key, oracleHours(catalog, person, question.from, question.to));
    return hours.get(key)!;
  };

  // Guests of one class are one row.
  const isClass = (row: BusyInterval) =>
    (objects.service.find(({ key }) => key === row.serviceKey)?.capacity ?? 1) > 1;
  const busy: BusyInterval[] = [];
  for (const row of rows) {
    const same = busy.findIndex(
      (b) =>
        isClass(row) &&
        b.serviceKey === row.serviceKey &&
        b.staffKey === row.staffKey &&
        b.startMin === row.startMin &&
        b.endMin === row.endMin,
    );
    if (same === -1) busy.push(row);
    else {
      const one = busy[same]!;
      const units = (b: BusyInterval, r: string) =>
        b.resources.filter((x) => x.resource === r).reduce((sum, x) => sum + x.units, 0);
      busy[same] = {
        ...one,
        seats: one.seats + row.seats,
        bufferBeforeMin: Math.max(one.bufferBeforeMin, row.bufferBeforeMin),
        bufferAfterMin: Math.max(one.bufferAfterMin, row.bufferAfterMin),
        resources: objects.resource
          .map(({ key }) => ({ resource: key, units: Math.max(units(one, key), units(row, key)) }))
          .filter(({ units }) => units > 0),
      };
    }
  }

  const both = (after: number, before: number) =>
    policy.bufferPolicy === "SUM" ? after + before : Math.max(after, before);
  /** Whether a row leaves the minute to an appointment for the service. */
  const keeps = (row: BusyInterval, service: ServiceDoc | undefined, minute: number) =>
    row.startMin - both(service?.bufferAfterMin ?? 0, row.bufferBeforeMin) <= minute &&
    minute < row.endMin + both(row.bufferAfterMin, service?.bufferBeforeMin ?? 0);

  const fits: Oracle["fits"] = (i, doer, start) => {
    const { service, duration, seats } = tasks[i]!;
    const span = Array.from({ length: duration(doer) }, (_, n) => start + n);
    const { worksAt } = hoursOfDoer(doer);
    if (!span.every(worksAt)) return false;
    const resources = service?.resources ?? [];
    const nobody = doer === null;

    if (service && service.capacity > 1 && !(nobody && resources.length === 0)) {
      const started = busy.find(
        (b) =>
          b.serviceKey === service.key &&
          b.staffKey === doer &&
          b.startMin === start &&
          b.endMin === start + span.length,
      );
      if (started && started.seats + seats <= service.capacity) return true;
    }
    return span.every((minute) => {
      const there = busy.filter((row) => keeps(row, service, minute));
      if (!nobody && there.some((row) => (isTable ? row.tableKey : row.staffKey) === doer))
        return false;
      for (const { resource } of resources) {
        const of = (list: { resource: string; units: number }[]) =>
          list.reduce((sum, used) => (used.resource === resource ? sum + used.units : sum), 0);
        const doc = objects.resource.find(
          ({ key, status }) => key === resource && status === "ACTIVE",
        );
        const used = there.reduce((sum, row) => sum + of(row.resources), 0);
        if (used + of(resources) > (doc?.capacity ?? 0)) return false;
      }
      if (service && nobody && resources.length === 0) {
        const taken = there
          .filter((row) => row.serviceKey === service.key)
          .reduce((sum, row) => sum + row.seats, 0);
        if (taken + seats > service.capacity) return false;
      }
      return true;
    });
  };

  const known = new Map<string, number>();
  /** The fewest changes of person in a visit from this segment on, who was there last being `last`; Infinity: none can be. */
  const fewestFrom = (
    i: number,
    minute: number,
    last: string | null,
    onlyDoer?: string | null,
  ): number => {
    const task = tasks[i];
    if (task === undefined) return 0;
    const key = `${i} ${minute} ${last} ${onlyDoer}`;
    if (known.has(key)) return known.get(key)!;
    let fewest = Infinity;
    for (const doer of task.doers) {
      if ((onlyDoer !== undefined && doer !== onlyDoer) || !startsAt(i, doer, minute)) continue;
      const end = minute + task.duration(doer);
      const change = last !== null && doer !== null && doer !== last ? 1 : 0;
      const gaps = i === tasks.length - 1 ? 0 : policy.maxGapMin;
      for (let gap = 0; gap <= gaps; gap += 1)
        fewest = Math.min(fewest, change + fewestFrom(i + 1, end + gap, doer ?? last));
    }
    known.set(key, fewest);
    return fewest;
  };

  const interval =
    (isTable ? undefined : tasks[0]!.service!.bookingRules.slotIntervalMin) ??
    policy.slotIntervalMin;
  const onGridFor = (doer: string | null, minute: number) =>
    policy.grid === "CLOCK"
      ? wallClockAt(zone, minute).clockMin % interval === 0
      : hoursOfDoer(doer).shifts.some(
          ({ from, to }) => from <= minute && minute < to && (minute - from) % interval === 0,
        );
  const joins = (i: number, doer: string | null, minute: number) => {
    const { service, duration, seats, doers } = tasks[i]!;
    if (
      !service ||
      service.capacity === 1 ||
      (service.resources.length === 0 && doers.includes(null))
    )
      return false;
    return busy.some(
      (b) =>
        b.serviceKey === service.key &&
        b.staffKey === doer &&
        b.startMin === minute &&
        b.endMin === minute + duration(doer) &&
        b.seats + seats <= service.capacity,
    );
  };
  const startsAt = (i: number, doer: string | null, minute: number) =>
    (i > 0 || onGridFor(doer, minute) || joins(i, doer, minute)) && fits(i, doer, minute);

  const rules = isTable ? [] : tasks.map(({ service }) => service!.bookingRules);
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
  const midnight = Date.parse(`${question.from}T00:00Z`) / 60_000;
  for (let minute = midnight - 1500; minute < midnight + 63 * 1440; minute += 1) {
    const { date } = wallClockAt(zone, minute);
    if (question.from <= date && date <= question.to) minutes.push(minute);
    if (minute - 1500 > Date.parse(`${question.to}T24:00Z`) / 60_000) break;
  }

  return {
    minutes,
    fits,
    isTooSoon: tooSoon,
    lastDate,
    firstDate: wallClockAt(zone, Math.ceil(nowMs / 60_000) + notice).date,
    isOnGrid: (minute) => tasks[0]!.doers.some((doer) => onGridFor(doer, minute)),
    isBookable: (minute) =>
      !tooSoon(minute) &&
      wallClockAt(zone, minute).date <= lastDate &&
      fewestFrom(0, minute, null) < Infinity,
    candidatesAt: (i, minute) =>
      tasks[i]!.doers.filter((doer) => fewestFrom(i, minute, null, doer) < Infinity),
    fewestChanges: (minute) => fewestFrom(0, minute, null),
    durationOf: (i, doer) => tasks[i]!.duration(doer),
  };
}

function task({ objects }: Catalog, request: ServiceRequest, guests: number): Task {
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
    for (const asked of request.addons) if (asked.addon === addon.key) quantity += asked.quantity;
    if (quantity === 0 && link.required)
      quantity = Math.max(1, link.minQuantity, link.defaultQuantity);
    extra += quantity * (link.durationMin ?? addon.durationMin);
  }
  const able = variant?.staff ?? service.staff;
  const people = objects.staff.filter(
    (p) => able.includes(p.key) && p.status === "ACTIVE" && p.bookable,
  );
  const wanted = people
    .map(({ key }) => key)
    .filter((key) => request.staff === null || key === request.staff);
  return {
    service,
    seats: guests,
    doers: able.length === 0 ? [null] : wanted,
    duration: (doer) => {
      const override = people
        .find(({ key }) => key === doer)
        ?.serviceOverrides.find((o) => o.service === service.key);
      return (override?.durationMin ?? variant?.durationMin ?? service.durationMin) + extra;
    },
  };
}

function tableTask(
  { objects, schedule }: Catalog,
  question: { partySize: number; area: string | null },
): Task {
  const { partySize, area } = question;
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
    doers: tables.map(({ key }) => key),
    duration: () => turn,
  };
}
