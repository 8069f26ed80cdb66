import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gzip } from "node:zlib";
import { featureThread } from "../../platform/assets.ts";
import type { Config } from "../../config.ts";
import type { Feed } from "./feed.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import type { EncodedBodies } from "../../http/pipeline/cached-response.ts";

export type FeedThreadData = { config: Config };
/** A request to the thread; `request` identifies the reply. */
export type FeedRequest = { request: string; calendarId: string; today: number };
export type FeedReply = { request: string } & ({ body: Uint8Array } | { error: string });

type Pending = { resolve: (body: Buffer) => void; reject: (error: Error) => void };

/**
 * The idle thread ends after this time, to free its memory. It does not end at once, because many
 * phones poll in the same minute.
 */
const IDLE_MS = 30_000;
/**
 * The last body of a feed is kept for this time, because a stranger may read a leaked URL in a
 * loop.
 */
const BODY_KEPT_MS = 30_000;
/** The total size of the kept bodies before compression; a larger body is not kept. */
const MAX_KEPT_BYTES = 16_000_000;

/** Writes calendar feeds in a thread, which runs only while feeds are read. */
export function createCalendarFeeds(config: Config) {
  /** The requests without a reply, by the revision of the feed, which identifies the reply. */
  const pending = new Map<string, Pending>();
  const inFlight = new Map<string, Promise<Buffer>>();
  const keptBodies = new BoundedCache<string, { revision: string; body: Buffer }>(
    MAX_KEPT_BYTES,
    ({ body }) => body.length,
  );
  const compressed = new WeakMap<Buffer, Promise<Buffer>>();
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const workerData: FeedThreadData = { config: { ...config, mayCreate: false } };
    const code = featureThread("calendars");
    const started = new Worker(code, { eval: typeof code === "string", workerData });
    // `unref` lets the daemon exit while the thread waits for requests.
    started.unref();
    started.on("message", (reply: FeedReply) => {
      const { resolve, reject } = pending.get(reply.request) ?? {};
      pending.delete(reply.request);
      if ("body" in reply) resolve?.(Buffer.from(reply.body.buffer as ArrayBuffer));
      else reject?.(new Error(reply.error));
      if (pending.size === 0) idleTimer = setTimeout(stop, IDLE_MS).unref();
    });
    started.on("error", fail);
    // A thread that `stop` has ended can exit after the next thread was started. The requests to
    // the next thread must not fail then.
    started.on("exit", () => worker === started && fail(new Error("The calendar thread ended.")));
    return started;
  }

  /** Rejects all pending requests; the next request starts a new thread. */
  function fail(error: Error): void {
    worker = undefined;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  }

  function stop(): void {
    clearTimeout(idleTimer);
    const stopped = worker;
    fail(new Error("The server is stopping."));
    void stopped?.terminate();
  }

  function requestBody(calendarId: string, { revision, today }: Feed): Promise<Buffer> {
    clearTimeout(idleTimer);
    worker ??= start();
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    pending.set(revision, { resolve, reject });
    const request: FeedRequest = { request: revision, calendarId, today };
    worker.postMessage(request);
    return promise
      .then((body) => {
        keptBodies.set(calendarId, { revision, body });
        setTimeout(() => keptBodies.delete(calendarId), BODY_KEPT_MS).unref();
        return body;
      })
      .finally(() => inFlight.delete(revision));
  }

  /** Returns the body of a feed; requests for the same revision share it. */
  async function getBody(calendarId: string, feed: Feed): Promise<Buffer> {
    const { revision } = feed;
    const last = keptBodies.get(calendarId);
    if (last?.revision === revision) return last.body;
    const requested = inFlight.get(revision) ?? requestBody(calendarId, feed);
    inFlight.set(revision, requested);
    return requested;
  }

  async function getCompressed(calendarId: string, feed: Feed): Promise<Buffer> {
    const body = await getBody(calendarId, feed);
    const bytes = compressed.get(body) ?? promisify(gzip)(body);
    compressed.set(body, bytes);
    return bytes;
  }

  return {
    /** Returns functions that write the feed as iCalendar; a 304 response calls none of them. */
    encode: (calendarId: string, feed: Feed): EncodedBodies => ({
      identity: () => getBody(calendarId, feed),
      gzip: () => getCompressed(calendarId, feed),
    }),
    stop,
  };
}
