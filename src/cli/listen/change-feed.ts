import { setTimeout as sleep } from "node:timers/promises";
import { AppError, type ErrorCode } from "../../domain/errors.ts";

/** Where a partner reads a business's feed, and as whom. */
export type Feed = { api: string; business: string; key: string };
export type FeedEvent = { id: string; type: string };
export type FeedPage = { events: FeedEvent[]; cursor: string; hasMore: boolean };

/** What did not work this time, and may the next; `afterMs` where the other side has said when. */
type Setback = { why: string; afterMs: number | undefined };

const WAIT_SECONDS = 25;
/** Beyond what the other side waits by itself. */
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const AFTER_NOTHING_MS = 250;
const MAX_LIMIT = 500;

/** Where to begin: with what happens from now on, with the oldest event that is kept, or after a page's cursor. */
export type FeedStart = "now" | "oldest" | { after: string };

/**
 * The pages of a feed as they come to be, until `over`; the first comes at once, and may be empty. A daemon that is away or
 * overloaded is asked again, ever more rarely.
 * @throws AppError for whatever asking again does not mend
 */
export async function* followFeed(
  feed: Feed,
  start: FeedStart,
  over: AbortSignal,
  say: (text: string) => void,
): AsyncGenerator<FeedPage> {
  let cursor = typeof start === "string" ? undefined : start.after;
  let hasCaughtUp = false;
  let pauseMs = FIRST_PAUSE_MS;
  while (!over.aborted) {
    // What was waited for would not be of the past.
    const read = await readPage(feed, cursor, hasCaughtUp ? WAIT_SECONDS : 0, over);
    if ("why" in read) {
      if (over.aborted) return;
      const ms = read.afterMs ?? pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      say(`${feed.api}: ${read.why}; asking again in ${ms / 1000} s`);
      await pause(ms, over);
      continue;
    }
    if (pauseMs > FIRST_PAUSE_MS) say(`${feed.api}: is back`);
    pauseMs = FIRST_PAUSE_MS;
    cursor = read.cursor;
    yield start === "now" && !hasCaughtUp ? { ...read, events: [] } : read;
    hasCaughtUp ||= !read.hasMore;
    // A daemon that is about to end answers at once.
    if (read.events.length === 0) await pause(AFTER_NOTHING_MS, over);
  }
}

const pause = (ms: number, over: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal: over }).catch(() => {});

async function readPage(
  feed: Feed,
  cursor: string | undefined,
  waitSeconds: number,
  over: AbortSignal,
): Promise<FeedPage | Setback> {
  const url = new URL(`${feed.api}/v1/businesses/${encodeURIComponent(feed.business)}/changes`);
  url.searchParams.set("limit", String(MAX_LIMIT));
  url.searchParams.set("wait", String(waitSeconds));
  if (cursor !== undefined) url.searchParams.set("after", cursor);
  const signal = AbortSignal.any([over, AbortSignal.timeout(waitSeconds * 1000 + PATIENCE_MS)]);
  let response: Response;
  let body: unknown;
  try {
    // A key is for the address that was named, and for none that this sends to.
    response = await fetch(url, {
      headers: { authorization: `Bearer ${feed.key}` },
      redirect: "manual",
      signal,
    });
    body = parse(await response.text());
  } catch (error) {
    return { why: reasonOf(error), afterMs: undefined };
  }
  if (response.status === 429 || response.status >= 500)
    return { why: detailOf(body) ?? `answers ${response.status}`, afterMs: pauseIn(response) };
  if (!response.ok) throw refusal(response.status, detailOf(body), feed);
  return toPage(body) ?? { why: "does not answer as deskbell does", afterMs: undefined };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toPage(body: unknown): FeedPage | undefined {
  const { data, page } = (body ?? {}) as {
    data?: unknown;
    page?: { nextCursor?: unknown; hasMore?: unknown };
  };
  if (!Array.isArray(data) || !data.every(isEvent) || typeof page?.nextCursor !== "string")
    return undefined;
  return { events: data, cursor: page.nextCursor, hasMore: page.hasMore === true };
}

const isEvent = (value: { id?: unknown; type?: unknown } | null): value is FeedEvent =>
  typeof value?.id === "string" && typeof value.type === "string";

const detailOf = (body: unknown): string | undefined => {
  const { detail } = (body ?? {}) as { detail?: unknown };
  return typeof detail === "string" ? detail : undefined;
};

function pauseIn({ headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds * 1000, 3_600_000) : undefined;
}

/** fetch says what went wrong below its error. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === "TimeoutError") return "does not answer";
  return cause?.code === undefined ? "cannot be reached" : `cannot be reached (${cause.code})`;
}

function refusal(status: number, detail: string | undefined, { api, business }: Feed): AppError {
  const [code, fix] = MEANING[status] ?? [
    "state_refuses",
    "see that --api names deskbell's own address",
  ];
  return new AppError(
    code,
    detail ?? `${api} answers ${status} for the changes of '${business}'.`,
    { fix },
  );
}

const MEANING: Record<number, [ErrorCode, string]> = {
  400: ["usage", "see the cursor of --after: it is what this command printed at its end"],
  401: ["not_permitted", "give the whole key, as it was printed when it was made"],
  403: [
    "not_permitted",
    "a key of this business with webhooks.read: deskbell keys create --scope webhooks.read",
  ],
  404: ["business_not_found", "see --business, and that --api names deskbell's own address"],
  410: ["cursor_expired", "read every list anew over the API, then listen without --after"],
};
