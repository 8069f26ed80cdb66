import { nextStreakAction, NO_STREAK } from "../../domain/webhooks/failure-streak.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { type Alert, makeAlert } from "./alerts.ts";

/** Why an endpoint is disabled; manual: the operator has said so, whatever else had happened before. */
export type DisabledReason = "gone" | "failing" | "manual";

/** Which of the parked events are sent after all: all, none, or those created at or after an instant. */
export type Recover = "all" | "none" | number;

/** @throws AppError resource_not_found, also for one of another business when that is named */
export function getEndpoint(rt: Runtime, id: string, businessId?: string): EndpointRow {
  const endpoint = rt.store.endpoints.findById(id);
  if (endpoint && (businessId === undefined || endpoint.businessId === businessId)) return endpoint;
  throw new AppError("resource_not_found", `There is no webhook endpoint ${id}.`, {
    fix: "deskbell webhooks list",
  });
}

/** Nothing more goes to it; what is owed to it, and what comes meanwhile, is parked. */
export function disableEndpoint(
  rt: Runtime,
  id: string,
  reason: DisabledReason,
): { endpoint: EndpointRow; parked: number } {
  return rt.tx(() => {
    if (getEndpoint(rt, id).status === "ACTIVE" || reason === "manual")
      rt.store.endpoints.updateStatus(id, "DISABLED", reason, rt.now());
    const parked = rt.store.deliveryMoves.park({ endpointId: id });
    return { endpoint: getEndpoint(rt, id), parked };
  });
}

/**
 * Takes a disabled endpoint up again, with a clean record. What of the parked is not recovered is cancelled.
 * @throws AppError resource_not_found; validation_failed for a time in the future; conflict for a partner, when the operator has
 * disabled it
 */
export function enableEndpoint(
  rt: Runtime,
  id: string,
  recover: Recover,
  { byPartner = false } = {},
): { endpoint: EndpointRow; recovered: number; cancelled: number } {
  return rt.tx(() => {
    const { status, disabledReason } = getEndpoint(rt, id);
    if (byPartner && disabledReason === "manual")
      throw new AppError(
        "conflict",
        "The business has disabled this endpoint, and it alone can enable it: ask there.",
      );
    const now = rt.now();
    if (typeof recover === "number" && recover > now) refuseFuture();
    if (status === "DISABLED") {
      rt.store.endpoints.updateStatus(id, "ACTIVE", null, now);
      rt.store.endpoints.updateStreak(id, NO_STREAK);
    }
    const since = recover === "all" ? undefined : recover;
    const recovered =
      since === "none" ? 0 : rt.store.deliveryMoves.recover({ endpointId: id, since }, now);
    const cancelled = rt.store.deliveryMoves.cancel({ endpointId: id, status: "PARKED" });
    return { endpoint: getEndpoint(rt, id), recovered, cancelled };
  });
}

/** A slip of the day would cancel everything without a word. */
function refuseFuture(): never {
  const detail =
    "'recover' is in the future: all that was missed came before it, and would be cancelled.";
  throw new AppError("validation_failed", detail, {
    fix: "name the time since when it was missed, or all, or none",
    issues: [{ pointer: "#/recover", code: "in_the_future", detail }],
  });
}

/** For good: what is owed to it is cancelled, its secrets are gone. Its deliveries stay on file for their time. */
export function deleteEndpoint(rt: Runtime, id: string): { cancelled: number } {
  return rt.tx(() => {
    getEndpoint(rt, id);
    rt.store.endpoints.delete(id, rt.now());
    rt.store.endpointSecrets.deleteAll(id);
    return { cancelled: rt.store.deliveryMoves.cancel({ endpointId: id }) };
  });
}

/** Warns of endpoints that have been failing for long, and disables those that were warned of long enough. */
export function reviewEndpoints(rt: Runtime): Alert[] {
  if (!rt.store.endpoints.listFailing().some((endpoint) => nextStreakAction(endpoint, rt.now())))
    return [];
  return rt.tx(() =>
    rt.store.endpoints.listFailing().flatMap((endpoint) => takeMeasure(rt, endpoint)),
  );
}

function takeMeasure(rt: Runtime, endpoint: EndpointRow): Alert[] {
  const now = rt.now();
  const measure = nextStreakAction(endpoint, now);
  const since = `since ${isoMinute(endpoint.failingSince ?? now)}`;
  switch (measure?.action) {
    case undefined:
      return [];
    case "warn":
      rt.store.endpoints.updateStreak(endpoint.id, { ...endpoint, warnedAt: now });
      return [makeAlert(rt, "endpoint.failing", endpoint, `has not taken a delivery ${since}.`)];
    case "announce": {
      const { disableAt } = measure;
      rt.store.endpoints.updateStreak(endpoint.id, { ...endpoint, disableAt });
      const what = `has not taken a delivery ${since}. It will be disabled at ${isoMinute(disableAt)}.`;
      return [makeAlert(rt, "endpoint.disable_scheduled", endpoint, what)];
    }
    case "disable": {
      const { parked } = disableEndpoint(rt, endpoint.id, "failing");
      const what = `was disabled: it has not taken a delivery ${since}. ${parked} deliveries are parked.`;
      return [makeAlert(rt, "endpoint.disabled", endpoint, what)];
    }
  }
}

const isoMinute = (at: number): string => `${new Date(at).toISOString().slice(0, 16)}Z`;
