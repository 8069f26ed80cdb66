import { nextStreakAction, NO_STREAK } from "../../domain/webhooks/failing-endpoint.ts";
import { AppError } from "../../domain/errors.ts";
import { formatInstant, parsePastTime } from "../../domain/local-time.ts";
import { quote } from "../../domain/text.ts";
import { auditRow } from "../audit.ts";
import type { Runtime } from "../runtime.ts";
import type { BacklogCounts } from "../../store/webhooks/delivery-moves.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { isMovingBacklog, startBacklogMove } from "./backlog-moves.ts";
import { findEndedKey } from "./endpoint-owner.ts";

/**
 * Why an endpoint is disabled. `manual` (by the operator) replaces any earlier reason. A partner
 * causes `paused`, and the end of the endpoint's key causes `key_revoked` or `key_expired`.
 */
export type DisabledReason =
  | "gone"
  | "failing"
  | "manual"
  | "paused"
  | "key_revoked"
  | "key_expired";

const PARK = { move: "PARK", recoverSince: null } as const;
const CANCEL = { move: "CANCEL", recoverSince: null } as const;

/** Which parked deliveries to send; a number (epoch ms) selects those created since that time. */
export type Recover = "all" | "none" | number;

/**
 * Parses what a person types to choose the deliveries to send: `all`, `none`, or a past time in the
 * time zone of the business, such as `30m` or `08:00`. Endpoints for several businesses use UTC.
 * @returns the choice, and the time in RFC 3339 if it is a time
 */
export function parseRecover(
  rt: Runtime,
  { businessId }: Pick<EndpointRow, "businessId">,
  text: string,
): { recover: Recover; since: string | null } {
  if (text === "all" || text === "none") return { recover: text, since: null };
  const timezone = rt.store.businesses.findById(businessId ?? "")?.doc.timezone ?? "UTC";
  const at = parsePastTime(text, timezone, rt.now());
  if (!Number.isNaN(at) && at <= rt.now())
    return { recover: at, since: formatInstant(at, timezone) };
  throw new AppError("usage", `Cannot send the deliveries since ${quote(text)}.`, {
    fix: "use all, none, or a time in the past such as 30m, 08:00 or yesterday 18:00",
  });
}

/** @throws AppError resource_not_found, also for an endpoint that gets no events of `businessId` */
export function getEndpoint(rt: Runtime, id: string, businessId?: string): EndpointRow {
  const { endpoints } = rt.store;
  const endpoint =
    businessId === undefined
      ? endpoints.findById(id)
      : endpoints.list(businessId).find((row) => row.id === id);
  if (endpoint) return endpoint;
  throw new AppError("resource_not_found", `There is no webhook endpoint ${id}.`, {
    fix: "deskbell webhooks list",
  });
}

/**
 * Counts the deliveries that disabling an endpoint parks. Do not call it in a transaction, because
 * counting would block other writers.
 */
export const countToPark = (rt: Runtime, id: string): BacklogCounts =>
  rt.store.backlogMoves.count(id, PARK);

/**
 * Disables an endpoint and parks its deliveries. Do not call it in a transaction, because counting
 * all deliveries would block other writers.
 */
export const disableEndpoint = (
  rt: Runtime,
  id: string,
  reason: DisabledReason,
): { endpoint: EndpointRow; parked: number } =>
  disableInTransaction(rt, id, reason, countToPark(rt, id));

/**
 * Disables an endpoint and parks its deliveries.
 *
 * @param counted the deliveries, counted before the transaction. If it is missing, a large backlog
 *   is not counted, and `parked` is a minimum.
 */
export function disableInTransaction(
  rt: Runtime,
  id: string,
  reason: DisabledReason,
  counted?: BacklogCounts,
): { endpoint: EndpointRow; parked: number } {
  return rt.tx(() => {
    const before = getEndpoint(rt, id);
    if (before.status === "ACTIVE" || (reason === "manual" && before.disabledReason !== "manual")) {
      rt.store.endpoints.updateStatus(id, "DISABLED", reason, rt.now());
      auditRow(rt, "endpoint.disabled", before, { reason });
    }
    const endpoint = getEndpoint(rt, id);
    const { parked } = startBacklogMove(rt, endpoint, PARK, counted);
    return { endpoint, parked };
  });
}

type Enabled = { endpoint: EndpointRow; recovered: number; cancelled: number };

/**
 * Ends the backoff of an endpoint that fails, or whose receiver sent Retry-After. The endpoint's
 * deliveries are then sent at once.
 */
export function endBackoff(rt: Runtime, id: string): void {
  const endpoint = rt.store.endpoints.findById(id);
  if (endpoint?.status !== "ACTIVE") return;
  if (endpoint.failingSince !== null || endpoint.heldUntil !== null)
    rt.tx(() => rt.store.endpoints.endBackoff(id));
}

/**
 * Enables an endpoint and resets its failure streak; for an active endpoint, ends the backoff.
 * Parked deliveries that are not recovered are cancelled.
 * @throws AppError resource_not_found; validation_failed if `recover` is in the future; conflict if
 *   the endpoint's key has ended, or a partner enables what the operator disabled; busy while
 *   deliveries are still being parked
 */
export const enableEndpoint = (rt: Runtime, id: string, recover: Recover): Enabled =>
  prepareEnable(rt, id, recover)();

/**
 * Counts the deliveries, and returns the function that enables the endpoint. The function may be
 * called in a transaction.
 */
export function prepareEnable(
  rt: Runtime,
  id: string,
  recover: Recover,
  { byPartner = false } = {},
): () => Enabled {
  const move = { move: "RECOVER", recoverSince: recoverSinceOf(recover) } as const;
  const counted = rt.store.backlogMoves.count(id, move);
  const enable = (): Enabled => {
    const before = getEndpoint(rt, id);
    const { status, disabledReason } = before;
    if (byPartner && disabledReason === "manual")
      throw new AppError(
        "conflict",
        "The business disabled this endpoint; only the business can enable it again.",
      );
    assertKeyLives(rt, before, byPartner);
    const now = rt.now();
    if (typeof recover === "number" && recover > now) throw futureRecoverError();
    if (status === "DISABLED") {
      if (isMovingBacklog(rt, id))
        throw new AppError("busy", "Its deliveries are still being parked; retry in a moment.");
      rt.store.endpoints.updateStatus(id, "ACTIVE", null, now);
      rt.store.endpoints.updateStreak(id, NO_STREAK);
    } else endBackoff(rt, id);
    const endpoint = getEndpoint(rt, id);
    const { recovered, cancelled } = startBacklogMove(rt, endpoint, move, counted);
    if (status === "DISABLED") auditRow(rt, "endpoint.enabled", before, { recovered, cancelled });
    return { endpoint, recovered, cancelled };
  };
  return () => rt.tx(enable);
}

/** @throws AppError conflict if the endpoint may receive nothing because its key has ended */
function assertKeyLives(rt: Runtime, endpoint: EndpointRow, byPartner: boolean): void {
  const key = findEndedKey(rt, endpoint);
  if (key === undefined) return;
  const how = key.revokedAt === null ? "has expired" : "is revoked";
  if (byPartner)
    throw new AppError(
      "conflict",
      `The API key of this endpoint ${how}; only the business can give it another one.`,
    );
  throw new AppError("conflict", `The key ${key.id} of ${endpoint.id} ${how}.`, {
    fix: `deskbell webhooks update ${endpoint.id} --key KEY, with another key or none; then enable it`,
  });
}

/** A time (epoch ms) later than that of any delivery. */
const RECOVER_NOTHING = Number.MAX_SAFE_INTEGER;

/** Returns the time (epoch ms) since which parked deliveries are recovered. */
function recoverSinceOf(recover: Recover): number {
  if (recover === "all") return 0;
  return recover === "none" ? RECOVER_NOTHING : recover;
}

/** Returns the error for a future time, which would silently cancel all parked deliveries. */
function futureRecoverError(): AppError {
  const detail = "'recover' is in the future, so all parked deliveries would be cancelled.";
  return new AppError("validation_failed", detail, {
    fix: "pass a time in the past, or all, or none",
    issues: [{ pointer: "#/recover", code: "in_the_future", detail }],
  });
}

/** Deletes an endpoint. Past deliveries stay until their retention period ends. */
export const deleteEndpoint = (rt: Runtime, id: string): { cancelled: number } =>
  prepareDelete(rt, id)();

/**
 * Counts the deliveries, and returns the function that deletes the endpoint. The function may be
 * called in a transaction.
 */
export function prepareDelete(rt: Runtime, id: string): () => { cancelled: number } {
  const counted = rt.store.backlogMoves.count(id, CANCEL);
  const remove = (): { cancelled: number } => {
    const endpoint = getEndpoint(rt, id);
    rt.store.endpoints.delete(id, rt.now());
    rt.store.endpointSecrets.deleteAll(id);
    const { cancelled } = startBacklogMove(rt, endpoint, CANCEL, counted);
    auditRow(rt, "endpoint.deleted", endpoint, { cancelled });
    return { cancelled };
  };
  return () => rt.tx(remove);
}

/**
 * Stores for each failing endpoint when the operator was warned of it, or when it will be disabled.
 */
export function reviewEndpoints(rt: Runtime): void {
  const now = rt.now();
  // The check precedes the transaction, which would otherwise take the write lock each minute.
  if (!rt.store.endpoints.listFailing().some((endpoint) => nextStreakAction(endpoint, now))) return;
  rt.tx(() => {
    for (const endpoint of rt.store.endpoints.listFailing()) {
      const next = nextStreakAction(endpoint, now);
      if (next === undefined) continue;
      const change = next.action === "warn" ? { warnedAt: now } : { disableAt: next.disableAt };
      rt.store.endpoints.updateStreak(endpoint.id, { ...endpoint, ...change });
    }
  });
}

/** Returns why the endpoint fails, to continue a sentence; "" if the reason is unknown. */
export const lastErrorSuffix = ({ lastError }: EndpointRow): string =>
  lastError === null ? "" : ` (${lastError})`;
