import type { Delivery, Endpoint } from "./types.ts";

const DAY_MS = 86_400_000;
/** The distance from now within which a time is shown with its seconds. */
const FEW_MINUTES_MS = 300_000;

/** The reader's time zone, such as "Europe/Berlin". */
export const ownZone = (): string => new Intl.DateTimeFormat("en-GB").resolvedOptions().timeZone;

const format = (zone: string | undefined, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...options, ...(zone !== undefined && { timeZone: zone }) });

/** Returns a time zone as a reader writes it, such as "America/New York". */
export const nameOfZone = (zone: string): string => zone.replaceAll("_", " ");

/**
 * Returns a time with its date, such as "20 Nov, 14:32:05".
 * @param zone the reader's own by default
 */
export const formatTime = (at: string, zone?: string): string =>
  format(zone, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).format(new Date(at));

/** Returns the day of a time in a zone, such as "2026-11-20". */
export const localDay = (ms: number, zone: string): string =>
  // The Swedish locale writes dates as in ISO 8601.
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(ms);

/**
 * Returns a time of day, such as "14:32". A time within five minutes of now is shown with seconds,
 * and a time more than half a day away with its date: "20 Nov, 14:32".
 */
export function shortTime(at: string, nowMs: number): string {
  const distanceMs = Math.abs(Date.parse(at) - nowMs);
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  const options: Intl.DateTimeFormatOptions =
    distanceMs < FEW_MINUTES_MS
      ? { ...time, second: "2-digit" }
      : distanceMs < DAY_MS / 2
        ? time
        : { day: "numeric", month: "short", ...time };
  return format(undefined, options).format(new Date(at));
}

/** Returns how long ago or how far ahead a time is, such as "3 min". */
export function distance(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 90) return `${seconds}\u00a0s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)}\u00a0min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)}\u00a0h`;
  return `${Math.round(seconds / 86_400)}\u00a0days`;
}

/**
 * Returns the behaviour of the receiver that explains the state of its endpoint. The caller appends
 * `since` and a time if the time is known.
 */
function describeFailure({ state, lastStatusCode }: Endpoint): string {
  const status = lastStatusCode === null ? "" : ` with HTTP ${lastStatusCode}`;
  switch (state.reason) {
    case "unauthorized":
      return `the receiver refuses the signature${status}`;
    case "http_error":
      return `the receiver responds${status}`;
    case "retry_after":
      return "the receiver sent Retry-After";
    case "host_limit":
      return "its host has not accepted an event yet, so it gets few";
    default:
      return "no response in time";
  }
}

const WHY_DISABLED: Readonly<Record<string, string>> = {
  gone: "the receiver responded with 410 Gone",
  failing: "it failed for more than 5 days",
  manual: "by the business",
  paused: "by you, with this key",
  key_revoked: "its API key was revoked",
  key_expired: "its API key has expired",
};

export type StateWords = { tone: "good" | "warn" | "bad"; text: string };

/**
 * Returns the state of an endpoint, such as "Nothing is sent until 14:32: the receiver sent
 * Retry-After since 14:02".
 */
export function describeEndpoint(endpoint: Endpoint, nowMs: number): StateWords {
  const { state } = endpoint;
  const since = state.since === null ? "" : ` since ${shortTime(state.since, nowMs)}`;
  if (state.code === "WORKING") return { tone: "good", text: `Working${since}` };
  if (state.code === "DISABLED") {
    const why = WHY_DISABLED[state.reason ?? ""];
    const isPaused = state.reason === "paused" || state.reason === "manual";
    return {
      tone: isPaused ? "warn" : "bad",
      text: `${isPaused ? "Paused" : "Disabled"}${since}${why === undefined ? "" : `: ${why}`}`,
    };
  }
  const until = state.until === null ? " for now" : ` until ${shortTime(state.until, nowMs)}`;
  const start = state.code === "HELD" ? `Nothing is sent${until}` : "Failing";
  return { tone: "bad", text: `${start}: ${describeFailure(endpoint)}${since}` };
}

/** Returns what the reader can do, with this page, about an endpoint that gets no events. */
export function adviseOn({ state, lastStatusCode }: Endpoint): string {
  const advice = ADVICE[state.reason ?? ""] ?? "";
  if (state.code === "DISABLED") return `Its events are kept. ${advice}`;
  const meanwhile =
    state.code === "FAILING"
      ? "each is sent again at growing intervals until it is accepted."
      : "one is sent then, and the others follow once one is accepted.";
  const repair = isRefusal(lastStatusCode) ? ANOTHER_SECRET : advice;
  return `Its events are kept: ${meanwhile} ${repair} When it is repaired, send a test event, and then the waiting events.`;
}

/** Returns whether this is an HTTP status with which receivers often refuse a wrong signature. */
export const isRefusal = (statusCode: number | null): boolean =>
  statusCode !== null && [400, 401, 403].includes(statusCode);

const ANOTHER_SECRET =
  "Receivers often respond so if they verify the signature with another secret than the endpoint's. Send a test event to try the secret that the receiver uses, or rotate the signing secret below and give the new one to the receiver.";

const ADVICE: Readonly<Record<string, string>> = {
  http_error:
    "The attempts under Deliveries show what it responded, and the log of the receiver says why.",
  no_response: "Check that the receiver runs, and that its name, port and certificate are right.",
  host_limit:
    "A host that has not accepted an event yet gets at most 50 deliveries an hour, until it accepts a test event.",
  gone: "Resume the endpoint when the receiver is back.",
  failing: "Repair the receiver, send a test event, then resume the endpoint.",
  manual: "Only the business can resume the endpoint: ask it why.",
  paused: "Resume the endpoint to get them.",
  key_revoked: "Ask the business for another key.",
  key_expired: "Ask the business for another key.",
};

const STATUSES: Readonly<Record<Delivery["status"], StateWords>> = {
  DELIVERED: { tone: "good", text: "Delivered" },
  PENDING: { tone: "warn", text: "Waiting" },
  EXHAUSTED: { tone: "bad", text: "Given up" },
  PARKED: { tone: "warn", text: "Parked until resumed" },
  CANCELLED: { tone: "warn", text: "Cancelled" },
  CORRUPT: { tone: "bad", text: "Altered" },
};

/** Returns the state of a delivery, such as "Waiting: next attempt in 4 min". */
export function describeDelivery(delivery: Delivery, nowMs: number): StateWords {
  const words = STATUSES[delivery.status];
  const { waiting } = delivery;
  if (delivery.status !== "PENDING" || waiting === null) return words;
  if (waiting.reason === "host_limit") return { ...words, text: "Waiting: few are sent for now" };
  const wait = waiting.until === null ? 0 : Date.parse(waiting.until) - nowMs;
  if (wait <= 0) return { ...words, text: "About to be sent" };
  // The time until which an endpoint waits is not shown: only one delivery is sent at that time.
  if (waiting.reason === "failing" || waiting.reason === "retry_after")
    return { ...words, text: "Waiting for its endpoint" };
  return { ...words, text: `Waiting: next attempt in ${distance(wait)}` };
}

/** Returns why a delivery waits. The caller appends `until` and a time if the time is known. */
export function explainWaiting({ reason }: NonNullable<Delivery["waiting"]>): string {
  switch (reason) {
    case "failing":
      return "It waits, because its endpoint fails,";
    case "retry_after":
      return "It waits, because its receiver sent Retry-After,";
    case "host_limit":
      return "It waits, because a host that has not accepted an event yet gets few";
    case "disabled":
      return "It waits until its endpoint is resumed";
    case "retry":
      return "It waits for its next attempt";
    case "due":
      return "It is sent as soon as it is its turn";
  }
}

/** The statuses of deliveries, with the words that the page uses. */
export const DELIVERY_STATUSES = Object.entries(STATUSES).map(
  ([status, { text }]) => [status, text] as const,
);
