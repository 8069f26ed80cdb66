import type { Config } from "../config.ts";
import type { AttemptNotice } from "./delivery-worker.ts";

/** The data that the delivery thread starts with. It reports attempts if `isWatched`. */
export type ThreadData = { config: Config; isWatched: boolean };
/** A message to the delivery thread. */
export type WorkerCommand = { type: "wake" } | { type: "stop" };
/** A message from the delivery thread. */
export type WorkerMessage = { type: "started" } | { type: "attempt"; attempt: AttemptNotice };
