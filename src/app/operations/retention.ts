import { setTimeout as delay } from "node:timers/promises";
import type { Cutoffs, PrunedBatch } from "../../store/history.ts";
import { LOCK_BREAK_MS } from "../../store/database/write-lock.ts";
import { pruneHolds, pruneKeyVisits, pruneVisitors } from "../bookings/booking-limits.ts";
import { eraseExpiredGuests } from "../guests/erase-visits.ts";
import { pruneReplies } from "../idempotent-replies.ts";
import { loadFromFeatures } from "../../features/index.ts";
import type { Runtime } from "../runtime.ts";
import { pruneHosts } from "../webhooks/host-limits.ts";
import { createRetentionClock } from "./retention-clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The minimum number of days for which exhausted, parked and corrupt deliveries are kept. */
const UNRESOLVED_RETENTION_DAYS = 90;
const RESPONSE_RETENTION_MS = 7 * DAY_MS;
const STATISTICS_RETENTION_MS = 30 * DAY_MS;
const AUDIT_RETENTION_MS = 400 * DAY_MS;
/**
 * How long time off is kept after its end. It is not kept longer, because its reason can be about a
 * person's health.
 */
const TIME_OFF_RETENTION_MS = 90 * DAY_MS;
const BATCH_ROWS = 100;
/**
 * A transaction ends after the batch that exceeds this time, so that other writers wait no longer.
 */
const SLICE_MS = 20;
/**
 * The time after which the pruner starts again at the oldest row. A row that it has already read
 * can become deletable, for example when the endpoint of a parked delivery is enabled.
 */
const RESTART_MS = HOUR_MS;

type Batch = (after: number) => Pick<PrunedBatch, "next">;
/**
 * The position of the pruner in a table: `after` is the number of the last row that it has read.
 */
type RowPosition = { after: number };

/**
 * The times (epoch ms) of a deletion. `now` decides which rows are old, and can be behind the wall
 * clock. A deletion that writes a time takes it from the wall clock. Events since `keptSince` are
 * still stored.
 */
export type Expiry = { now: number; keptSince: number };

/**
 * Reads the next `limit` rows of a feature after the row number `after`, and deletes the old ones.
 * Returns the number of the last row that was read, or undefined at the end of the table.
 */
export type ExpiringRows = (
  rt: Runtime,
  after: number,
  limit: number,
  expiry: Expiry,
) => number | undefined;

/**
 * Deletes events, deliveries, rows of deleted endpoints, statistics, audit entries, guest data, time
 * off and old rows of features after their retention period. If the history is larger than its
 * budget, the oldest delivered events and rows of features are deleted earlier; undelivered events
 * stay for their whole period.
 */
export function createPruner(rt: Runtime, clock = createRetentionClock(rt)): () => Promise<void> {
  /**
   * A runtime for functions that delete rows and write no time. Its clock can be behind the wall
   * clock.
   */
  const deleting: Runtime = { ...rt, now: clock.now };
  const { audit, endpointSecrets, eventAvailability, history, retention, tallies, timeOff } =
    rt.store;
  const { keepDays, maxBytes } = rt.config.history;
  // Each run continues where the previous run ended. Otherwise each run would read the millions of
  // parked events that cannot be deleted yet.
  const positions = {
    ended: { after: 0 },
    size: { after: 0 },
    responses: { after: 0 },
  };
  const featurePositions = new Map<ExpiringRows, RowPosition>();
  let restartedAt = rt.monotonic();
  let guestsErasedAt = -Infinity;

  function restartIfDue(): void {
    if (rt.monotonic() - restartedAt < RESTART_MS) return;
    restartedAt = rt.monotonic();
    for (const position of Object.values(positions)) position.after = 0;
    featurePositions.clear();
  }

  /** Runs batches, and moves `position` past the rows of each. */
  async function runBatches(
    position: RowPosition,
    batch: Batch,
    mayContinue: () => boolean = () => true,
  ): Promise<void> {
    for (let isEnd = false; !isEnd && mayContinue();) {
      isEnd = rt.tx(() => runSlice(position, batch, mayContinue));
      // The pause lets deliveries and other writers proceed between two slices.
      await delay(LOCK_BREAK_MS);
    }
  }

  /** Returns whether no batch is left. */
  function runSlice(position: RowPosition, batch: Batch, mayContinue: () => boolean): boolean {
    const until = rt.monotonic() + SLICE_MS;
    do {
      const { next } = batch(position.after);
      if (next === undefined) return true;
      position.after = next;
    } while (rt.monotonic() < until && mayContinue());
    return false;
  }

  async function pruneBySize(unresolved: number): Promise<void> {
    // Every delivered event can be deleted, however new it is, even if the clock was ahead when the
    // event was written.
    const ended = rt.now() + 1;
    await runBatches(
      positions.size,
      (after) => {
        const batch = retention.pruneEvents(after, BATCH_ROWS, { ended, unresolved });
        const { deletedUntil } = batch;
        if (deletedUntil > (history.get().cutUntil ?? 0)) history.saveCutUntil(deletedUntil);
        return batch;
      },
      () => history.get().bytes > maxBytes,
    );
  }

  async function pruneFeatures(ended: number): Promise<void> {
    const keptSince = Math.max(ended, (history.get().cutUntil ?? 0) + 1);
    for (const prune of await loadFromFeatures("retention")) {
      const position = featurePositions.getOrInsert(prune, { after: 0 });
      await runBatches(position, (after) => ({
        next: prune(rt, after, BATCH_ROWS, { now: clock.now(), keptSince }),
      }));
    }
  }

  /** The erasure reads every guest, so it does not run each time. */
  async function eraseGuestsHourly(): Promise<void> {
    if (rt.monotonic() - guestsErasedAt < HOUR_MS) return;
    await eraseExpiredGuests(rt, clock.now);
    guestsErasedAt = rt.monotonic();
  }

  return async () => {
    clock.update();
    const now = clock.now();
    // Events are deleted once they are older than `ended`. Events with exhausted, parked or corrupt
    // deliveries are deleted once they are older than `unresolved`.
    const unresolved = now - Math.max(UNRESOLVED_RETENTION_DAYS, keepDays) * DAY_MS;
    const ended = now - keepDays * DAY_MS;
    const pruneEvents = (position: RowPosition, cutoffs: Cutoffs): Promise<void> =>
      runBatches(position, (after) => retention.pruneEvents(after, BATCH_ROWS, cutoffs));
    restartIfDue();
    // This pass starts at the oldest event in each run. The next run reads few events again: of the
    // events older than `unresolved`, this pass leaves only events with pending deliveries.
    await pruneEvents({ after: 0 }, { ended: unresolved, unresolved });
    await pruneEvents(positions.ended, { ended, unresolved });
    await runBatches(positions.responses, (after) =>
      retention.pruneResponses(after, BATCH_ROWS, now - RESPONSE_RETENTION_MS),
    );
    await pruneBySize(unresolved);
    // A deleted endpoint is kept for its deliveries, which were deleted above.
    await runBatches({ after: 0 }, (after) => retention.pruneEndpoints(after, BATCH_ROWS, ended));
    await pruneFeatures(ended);
    await eraseGuestsHourly();
    rt.tx(() => {
      // The time is read again, because the clock may have been set since the start, which moves
      // the times when secrets end.
      const now = clock.now();
      endpointSecrets.deleteExpired(now);
      pruneHosts(deleting);
      pruneReplies(deleting);
      pruneHolds(deleting);
      pruneVisitors(deleting);
      pruneKeyVisits(deleting);
      eventAvailability.deleteSent(now);
      timeOff.deleteEndedBefore(now - TIME_OFF_RETENTION_MS);
      audit.deleteBefore(now - AUDIT_RETENTION_MS);
      tallies.deleteMinutesBefore(now - STATISTICS_RETENTION_MS);
    });
  };
}
