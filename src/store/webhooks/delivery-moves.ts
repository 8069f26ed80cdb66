import { type Db, columns } from "../database/db.ts";
import type { DeliveryStatus } from "../../domain/webhooks/settle.ts";
import { toSqlCondition, type DeliveryFilter } from "./deliveries.ts";
import { makeDue, type RedeliverableRow } from "./own-redeliveries.ts";
import { createTallyChanges, createTallyStore } from "./tallies.ts";

const CANCELLABLE: DeliveryStatus[] = ["PENDING", "PARKED", "CORRUPT"];

/**
 * Returns the SQL source and condition of a filter with a status. The source names the index of a
 * rare status, which the query planner would not choose by itself. No index is named for a filter
 * with an ID, because the primary key is faster.
 */
function selectStatus(filter: DeliveryFilter, status: DeliveryStatus) {
  const { where, parameters } = toSqlCondition({ ...filter, status });
  const needsIndex = filter.id === undefined && status !== "PENDING";
  return {
    source: needsIndex ? "delivery INDEXED BY delivery_undelivered" : "delivery",
    condition: where,
    parameters,
  };
}

/**
 * Returns the SQL condition of the deliveries that can be sent again: they have ended or wait for a
 * retry, and their endpoint is active.
 */
function redeliverableOf({ id, status }: DeliveryFilter): string {
  // A delivery that a rate-limited redelivery has not sent yet can be sent at once by its ID.
  // Cancelled deliveries are sent again only if the filter has an ID or a status.
  const waiting =
    id === undefined ? "attempt_count > 0" : "(attempt_count > 0 OR is_redelivery = 1)";
  const ended = ["DELIVERED", "EXHAUSTED"];
  if (id !== undefined || status !== undefined) ended.push("CANCELLED");
  return `(status IN ('${ended.join("', '")}') OR status = 'PENDING' AND ${waiting})
  AND endpoint_id IN (SELECT id FROM endpoint WHERE status = 'ACTIVE' AND deleted_at IS NULL)`;
}

export type RedeliveryBatch = {
  /** The batch takes deliveries with a `number` above `after`, up to `upTo`. */
  after: number;
  upTo: number;
  limit: number;
  /** When the first delivery is due; each following one is due `stepMs` later. */
  at: number;
  stepMs: number;
};

export function createDeliveryMoveStore(db: Db) {
  const tallies = createTallyStore(db);

  const cancellable = ({ status }: DeliveryFilter): DeliveryStatus[] =>
    CANCELLABLE.filter((one) => status === undefined || status === one);

  function cancel(filter: DeliveryFilter): number {
    const tallyChanges = createTallyChanges();
    let cancelled = 0;
    for (const status of cancellable(filter)) {
      const { source, condition, parameters } = selectStatus(filter, status);
      const counted = db
        .prepare(
          `SELECT business_id AS businessId, count(*) AS count FROM ${source} WHERE ${condition} GROUP BY 1`,
        )
        .all(parameters) as { businessId: string; count: number }[];
      for (const { businessId, count } of counted) {
        tallyChanges.add(businessId, status, -count);
        tallyChanges.add(businessId, "CANCELLED", count);
      }
      const { changes } = db
        .prepare(
          `UPDATE ${source} SET status = 'CANCELLED', next_attempt_at = NULL WHERE ${condition}`,
        )
        .run(parameters);
      cancelled += changes;
    }
    tallyChanges.write(tallies);
    return cancelled;
  }

  function countCancellable(filter: DeliveryFilter): number {
    const counts = cancellable(filter).map((status) => {
      const { source, condition, parameters } = selectStatus(filter, status);
      return db
        .prepare(`SELECT count(*) FROM ${source} WHERE ${condition}`)
        .pluck()
        .get(parameters) as number;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** @param ofStatus an SQL condition */
  function countUntried(filter: DeliveryFilter, ofStatus: string): number {
    const { where, parameters } = toSqlCondition(filter);
    const untried = "is_redelivery = 1 AND attempt_count = attempts_before";
    return db
      .prepare(`SELECT count(*) FROM delivery WHERE ${where} AND ${ofStatus} AND ${untried}`)
      .pluck()
      .get(parameters) as number;
  }

  return {
    countCancellable,
    cancel,

    /** Counts the redeliveries without an attempt that wait to be sent. */
    countUntriedRedeliveries: (filter: DeliveryFilter): number =>
      countUntried(filter, "status = 'PENDING'"),

    /** Counts the redeliveries without an attempt that were parked or cancelled, or are corrupt. */
    countStoppedRedeliveries: (filter: DeliveryFilter): number =>
      countUntried(filter, "status <> 'PENDING'"),

    countRedeliverable(filter: DeliveryFilter): number {
      const { where, parameters } = toSqlCondition(filter);
      return db
        .prepare(`SELECT count(*) FROM delivery WHERE ${where} AND ${redeliverableOf(filter)}`)
        .pluck()
        .get(parameters) as number;
    },

    /**
     * Makes the next batch of deliveries due again, ordered by number. The retry schedule starts
     * over.
     * @returns in `count` how many deliveries it made due, and in `last` the `number` of the last
     * one; `last` is `upTo` if the batch is empty
     */
    redeliver(
      filter: DeliveryFilter,
      { after, upTo, limit, at, stepMs }: RedeliveryBatch,
    ): { count: number; last: number } {
      const { where, parameters } = toSqlCondition(filter);
      const chosen = db
        .prepare(`
          SELECT number, id, business_id AS businessId, status FROM delivery
          WHERE ${where} AND ${redeliverableOf(filter)} AND number > :after AND number <= :upTo ORDER BY number LIMIT :limit`)
        .all({ ...parameters, after, upTo, limit }) as RedeliverableRow[];
      makeDue(db, chosen, at, stepMs);
      return { count: chosen.length, last: chosen.at(-1)?.number ?? upTo };
    },
  };
}

/** What happens to an endpoint's backlog when it is disabled, enabled or deleted. */
export type BacklogMove =
  | { move: "PARK" | "CANCEL"; recoverSince: null }
  /** Parked deliveries created before `recoverSince` (epoch ms) are cancelled. */
  | { move: "RECOVER"; recoverSince: number };

export type BacklogCounts = { parked: number; recovered: number; cancelled: number };

export type UnfinishedMove = BacklogMove & { endpointId: string; businessId: string | null };

type Step = {
  from: "PENDING" | "PARKED" | "CORRUPT";
  to: DeliveryStatus;
  /** The name of the count that increases by the number of moved deliveries. */
  counts: keyof BacklogCounts;
  /** The columns to set besides the status, in SQL. */
  set: string;
  /** A further condition of the rows to move, in SQL. */
  where?: string;
};

const NEVER_DUE = "next_attempt_at = NULL";

const STEPS: Record<BacklogMove["move"], Step[]> = {
  PARK: [{ from: "PENDING", to: "PARKED", counts: "parked", set: NEVER_DUE }],
  RECOVER: [
    {
      from: "PARKED",
      to: "CANCELLED",
      counts: "cancelled",
      set: NEVER_DUE,
      where: "created_at < :since",
    },
    // Deliveries of a slice become due at the same time, and are then ordered by number.
    {
      from: "PARKED",
      to: "PENDING",
      counts: "recovered",
      set: "next_attempt_at = :now, is_redelivery = 1, attempts_before = attempt_count",
      where: "created_at >= :since",
    },
  ],
  CANCEL: (["PENDING", "PARKED", "CORRUPT"] as const).map((from) => ({
    from,
    to: "CANCELLED",
    counts: "cancelled",
    set: NEVER_DUE,
  })),
};

/** The partial index of each status, which the query planner would not choose. */
const INDEXES = {
  PENDING: "delivery_due",
  PARKED: "delivery_parked",
  CORRUPT: "delivery_corrupt",
} as const;

/** The value of LIMIT that sets no limit. */
const UNLIMITED = -1;

const sourceOf = ({ from, where = "TRUE" }: Step): string =>
  `delivery INDEXED BY ${INDEXES[from]} WHERE endpoint_id = :endpointId AND status = '${from}' AND ${where}`;

export function createBacklogMoveStore(db: Db) {
  const tallies = createTallyStore(db);
  const selectUnfinished = db.prepare(`
    SELECT id AS endpointId, ${columns("business_id, recover_since")}, backlog_move AS move FROM endpoint
    WHERE backlog_move IS NOT NULL ORDER BY id`);
  const setMove = db.prepare(
    "UPDATE endpoint SET backlog_move = :move, recover_since = :recoverSince WHERE id = :endpointId",
  );

  const countMoved = (businessId: string, { from, to }: Step, count: number): void => {
    tallies.add(businessId, from, -count);
    tallies.add(businessId, to, count);
  };

  return {
    /** Returns the moves that are not finished, including those of deleted endpoints. */
    listUnfinished: () => selectUnfinished.all() as UnfinishedMove[],
    start: (endpointId: string, move: BacklogMove) => void setMove.run({ endpointId, ...move }),
    finish: (endpointId: string) =>
      void setMove.run({ endpointId, move: null, recoverSince: null }),

    /**
     * Returns the number of deliveries that the move will change.
     * @param limit the maximum to count for each status. A count in a transaction needs a limit,
     * because other writers wait until it ends
     */
    count(
      endpointId: string,
      { move, recoverSince: since }: BacklogMove,
      limit = UNLIMITED,
    ): BacklogCounts {
      const counts: BacklogCounts = { parked: 0, recovered: 0, cancelled: 0 };
      for (const step of STEPS[move])
        counts[step.counts] += db
          .prepare(`SELECT count(*) FROM (SELECT 1 FROM ${sourceOf(step)} LIMIT :limit)`)
          .pluck()
          .get({ endpointId, since, limit }) as number;
      return counts;
    },

    /**
     * Moves up to `limit` deliveries, the oldest first.
     * @returns false if more deliveries may be left
     */
    moveSlice(
      { endpointId, businessId, move, recoverSince: since }: UnfinishedMove,
      now: number,
      limit: number,
    ): boolean {
      let left = limit;
      for (const step of STEPS[move]) {
        const update = db.prepare(`
            UPDATE delivery SET status = '${step.to}', ${step.set}
            WHERE number IN (SELECT number FROM ${sourceOf(step)} LIMIT :left)
            ${businessId === null ? "RETURNING business_id" : ""}`);
        const parameters = { endpointId, since, now, left };
        if (businessId === null) {
          // A partner's endpoint has deliveries of several businesses, so the moved rows are
          // counted for each business.
          const moved = update.pluck().all(parameters) as string[];
          for (const [id, { length }] of Map.groupBy(moved, (one) => one))
            countMoved(id, step, length);
          left -= moved.length;
        } else {
          const { changes } = update.run(parameters);
          countMoved(businessId, step, changes);
          left -= changes;
        }
        if (left === 0) return false;
      }
      return true;
    },
  };
}
