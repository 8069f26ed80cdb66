import type { HistoryBudget } from "../../config.ts";
import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;

/** The events, deliveries, attempts and catalog changes that are stored. */
export type History = HistoryBudget & {
  /** Estimated from the rows; free space in the file does not count. */
  bytes: number;
  /** Epoch ms of the oldest event; null if there is none. */
  oldestAt: number | null;
  /**
   * Events and catalog changes up to this time (epoch ms) were deleted because of the size before their days were up;
   * null if none of the last `keepDays` was.
   */
  cutUntil: number | null;
};

export function readHistory(rt: Runtime): History {
  const { bytes, cutUntil, keepDays, maxBytes } = rt.store.history.get();
  const days = keepDays ?? rt.config.history.keepDays;
  return {
    bytes,
    oldestAt: rt.store.history.getOldestAt(),
    keepDays: days,
    maxBytes: maxBytes ?? rt.config.history.maxBytes,
    cutUntil: cutUntil !== null && cutUntil > rt.now() - days * DAY_MS ? cutUntil : null,
  };
}
