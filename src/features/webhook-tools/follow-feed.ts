import { setTimeout as sleep } from "node:timers/promises";
import { fetchErrorInWords, AppError, type ErrorCode } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/text.ts";
import { userAgent } from "../../platform/assets.ts";
import { createSender } from "../../delivery/sender.ts";
import { createIdSource } from "../../domain/ids.ts";
import { deliveryHeaders, signingKey } from "../../domain/webhooks/webhook-post.ts";
import { classifyOutcome, type Outcome } from "../../domain/webhooks/settle.ts";
import { systemRandom, wallClock } from "../../app/runtime.ts";

export type EventFeed = {
  api: string;
  business: string;
  key: string;
  /** The event types to read; an empty list reads all types that the feed has by default. */
  types: readonly string[];
};
export type FeedEvent = { id: string; type: string };
/** `sequences` contains the sequence number of each event. */
export type FeedPage = {
  events: FeedEvent[];
  sequences: number[];
  cursor: string;
  hasMore: boolean;
};

/** A failure that may be temporary; `afterMs` is from the header Retry-After. */
type TemporaryFailure = { reason: string; afterMs: number | undefined };

/** How long the server holds a long poll if there is no event. */
const WAIT_SECONDS = 25;
/** The time for a response after the long poll has ended. */
const RESPONSE_TIMEOUT_MS = 10_000;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const PAUSE_AFTER_EMPTY_MS = 250;
/** Maximum number of events on a page that the API allows. */
const MAX_LIMIT = 500;

/** The cursor that stands for the end of the feed. */
const LATEST = "latest";

/** Where the feed starts: at the next new event, at the oldest stored one, or after a cursor. */
export type FeedStart = "now" | "oldest" | { after: string };

/**
 * Yields the pages of a feed until `stop` is aborted. The first page comes immediately, even if it
 * is empty. Requests to an unreachable or overloaded server are repeated after growing pauses.
 * @throws AppError for an error that a retry does not fix
 */
export async function* followFeed(
  feed: EventFeed,
  start: FeedStart,
  stop: AbortSignal,
  onMessage: (text: string) => void,
): AsyncGenerator<FeedPage> {
  let cursor = firstCursor(start);
  let hasCaughtUp = false;
  let pauseMs = MIN_PAUSE_MS;
  while (!stop.aborted) {
    // Long polling begins after the stored events have been read.
    const read = await readPage(feed, cursor, hasCaughtUp ? WAIT_SECONDS : 0, stop);
    if ("reason" in read) {
      if (stop.aborted) return;
      const ms = read.afterMs ?? pauseMs;
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      onMessage(`${feed.api}: ${read.reason}; retrying in ${ms / 1000} s`);
      await pause(ms, stop);
      continue;
    }
    if (pauseMs > MIN_PAUSE_MS) onMessage(`${feed.api}: reachable again`);
    pauseMs = MIN_PAUSE_MS;
    cursor = read.cursor;
    yield read;
    hasCaughtUp ||= !read.hasMore;
    // The pause keeps this loop from spinning: a daemon that is shutting down answers immediately.
    if (read.events.length === 0) await pause(PAUSE_AFTER_EMPTY_MS, stop);
  }
}

function firstCursor(start: FeedStart): string | undefined {
  if (start === "now") return LATEST;
  return start === "oldest" ? undefined : start.after;
}

const pause = (ms: number, stop: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal: stop }).catch(() => {});

async function readPage(
  feed: EventFeed,
  cursor: string | undefined,
  waitSeconds: number,
  stop: AbortSignal,
): Promise<FeedPage | TemporaryFailure> {
  const url = new URL(`${feed.api}/v1/businesses/${encodeURIComponent(feed.business)}/changes`);
  url.searchParams.set("limit", String(MAX_LIMIT));
  url.searchParams.set("wait", String(waitSeconds));
  if (cursor !== undefined) url.searchParams.set("after", cursor);
  if (feed.types.length > 0) url.searchParams.set("types", feed.types.join(","));
  const signal = AbortSignal.any([
    stop,
    AbortSignal.timeout(waitSeconds * 1000 + RESPONSE_TIMEOUT_MS),
  ]);
  let response: Response;
  let body: unknown;
  try {
    // A redirect is not followed: it could send the key to another address.
    response = await fetch(url, {
      headers: { authorization: `Bearer ${feed.key}` },
      redirect: "manual",
      signal,
    });
    body = parseJson(await response.text());
  } catch (error) {
    return { reason: fetchErrorInWords(error), afterMs: undefined };
  }
  if (response.status === 429 || response.status >= 500)
    return {
      reason: detailOf(body) ?? `status ${response.status}`,
      afterMs: retryAfterMs(response),
    };
  if (!response.ok) throw feedError(response.status, detailOf(body), feed);
  return toPage(body) ?? { reason: "not a response of deskbell", afterMs: undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toPage(body: unknown): FeedPage | undefined {
  const { data, page, meta } = (body ?? {}) as {
    data?: unknown;
    page?: { nextCursor?: unknown; hasMore?: unknown };
    meta?: { sequences?: unknown };
  };
  const sequences = meta?.sequences;
  if (!Array.isArray(data) || !data.every(isEvent) || typeof page?.nextCursor !== "string")
    return undefined;
  if (!Array.isArray(sequences) || sequences.length !== data.length) return undefined;
  return { events: data, sequences, cursor: page.nextCursor, hasMore: page.hasMore === true };
}

const isEvent = (value: { id?: unknown; type?: unknown } | null): value is FeedEvent =>
  typeof value?.id === "string" && typeof value.type === "string";

const detailOf = (body: unknown): string | undefined => {
  const { detail } = (body ?? {}) as { detail?: unknown };
  return typeof detail === "string" ? detail : undefined;
};

/** Returns the pause that the header Retry-After asks for, at most an hour. */
function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds * 1000, 3_600_000) : undefined;
}

function feedError(status: number, detail: string | undefined, feed: EventFeed): AppError {
  const { api, business } = feed;
  const [code, fix] =
    status === 403
      ? (["not_permitted", fixOfForbidden(feed)] as const)
      : (ERRORS[status] ?? ["state_refuses", "check that --api is the address of deskbell"]);
  return new AppError(
    code,
    detail ?? `${api} responded with ${status} for the changes of '${business}'.`,
    { fix },
  );
}

const fixOfForbidden = ({ business, types }: EventFeed): string =>
  types.length > 0
    ? "use a key of this business that may receive these events, or other --event"
    : `use a key of this business: deskbell keys create --name listen --scope webhooks.read --business ${shellQuote(business)}`;

const ERRORS: Record<number, [ErrorCode, string]> = {
  400: ["usage", "check --after (use the cursor that this command printed at its end) and --event"],
  401: ["not_permitted", "use the whole key, as printed by deskbell keys create"],
  404: ["business_not_found", "check --business, and that --api is the address of deskbell"],
  410: [
    "cursor_expired",
    "fetch all lists over the API again, then run this command without --after",
  ],
};

/** How long the receiver may take to respond. */
const FORWARD_TIMEOUT_MS = 10_000;

type Forwarded = { outcome: Outcome; isAccepted: boolean; durationMs: number };

/**
 * Returns a forwarder, which sends events to a partner's URL as webhooks that are signed with
 * `secret`.
 */
export function createForwarder(url: string, secret: string) {
  const keys = [signingKey(secret)];
  const newId = createIdSource(wallClock, systemRandom);
  const sender = createSender({ allowHttp: true, allowPrivate: [] }, wallClock);
  return {
    /**
     * Sends an event as a webhook. `JSON.stringify` restores exactly the bytes of the event that
     * the server stores.
     */
    async forward(event: FeedEvent, sequence: number): Promise<Forwarded> {
      const body = Buffer.from(JSON.stringify(event));
      const info = {
        deliveryId: newId("dlv"),
        eventId: event.id,
        eventType: event.type,
        attempt: 1,
        sequence,
      };
      const startedAt = wallClock();
      const headers = deliveryHeaders(info, userAgent(), keys, startedAt, body);
      const outcome = await sender.send({
        url,
        trusted: true,
        timeoutMs: FORWARD_TIMEOUT_MS,
        headers,
        body,
      });
      const endedAt = wallClock();
      return {
        outcome,
        isAccepted: classifyOutcome(outcome, endedAt).kind === "success",
        durationMs: endedAt - startedAt,
      };
    },
    [Symbol.asyncDispose]: sender.close,
  };
}
