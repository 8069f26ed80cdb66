import {
  endsInDisabling,
  recordFailure,
  NO_STREAK,
  type FailureStreak,
  type StoredBackoff,
} from "../../domain/webhooks/failing-endpoint.ts";
import type { Settlement } from "../../domain/webhooks/settle.ts";
import { businessOf } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import type { AttemptRow } from "../../store/webhooks/deliveries.ts";
import type { DueRow } from "../../store/webhooks/due.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { createTallyChanges } from "../../store/webhooks/tallies.ts";
import { notify } from "../notices.ts";
import { openCondition } from "../../domain/conditions/registry.ts";
import { recordHostResults } from "./host-limits.ts";
import { disableInTransaction } from "./endpoint-lifecycle.ts";

export type DeliveryResult = {
  due: DueRow;
  endpointId: string;
  businessId: string;
  /** The host whose limits apply; null if no limits apply. */
  host: string | null;
  settlement: Settlement;
  /** The attempt is null if nothing was sent. */
  attempt: AttemptRow | null;
  /** Whether the receiver responded with 410 Gone. */
  isGone: boolean;
};

/**
 * Records all results in one transaction, which costs one fsync.
 * @param backoffOf returns until when, and why, nothing is sent to an endpoint after these results
 * @returns the IDs of the endpoints that were disabled
 */
export function recordResults(
  rt: Runtime,
  results: readonly DeliveryResult[],
  backoffOf: (endpointId: string) => StoredBackoff,
): string[] {
  return rt.tx(() => {
    writeDeliveries(rt, results);
    writeHosts(rt, results);
    const disabledIds: string[] = [];
    for (const [id, endpointResults] of Map.groupBy(results, ({ endpointId }) => endpointId)) {
      const endpoint = rt.store.endpoints.findById(id);
      if (endpoint === undefined) continue;
      const isDisabled = updateEndpoint(rt, endpoint, endpointResults, backoffOf(id));
      if (isDisabled) disabledIds.push(id);
    }
    return disabledIds;
  });
}

function writeDeliveries(rt: Runtime, results: readonly DeliveryResult[]): void {
  const tallyChanges = createTallyChanges();
  const attempts = new Map<string, { delivered: number; failed: number }>();
  for (const { due, businessId, settlement, attempt } of results) {
    const move = rt.store.due.settle(due, settlement, attempt);
    // The delivery was deleted with its business.
    if (move === undefined) continue;
    tallyChanges.move(businessId, move.from, move.to);
    if (attempt === null) continue;
    const count = attempts.getOrInsert(businessId, { delivered: 0, failed: 0 });
    count[settlement.status === "DELIVERED" ? "delivered" : "failed"] += 1;
  }
  tallyChanges.write(rt.store.tallies);
  for (const [businessId, { delivered, failed }] of attempts)
    rt.store.tallies.addAttempts(businessId, rt.now(), delivered, failed);
}

function writeHosts(rt: Runtime, results: readonly DeliveryResult[]): void {
  for (const [host, hostResults] of Map.groupBy(results, ({ host }) => host)) {
    if (host === null) continue;
    const attempts = hostResults.flatMap(({ attempt, settlement }) =>
      attempt === null ? [] : { at: attempt.at, isSuccess: settlement.status === "DELIVERED" },
    );
    recordHostResults(rt, host, attempts);
  }
}

/** Updates the endpoint after its results. @returns whether the endpoint was disabled */
function updateEndpoint(
  rt: Runtime,
  endpoint: EndpointRow,
  results: readonly DeliveryResult[],
  backoff: StoredBackoff,
): boolean {
  if (backoff.heldUntil !== endpoint.heldUntil)
    rt.store.endpoints.updateBackoff(endpoint.id, backoff);
  let streak: FailureStreak = endpoint;
  let isDisableDue = false;
  for (const { due, settlement, attempt } of results) {
    if (attempt === null) continue;
    if (settlement.status !== "DELIVERED") {
      const { error } = settlement;
      streak = recordFailure(streak, { eventId: due.eventId, at: attempt.at, error });
      isDisableDue = endsInDisabling(streak, attempt.at);
    } else if (streak.failingSince !== null) streak = NO_STREAK;
  }
  if (results.some(({ settlement }) => settlement.status === "DELIVERED"))
    recordDelivered(rt, endpoint);
  if (streak !== endpoint) rt.store.endpoints.updateStreak(endpoint.id, streak);

  const exhausted = results.find(({ settlement }) => settlement.status === "EXHAUSTED");
  if (exhausted) notifyExhausted(rt, endpoint, exhausted.settlement.error);
  if (endpoint.status !== "ACTIVE") return false;
  // If a delivery succeeded after the failures, their streak has ended, and the endpoint is not
  // disabled.
  const isDisabling = isDisableDue && streak.failingSince !== null;
  const isGone = results.some((result) => result.isGone);
  if (isDisabling || isGone)
    disableInTransaction(rt, endpoint.id, isDisabling ? "failing" : "gone");
  return isDisabling || isGone;
}

/**
 * Minimum time between two updates of `lastDeliveredAt`. The limit avoids a write to the endpoint's
 * row for every delivery.
 */
const DELIVERED_STEP_MS = 1000;

function recordDelivered(rt: Runtime, { id, lastDeliveredAt }: EndpointRow): void {
  const now = rt.now();
  // The clock may have been set back after the last write, hence the absolute difference.
  if (lastDeliveredAt === null || Math.abs(now - lastDeliveredAt) >= DELIVERED_STEP_MS)
    rt.store.endpoints.updateDelivered(id, now);
}

function notifyExhausted(
  rt: Runtime,
  { id, name, url, ...owner }: EndpointRow,
  error: string | null,
) {
  const business = businessOf(rt, owner);
  const text = `deliveries to '${name}' have failed permanently: ${error}`;
  const command = `deskbell deliveries list --status EXHAUSTED --endpoint ${id}`;
  const where = { business, subject: { id, name, url } };
  notify(rt, openCondition("delivery.exhausted", text, command, where));
}
