import { setTimeout as delay } from "node:timers/promises";
import { byteSize } from "../../domain/text.ts";
import type { PrunedBatch } from "../../store/retention.ts";
import { LOCK_BREAK_MS } from "../../store/write-lock.ts";
import { pruneReplies } from "../idempotent-replies.ts";
import type { Runtime } from "../runtime.ts";
import { type Alert, makeServerAlert } from "../webhooks/alerts.ts";
import { pruneHosts } from "../webhooks/host-limits.ts";
import { isoSeconds } from "./health-conditions.ts";
import { readHistory } from "./history.ts";

const DAY_MS = 86_400_000;
const UNRESOLVED_RETENTION_DAYS = 90;
const RESPONSE_RETENTION_MS = 7 * DAY_MS;
const STATISTICS_RETENTION_MS = 30 * DAY_MS;
const AUDIT_RETENTION_MS = 400 * DAY_MS;
const BATCH_ROWS = 100;
/** A transaction ends after the batch that exceeds it, so that other writers wait no longer. */
const SLICE_MS = 20;

type Batch = (after: number) => PrunedBatch;

/**
 * Deletes events, deliveries, statistics and audit entries after their retention period. If the
 * history is larger than its budget, the oldest delivered events are deleted earlier; undelivered
 * ones stay for their whole period.
 */
export function createPruner(
  rt: Runtime,
  onAlert: (alert: Alert) => void = () => {},
): () => Promise<void> {
  const { audit, endpointSecrets, history, retention, tallies } = rt.store;
  const { keepDays, maxBytes } = rt.config.history;
  let responsesPrunedTo = 0;
  let isCutReported = readHistory(rt).cutUntil !== null;

  async function runBatches(batch: Batch, mayContinue: () => boolean = () => true): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined && mayContinue();) {
      const from: number = after;
      after = rt.tx(() => runSlice(batch, from, mayContinue));
      // Let deliveries and other writers proceed between slices.
      await delay(LOCK_BREAK_MS);
    }
  }

  function runSlice(batch: Batch, from: number, mayContinue: () => boolean): number | undefined {
    const until = rt.monotonic() + SLICE_MS;
    let after: number | undefined = from;
    do after = batch(after).next;
    while (after !== undefined && rt.monotonic() < until && mayContinue());
    return after;
  }

  async function pruneBySize(unresolved: number): Promise<void> {
    const now = rt.now();
    await runBatches(
      (after) => {
        const batch = retention.pruneEvents(after, BATCH_ROWS, { ended: now + 1, unresolved });
        const { deletedUntil } = batch;
        if (deletedUntil > (history.get().cutUntil ?? 0)) history.saveCutUntil(deletedUntil);
        return batch;
      },
      () => history.get().bytes > maxBytes,
    );
  }

  function reportCut(): void {
    const { cutUntil } = readHistory(rt);
    if (cutUntil !== null && !isCutReported)
      onAlert(
        makeServerAlert(
          rt,
          "history.cut",
          `The history is larger than ${byteSize(maxBytes)}: delivered events up to ${isoSeconds(cutUntil)} were deleted before their ${keepDays} days were up`,
        ),
      );
    isCutReported = cutUntil !== null;
  }

  return async () => {
    const now = rt.now();
    const unresolved = now - Math.max(UNRESOLVED_RETENTION_DAYS, keepDays) * DAY_MS;
    const cutoffs = { ended: now - keepDays * DAY_MS, unresolved };
    await runBatches((after) => retention.pruneEvents(after, BATCH_ROWS, cutoffs));
    await runBatches((after) => {
      const from = Math.max(after, responsesPrunedTo);
      const batch = retention.pruneResponses(from, BATCH_ROWS, now - RESPONSE_RETENTION_MS);
      responsesPrunedTo = batch.next ?? responsesPrunedTo;
      return batch;
    });
    await pruneBySize(unresolved);
    reportCut();
    rt.tx(() => {
      endpointSecrets.deleteExpired(now);
      pruneHosts(rt);
      pruneReplies(rt);
      audit.deleteBefore(now - AUDIT_RETENTION_MS);
      tallies.deleteMinutesBefore(now - STATISTICS_RETENTION_MS);
    });
  };
}
