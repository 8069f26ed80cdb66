import { setTimeout as delay } from "node:timers/promises";
import { LOCK_BREAK_MS } from "../../store/write-lock.ts";
import type { Runtime } from "../runtime.ts";
import { pruneHosts } from "../webhooks/host-limits.ts";

const DAY_MS = 86_400_000;
const ENDED_RETENTION_MS = 30 * DAY_MS;
const UNRESOLVED_RETENTION_MS = 90 * DAY_MS;
const RESPONSE_RETENTION_MS = 7 * DAY_MS;
const STATISTICS_RETENTION_MS = 30 * DAY_MS;
const AUDIT_RETENTION_MS = 400 * DAY_MS;
const MAX_BYTES = 1024 ** 3;
/** Rows per transaction: few enough not to block other writers. */
const BATCH_ROWS = 500;

/** Returns the last number it reached, or undefined at the end. */
type Batch = (after: number) => number | undefined;

/**
 * Deletes events, deliveries, statistics and audit entries after their retention period, and above
 * a file size the oldest delivered events earlier. Undelivered ones stay for their whole period.
 */
export function createPruner(rt: Runtime, { maxBytes = MAX_BYTES } = {}): () => Promise<void> {
  const { audit, endpointSecrets, file, retention, tallies } = rt.store;
  let responsesPrunedTo = 0;

  async function runBatches(batch: Batch, mayContinue: () => boolean = () => true): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined && mayContinue();) {
      const from: number = after;
      after = rt.tx(() => batch(from));
      // Let deliveries and other writers proceed between batches.
      await delay(LOCK_BREAK_MS);
    }
  }

  return async () => {
    const now = rt.now();
    const unresolved = now - UNRESOLVED_RETENTION_MS;
    await runBatches((after) =>
      retention.pruneEvents(after, BATCH_ROWS, { ended: now - ENDED_RETENTION_MS, unresolved }),
    );
    await runBatches((after) => {
      const last = retention.pruneResponses(
        Math.max(after, responsesPrunedTo),
        BATCH_ROWS,
        now - RESPONSE_RETENTION_MS,
      );
      if (last !== undefined) responsesPrunedTo = last;
      return last;
    });
    const isTooLarge = () => file.getUsedBytes() > maxBytes;
    await runBatches(
      (after) => retention.pruneEvents(after, BATCH_ROWS, { ended: now + 1, unresolved }),
      isTooLarge,
    );
    rt.tx(() => {
      endpointSecrets.deleteExpired(now);
      pruneHosts(rt);
      audit.deleteBefore(now - AUDIT_RETENTION_MS);
      tallies.deleteMinutesBefore(now - STATISTICS_RETENTION_MS);
    });
  };
}
