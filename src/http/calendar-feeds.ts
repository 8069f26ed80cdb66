import { Worker } from "node:worker_threads";
import { calendarThread } from "../assets.ts";
import type { Config } from "../config.ts";
import type { Feed } from "../app/calendars/feed.ts";

export type FeedThreadData = { config: Config };
/** `request`: identifies the reply. */
export type FeedRequest = { request: string; calendarId: string; today: number };
export type FeedReply = { request: string } & ({ body: Uint8Array } | { error: string });

type Pending = { resolve: (body: Buffer) => void; reject: (error: Error) => void };

/** Phones poll in the same minutes; between these, the thread would only keep memory. */
const IDLE_MS = 30_000;

export type CalendarFeeds = ReturnType<typeof createCalendarFeeds>;

/** Writes calendar feeds in a thread, which runs only while feeds are read. */
export function createCalendarFeeds(config: Config) {
  const pending = new Map<string, Pending>();
  const inFlight = new Map<string, Promise<Buffer>>();
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const workerData: FeedThreadData = { config: { ...config, mayCreate: false } };
    const code = calendarThread();
    const started = new Worker(code, { eval: typeof code === "string", workerData });
    // The daemon stops although the thread waits for requests.
    started.unref();
    started.on("message", (reply: FeedReply) => {
      const { resolve, reject } = pending.get(reply.request) ?? {};
      pending.delete(reply.request);
      if ("body" in reply) resolve?.(Buffer.from(reply.body.buffer as ArrayBuffer));
      else reject?.(new Error(reply.error));
      if (pending.size === 0) idleTimer = setTimeout(stop, IDLE_MS).unref();
    });
    started.on("error", fail);
    started.on("exit", () => worker === started && fail(new Error("The calendar thread ended.")));
    return started;
  }

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

  return {
    /** Returns the feed as iCalendar. Requests for the same revision share one reply. */
    write(calendarId: string, { revision, today }: Feed): Promise<Buffer> {
      const shared = inFlight.get(revision);
      if (shared) return shared;
      clearTimeout(idleTimer);
      worker ??= start();
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      pending.set(revision, { resolve, reject });
      const request: FeedRequest = { request: revision, calendarId, today };
      worker.postMessage(request);
      const written = promise.finally(() => inFlight.delete(revision));
      inFlight.set(revision, written);
      return written;
    },
    stop,
  };
}
