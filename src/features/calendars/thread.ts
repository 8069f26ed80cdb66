import { createCalendarStore } from "./store.ts";
import { parentPort, workerData } from "node:worker_threads";
import { writeFeed } from "./write-feed.ts";
import { openRuntime } from "../../app/runtime.ts";
import { DAEMON } from "../../domain/audit.ts";
import type { FeedReply, FeedRequest, FeedThreadData } from "./feeds.ts";
import { joinExactly } from "../../http/pipeline/cached-response.ts";

// Writes calendar feeds in a thread of its own: decrypting the guests of 20,000 visits takes part
// of a second, in which the main thread could serve no other request.

const BUSY_TIMEOUT_MS = 5000;

const { config } = workerData as FeedThreadData;
const rt = openRuntime(config, BUSY_TIMEOUT_MS, { actor: () => DAEMON, isDaemon: true });

parentPort?.on("message", ({ request, calendarId, today }: FeedRequest) => {
  try {
    const calendar = rt.openStore(createCalendarStore).findById(calendarId);
    if (!calendar) throw new Error("The calendar was deleted.");
    const body = joinExactly(writeFeed(rt, calendar, today));
    const reply: FeedReply = { request, body };
    parentPort?.postMessage(reply, [body.buffer as ArrayBuffer]);
  } catch (error) {
    const reply: FeedReply = { request, error: (error as Error).stack ?? String(error) };
    parentPort?.postMessage(reply);
  }
});
