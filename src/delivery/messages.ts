import type { Config } from "../config.ts";
import type { AttemptNotice } from "./delivery-worker.ts";

/** What the courier's thread is given to start with. */
export type ThreadData = { config: Config; isWatched: boolean };
/** What it is told. */
export type WorkerCommand = { type: "wake" } | { type: "stop" };
/** What it tells. */
export type WorkerMessage = { type: "started" } | { type: "attempt"; attempt: AttemptNotice };
