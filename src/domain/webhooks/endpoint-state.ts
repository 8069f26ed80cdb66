import { currentBackoff, nextAttemptOf, type StoredBackoff } from "./failing-endpoint.ts";
import { errorForPartners, type DeliveryStatus } from "./settle.ts";

// Partners read why an endpoint or delivery is in its state, as a code, times and a text, so that
// they need not ask the business why nothing came.

export const ENDPOINT_STATES = ["WORKING", "FAILING", "HELD", "DISABLED"] as const;

/** Times are epoch milliseconds. */
export type EndpointState = {
  code: (typeof ENDPOINT_STATES)[number];
  /** Why deliveries fail or are delayed, or why the endpoint is disabled. */
  reason: string | null;
  since: number | null;
  until: number | null;
  text: string;
};

type Endpoint = StoredBackoff & {
  status: "ACTIVE" | "DISABLED";
  disabledReason: string | null;
  failingSince: number | null;
  lastError: string | null;
  statusSince: number | null;
  createdAt: number;
  lastDeliveredAt: number | null;
};

type Context = {
  now: number;
  /** Returns a time as people read it. */
  format: (at: number) => string;
  /**
   * Whether the host of the endpoint gets nothing for now: it is not verified (it has not accepted
   * an event), and got as many deliveries in the last hour as such a host may get.
   */
  isHostLimited: boolean;
};

const STATUS_ERROR = /^HTTP (\d+)$/;

/** Returns the HTTP status in a stored error; null if there was no response. */
export const statusInError = (error: string | null): number | null =>
  Number(STATUS_ERROR.exec(error ?? "")?.[1] ?? 0) || null;

/** Returns the state of an endpoint: whether events are sent to it, and if not, why. */
export function describeEndpoint(endpoint: Endpoint, context: Context): EndpointState {
  const { status, failingSince, statusSince, createdAt, lastDeliveredAt } = endpoint;
  const { now, format, isHostLimited } = context;
  if (status === "DISABLED") return disabledState(endpoint, format);
  const { heldUntil, heldReason } = currentBackoff(endpoint, now);
  if (failingSince === null && heldUntil === null && !isHostLimited) {
    const text =
      lastDeliveredAt === null
        ? "Events are sent as they occur. The receiver has not accepted one yet."
        : `Events are sent as they occur. The receiver last accepted one at ${format(lastDeliveredAt)}.`;
    return { code: "WORKING", reason: null, since: statusSince ?? createdAt, until: null, text };
  }
  const failure = describeFailure(endpoint, format);
  if (isHostLimited) {
    const text = failingSince === null ? HOST_LIMIT : `${failure.text} ${HOST_LIMIT}${failure.fix}`;
    return { code: "HELD", reason: "host_limit", since: failingSince, until: null, text };
  }
  if (heldUntil === null) {
    const text = `${failure.text} Each event is sent again at growing intervals until it is accepted.${failure.fix}`;
    return { code: "FAILING", reason: failure.reason, since: failingSince, until: null, text };
  }
  const hasRetryAfter = heldReason === "retry_after";
  const why = hasRetryAfter ? "The receiver sent Retry-After." : failure.text;
  return {
    code: "HELD",
    reason: hasRetryAfter ? "retry_after" : failure.reason,
    since: failingSince,
    until: heldUntil,
    text: `${why} Nothing is sent until ${format(heldUntil)}; then one event is sent, and the others follow once one is accepted.${failure.fix} A test that the receiver accepts ends the wait.`,
  };
}

const HOST_LIMIT =
  "Nothing is sent for now: a host that has not accepted an event yet gets at most 50 deliveries an hour. A test that the receiver accepts ends the limit.";

function describeFailure(
  { failingSince, lastError }: Endpoint,
  format: (at: number) => string,
): { reason: "unauthorized" | "http_error" | "no_response"; text: string; fix: string } {
  const since = failingSince === null ? "" : `Since ${format(failingSince)}, `;
  const statusCode = statusInError(lastError);
  if (statusCode === null)
    return {
      reason: "no_response",
      text: capitalise(`${since}the receiver could not be reached or has not responded in time.`),
      fix: " Check that it runs, and that its name, port and certificate are right.",
    };
  // Libraries that verify webhooks often respond to a wrong signature with 400, so its fix is the
  // same as that of 401 and 403.
  const isRefusal = [400, 401, 403].includes(statusCode);
  return {
    reason: isRefusal && statusCode !== 400 ? "unauthorized" : "http_error",
    text: capitalise(`${since}the receiver has responded with HTTP ${statusCode}.`),
    fix: isRefusal
      ? " Receivers often respond so if they verify the signature with another secret than the endpoint's: compare them, or make a new one with `rotate-secret`."
      : " The log of the receiver says why.",
  };
}

function disabledState(
  { disabledReason, statusSince, lastError }: Endpoint,
  format: (at: number) => string,
): EndpointState {
  const since = statusSince === null ? "" : ` since ${format(statusSince)}`;
  const error = errorForPartners(lastError);
  const because = DISABLED_TEXTS[disabledReason ?? ""] ?? "";
  const ending = disabledReason === "failing" && error !== null ? ` The last error: ${error}` : "";
  return {
    code: "DISABLED",
    reason: disabledReason,
    since: statusSince,
    until: null,
    text: `The endpoint has been disabled${since}${because}${ending} Its events are kept for it.`,
  };
}

const DISABLED_TEXTS: Readonly<Record<string, string>> = {
  gone: ", because the receiver responded with HTTP 410: enable it when the receiver is back.",
  failing:
    ", because the receiver failed for more than 5 days: repair it, then enable the endpoint.",
  manual: " by the business, which alone can enable it.",
  paused: ", because a partner has set its `status` to DISABLED: set it to ACTIVE to go on.",
  key_revoked: ", because its API key was revoked: ask the business for another key.",
  key_expired: ", because its API key has expired: ask the business for another key.",
};

const capitalise = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Why a delivery has not been sent yet. */
export const WAITING_REASONS = [
  "due",
  "retry",
  "failing",
  "retry_after",
  "host_limit",
  "disabled",
] as const;

export type Waiting = {
  reason: (typeof WAITING_REASONS)[number];
  until: number | null;
  text: string;
};

type Delivery = {
  status: DeliveryStatus;
  attemptCount: number;
  nextAttemptAt: number | null;
  endpointHeldUntil: number | null;
};

/**
 * Returns why a delivery has not been sent yet; null if it is not going to be sent.
 * @param endpoint undefined if it was deleted
 */
export function describeWaiting(
  delivery: Delivery,
  endpoint: Pick<Endpoint, "status" | "heldReason"> | undefined,
  { now, format, isHostLimited }: Context,
): Waiting | null {
  const isWaiting = delivery.status === "PENDING" || delivery.status === "PARKED";
  if (!isWaiting || endpoint === undefined) return null;
  if (delivery.status === "PARKED" || endpoint.status === "DISABLED")
    return { reason: "disabled", until: null, text: "It waits until its endpoint is enabled." };
  const { nextAttemptAt, heldUntil } = nextAttemptOf(delivery, now);
  if (heldUntil !== null) {
    const reason = endpoint.heldReason ?? "failing";
    const why = reason === "failing" ? "its endpoint fails" : "its receiver sent Retry-After";
    const text = `It waits until ${format(heldUntil)}, because ${why}.`;
    return { reason, until: heldUntil, text };
  }
  if (isHostLimited) return { reason: "host_limit", until: null, text: HOST_LIMIT };
  if (nextAttemptAt === null || nextAttemptAt <= now)
    return { reason: "due", until: null, text: "It is sent as soon as it is its turn." };
  const what = delivery.attemptCount > 0 ? "Its next attempt" : "Its first attempt";
  return {
    reason: delivery.attemptCount > 0 ? "retry" : "due",
    until: nextAttemptAt,
    text: `${what} is due at ${format(nextAttemptAt)}.`,
  };
}
