import type { DeliveryStatus } from "../domain/webhooks/settle.ts";
import { columns, type Db } from "./db.ts";
import { createTallyStore } from "./tallies.ts";

/** What happens to an endpoint's backlog when it is disabled, enabled or deleted. */
export type BacklogMove =
  | { move: "PARK" | "CANCEL"; recoverSince: null }
  /** Parked deliveries created earlier (epoch ms) are cancelled. */
  | { move: "RECOVER"; recoverSince: number };

export type BacklogCounts = { parked: number; recovered: number; cancelled: number };

export type UnfinishedMove = BacklogMove & { endpointId: string; businessId: string };

type Step = {
  from: "PENDING" | "PARKED" | "CORRUPT";
  to: DeliveryStatus;
  counts: keyof BacklogCounts;
  set: string;
  /** The rows to move, of those with the status `from`. */
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
    // Deliveries of a slice become due at one time and are then ordered by number.
    {
      from: "PARKED",
      to: "PENDING",
      counts: "recovered",
      set: "next_attempt_at = :now, is_replay = 1, attempts_before = attempt_count",
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

/** The LIMIT that sets no limit. */
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

  return {
    /** The moves that are not finished, also those of deleted endpoints. */
    listUnfinished: () => selectUnfinished.all() as UnfinishedMove[],
    start: (endpointId: string, move: BacklogMove) => void setMove.run({ endpointId, ...move }),
    finish: (endpointId: string) =>
      void setMove.run({ endpointId, move: null, recoverSince: null }),

    /**
     * Returns the number of deliveries that the move will change.
     * @param limit maximum to count for each status. Other writers wait for the count, so set it in
     *   every transaction
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

    /** Moves up to `limit` deliveries, oldest first. @returns whether these were the last ones */
    moveSlice(
      { endpointId, businessId, move, recoverSince: since }: UnfinishedMove,
      now: number,
      limit: number,
    ): boolean {
      let left = limit;
      for (const step of STEPS[move]) {
        const { changes } = db
          .prepare(`
            UPDATE delivery SET status = '${step.to}', ${step.set}
            WHERE number IN (SELECT number FROM ${sourceOf(step)} LIMIT :left)`)
          .run({ endpointId, since, now, left });
        tallies.add(businessId, step.from, -changes);
        tallies.add(businessId, step.to, changes);
        left -= changes;
        if (left === 0) return false;
      }
      return true;
    },
  };
}
