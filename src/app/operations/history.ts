import type { HistoryBudget } from "../../config.ts";
import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;

/** The events, deliveries, attempts and catalog changes that are stored. */
export type History = HistoryBudget & {
  /** The size is estimated from the rows. Free space in the file does not count. */
  bytes: number;
  /** The time of the oldest event (epoch ms); null if there is none. */
  oldestAt: number | null;
  /**
   * Events and catalog changes up to this time (epoch ms) were deleted before they were `keepDays`
   * old, because the history was too large. The time is null if nothing of the last `keepDays` days
   * was deleted.
   */
  cutUntil: number | null;
};

/** Returns the history with the limits of the last daemon, or of this process if none has run. */
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
