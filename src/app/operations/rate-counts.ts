import type { Runtime } from "../runtime.ts";
import type { RateCountRow } from "../../store/rate-counts.ts";

/** The longest window that counts. */
const KEPT_SECONDS = 3600;

/**
 * What still counts of an earlier process.
 * @returns `shift`, negative when the clock was set back meanwhile: by so much the rows lie in the future, and count as of now
 */
export function loadRateCounts(rt: Runtime): { rows: RateCountRow[]; shift: number } {
  const now = Math.floor(rt.now() / 1000);
  const rows = rt.store.rateCounts.list();
  const shift = Math.min(0, now - (rows.at(-1)?.second ?? now));
  return {
    shift,
    rows: rows
      .map((row) => ({ ...row, second: row.second + shift }))
      .filter(({ second }) => second > now - KEPT_SECONDS),
  };
}

/** @param shift seconds by which the clock was set since the last time: what was counted is as old as it was */
export function saveRateCounts(rt: Runtime, rows: readonly RateCountRow[], shift: number): void {
  const { rateCounts } = rt.store;
  rt.tx(() => {
    if (shift !== 0) {
      const saved = rateCounts.list();
      rateCounts.deleteAll();
      for (const row of saved) rateCounts.upsert({ ...row, second: row.second + shift });
    }
    for (const row of rows) rateCounts.upsert(row);
    rateCounts.deleteBefore(Math.floor(rt.now() / 1000) - KEPT_SECONDS);
  });
}
