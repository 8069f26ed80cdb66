import type { Runtime } from "../runtime.ts";
import type { RateCountRow } from "../../store/daemon-rows.ts";

/** The longest rate-limit window. */
const WINDOW_SECONDS = 3600;

/**
 * Returns the requests that earlier processes counted inside the window, with their times moved by
 * `shift` seconds. The shift is negative if the clock was set back since, so that no time is in the
 * future.
 */
export function loadRateCounts(rt: Runtime): { rows: RateCountRow[]; shift: number } {
  const now = Math.floor(rt.now() / 1000);
  const rows = rt.store.rateCounts.list();
  const shift = Math.min(0, now - (rows.at(-1)?.second ?? now));
  return {
    shift,
    rows: rows
      .map((row) => ({ ...row, second: row.second + shift }))
      .filter(({ second }) => second > now - WINDOW_SECONDS),
  };
}

/** @param shift seconds to add to the times that are already saved */
export function saveRateCounts(rt: Runtime, rows: readonly RateCountRow[], shift: number): void {
  const { rateCounts } = rt.store;
  rt.tx(() => {
    if (shift !== 0) {
      const saved = rateCounts.list();
      rateCounts.deleteAll();
      for (const row of saved) rateCounts.upsert({ ...row, second: row.second + shift });
    }
    for (const row of rows) rateCounts.upsert(row);
    rateCounts.deleteBefore(Math.floor(rt.now() / 1000) - WINDOW_SECONDS);
  });
}
