import type { Runtime } from "../runtime.ts";
import { isDaemonRunning } from "../../store/database/database.ts";
import type { DeliveryStatus } from "../../domain/webhooks/settle.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { listLimitedHosts } from "../webhooks/host-limits.ts";
import { type History, readHistory } from "./history.ts";
import type { HealthCondition } from "../../domain/conditions/registry.ts";
import { type Check, listForOperator } from "./conditions.ts";

export type Status = {
  daemon: { isRunning: boolean; url: string | null; startedAt: number | null };
  queue: Partial<Record<DeliveryStatus, number>>;
  /** An endpoint is failing if it is active and has failed since its last success. */
  endpoints: { active: number; failing: number; disabled: number };
  /** Visits that wait until the business approves or declines them. */
  pending: { bookings: number; reservations: number };
  /**
   * The time of the next attempt (epoch ms). A time in the past means that a delivery is due now;
   * null means that none is waiting.
   */
  nextAttemptAt: number | null;
  /**
   * Hosts that get no delivery for now: they are not verified, and have reached their hourly limit.
   */
  limitedHosts: string[];
  history: History;
  freeBytes: number;
  problems: HealthCondition[];
};

export function readStatus(rt: Runtime, checks: readonly Check[]): Status {
  const daemon = readDaemon(rt);
  return {
    daemon,
    queue: rt.store.tallies.countByStatus(),
    endpoints: countEndpoints(rt.store.endpoints.list()),
    pending: {
      bookings: rt.store.bookings.countPending(),
      reservations: rt.store.reservations.countPending(),
    },
    nextAttemptAt: rt.store.due.getNextAttemptAt(rt.now()),
    limitedHosts: listLimitedHosts(rt),
    history: readHistory(rt),
    freeBytes: rt.freeBytes(),
    problems: listForOperator(rt, checks, daemon),
  };
}

export function countEndpoints(endpoints: readonly EndpointRow[]): Status["endpoints"] {
  const active = endpoints.filter(({ status }) => status === "ACTIVE");
  const failing = active.filter(({ failingSince }) => failingSince !== null);
  return {
    active: active.length,
    failing: failing.length,
    disabled: endpoints.length - active.length,
  };
}

function readDaemon(rt: Runtime): Status["daemon"] {
  const isRunning = isDaemonRunning(rt.config.databasePath);
  const row = isRunning ? rt.store.daemon.find() : undefined;
  return { isRunning, url: row?.url ?? null, startedAt: row?.startedAt ?? null };
}
