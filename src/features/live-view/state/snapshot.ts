import type { Runtime } from "../../../app/runtime.ts";
import { findSentEvent } from "../../../app/webhooks/sent-request.ts";
import type { HealthCondition } from "../../../domain/conditions/registry.ts";
import type { AttemptRow } from "../../../store/webhooks/deliveries.ts";
import type { EventRow } from "../../../store/events.ts";
import type { DaemonRow } from "../../../store/daemon-rows.ts";
import { createLiveStore, type EndpointState } from "../store.ts";
import type { FoundDelivery, PageStart } from "../../../store/webhooks/delivery-search.ts";
import { type Day, readDay } from "../views/day.ts";
import { listFilter, type UiState } from "./ui-state.ts";

export type Snapshot = {
  takenAt: number;
  /** Null if no daemon runs. */
  daemon: DaemonRow | null;
  /** Health conditions, the most severe first. */
  conditions: readonly HealthCondition[];
  businesses: { id: string; slug: string }[];
  endpoints: EndpointState[];
  failingCount: number;
  counts: { pending: number; retrying: number; exhausted: number };
  lastHour: LastHour;
  list: ListWindow;
  detail: DeliveryDetail | null;
  /** The visits of the shown day; null on other screens, or if there are too many businesses. */
  day: Day | null;
};

/** State that is polled, because no commit announces its changes. */
export type ServerState = { isDaemonRunning: boolean; conditions: readonly HealthCondition[] };

export type LastHour = {
  /** Attempts in each of the last 60 minutes, the current minute last. */
  delivered: number[];
  failed: number[];
  /** Percentiles of the durations of up to 1,000 attempts within the hour; null if it has none. */
  p50Ms: number | null;
  p95Ms: number | null;
};

export type ListWindow = {
  /** The visible rows with one page above and one below, newest first. */
  rows: FoundDelivery[];
  /** The index of the first visible row. */
  topIndex: number;
  /** The ID of the row where a slow search stopped; null if it found enough rows or read all. */
  reached: string | null;
  /** The number of all matching deliveries; null if no stored count covers the filter. */
  total: number | null;
  /** The number of deliveries added since the list stopped following the newest delivery. */
  newCount: number;
};

export type DeliveryDetail = {
  row: FoundDelivery;
  /** Null if the event has been deleted. */
  event: EventRow | null;
  attempts: AttemptRow[];
  takenAt: number;
};

const MINUTES = 60;
const MINUTE_MS = 60_000;
/** The most endpoints that the view lists; they are read again at each change of the data. */
const MAX_ENDPOINTS = 500;

/** Reads all data of a frame in a few milliseconds, whatever the size of the database. */
export function readSnapshot(
  rt: Runtime,
  ui: UiState,
  height: number,
  { isDaemonRunning, conditions }: ServerState,
): Snapshot {
  const takenAt = rt.now();
  const businessId = ui.filter.businessId ?? null;
  const counts = rt.store.tallies.countByStatus(businessId ?? undefined);
  const retrying = rt.openStore(createLiveStore).countRetrying(businessId);
  const { PENDING: pending = 0, EXHAUSTED: exhausted = 0 } = counts;
  return {
    takenAt,
    // A daemon that has just started may have no row yet.
    daemon: isDaemonRunning ? (rt.store.daemon.find() ?? { url: "", startedAt: takenAt }) : null,
    conditions,
    businesses: rt.store.businesses.listIds(),
    endpoints: rt.openStore(createLiveStore).listEndpoints(businessId, MAX_ENDPOINTS),
    failingCount: rt.openStore(createLiveStore).countFailing(businessId),
    counts: { pending, retrying, exhausted },
    lastHour: readHour(rt, takenAt, businessId),
    list: readList(rt, ui, height, counts, retrying),
    detail: readDetail(rt, ui),
    day: readShownDay(rt, ui),
  };
}

function readHour(rt: Runtime, at: number, businessId: string | null): LastHour {
  const firstMinute = Math.floor(at / MINUTE_MS) - MINUTES + 1;
  const counted = rt.store.tallies.listMinutes(firstMinute * MINUTE_MS, businessId ?? undefined);
  const byMinute = new Map(counted.map((row) => [row.minute, row]));
  const minutes = Array.from({ length: MINUTES }, (_, i) => byMinute.get(firstMinute + i));
  const durations = rt
    .openStore(createLiveStore)
    .listAttemptDurations(at - MINUTES * MINUTE_MS, businessId)
    .sort((a, b) => a - b);
  const percentile = (share: number) => durations[Math.ceil(durations.length * share) - 1] ?? null;
  return {
    delivered: minutes.map((row) => row?.delivered ?? 0),
    failed: minutes.map((row) => row?.failed ?? 0),
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
  };
}

type Counts = Partial<Record<string, number>>;

function readList(
  rt: Runtime,
  ui: UiState,
  height: number,
  counts: Counts,
  retrying: number,
): ListWindow {
  const filter = listFilter(ui, rt.now());
  const { top, newestSeen } = ui.list;
  const pageAbove =
    top === null
      ? []
      : rt.store.deliverySearch
          .listPage(filter, "newer", startOfPageAbove(top), height)
          .rows.reverse();
  const { rows, reached } = rt.store.deliverySearch.listPage(filter, "older", top, 2 * height);
  return {
    rows: [...pageAbove, ...rows],
    topIndex: pageAbove.length,
    reached,
    total: findTotal(ui, counts, retrying),
    newCount:
      newestSeen === null ? 0 : rt.openStore(createLiveStore).countNewer(filter, newestSeen),
  };
}

/** Returns the start of the page above another. Exactly one of the two pages includes row `id`. */
const startOfPageAbove = ({ id, isIncluded }: PageStart): PageStart => ({
  id,
  isIncluded: !isIncluded,
});

/** Returns the number of matching deliveries, or null if no stored count covers the filter. */
function findTotal(ui: UiState, counts: Counts, retrying: number): number | null {
  const { state, endpointId, eventType, time } = ui.filter;
  if (ui.search !== null || [endpointId, eventType, time].some((value) => value !== undefined))
    return null;
  if (state === "RETRYING") return retrying;
  if (state !== undefined) return counts[state] ?? 0;
  return Object.values(counts).reduce((sum: number, count) => sum + (count ?? 0), 0);
}

/** Reads the delivery of the top screen that shows one; null if no screen does. */
function readDetail(rt: Runtime, ui: UiState): DeliveryDetail | null {
  const screen = ui.screens.findLast((each) => each.kind === "delivery" || each.kind === "curl");
  return screen === undefined ? null : findDetail(rt, screen.id);
}

function readShownDay(rt: Runtime, ui: UiState): Day | null {
  const screen = ui.screens.at(-1);
  return screen?.kind === "day" ? readDay(rt, ui.filter.businessId, screen.offset) : null;
}

export function findDetail(rt: Runtime, id: string): DeliveryDetail | null {
  const row = rt.openStore(createLiveStore).findById(id);
  if (row === undefined) return null;
  return {
    row,
    event: findSentEvent(rt, row) ?? null,
    attempts: rt.store.deliveries.listAttempts(row.id),
    takenAt: rt.now(),
  };
}
