import type { Db } from "./db.ts";
import type { DeliveryStatus } from "../domain/webhooks/delivery-status.ts";
import { toSqlCondition, type DeliveryFilter } from "./delivery-filter.ts";
import { createTallyChanges, createTallyStore } from "./tallies.ts";

/** From where to where whole sets of deliveries go, apart from what attempts do to them. */
const MOVES = {
  park: { from: ["PENDING"], to: "PARKED", set: "next_attempt_at = NULL" },
  cancel: {
    from: ["PENDING", "PARKED", "CORRUPT"],
    to: "CANCELLED",
    set: "next_attempt_at = NULL",
  },
  // Due at once and together; their numbers then give their order.
  recover: {
    from: ["PARKED"],
    to: "PENDING",
    set: "next_attempt_at = :at, is_replay = 1, attempts_before = attempt_count",
  },
} as const satisfies Record<string, { from: DeliveryStatus[]; to: DeliveryStatus; set: string }>;

/** Those of one state. It is found by its own index, which the planner would not choose: most were delivered, and are not looked at. */
function oneState(filter: DeliveryFilter, status: DeliveryStatus) {
  const { where, parameters } = toSqlCondition({ ...filter, status });
  const hasOwnIndex = filter.id === undefined && status !== "PENDING";
  return {
    source: hasOwnIndex ? "delivery INDEXED BY delivery_undelivered" : "delivery",
    affected: `${where} AND status = '${status}'`,
    parameters,
  };
}

/** What can be sent again: what has ended, and what waits for its next attempt. Its endpoint must be there to take it. */
const REPLAYABLE = `(status IN ('DELIVERED', 'EXHAUSTED', 'CANCELLED') OR status = 'PENDING' AND attempt_count > 0)
  AND endpoint_id IN (SELECT id FROM endpoint WHERE status = 'ACTIVE' AND deleted_at IS NULL)`;
// What somebody gave up on purpose goes again only when it is asked for.
const replayableOf = ({ id, status }: DeliveryFilter): string =>
  id === undefined && status === undefined ? `${REPLAYABLE} AND status <> 'CANCELLED'` : REPLAYABLE;

export type ReplayBatch = {
  /** Numbers above this one, up to that one. */
  after: number;
  upTo: number;
  limit: number;
  /** When the first of them is due, and how much later each following one. */
  at: number;
  stepMs: number;
};

export function createDeliveryMoveStore(db: Db) {
  const tallies = createTallyStore(db);

  const statesOf = (name: keyof typeof MOVES, { status }: DeliveryFilter): DeliveryStatus[] =>
    MOVES[name].from.filter((state) => status === undefined || status === state);

  function move(name: keyof typeof MOVES, filter: DeliveryFilter, at: number): number {
    const { to, set } = MOVES[name];
    const sheet = createTallyChanges();
    let moved = 0;
    for (const status of statesOf(name, filter)) {
      const { source, affected, parameters } = oneState(filter, status);
      const counted = db
        .prepare(
          `SELECT business_id AS businessId, count(*) AS count FROM ${source} WHERE ${affected} GROUP BY 1`,
        )
        .all(parameters) as { businessId: string; count: number }[];
      for (const { businessId, count } of counted) {
        sheet.add(businessId, status, -count);
        sheet.add(businessId, to, count);
      }
      const { changes } = db
        .prepare(`UPDATE ${source} SET status = '${to}', ${set} WHERE ${affected}`)
        .run(set.includes(":at") ? { ...parameters, at } : parameters);
      moved += changes;
    }
    sheet.write(tallies);
    return moved;
  }

  /** How many `cancel` would take. */
  function countCancellable(filter: DeliveryFilter): number {
    const counts = statesOf("cancel", filter).map((status) => {
      const { source, affected, parameters } = oneState(filter, status);
      return db
        .prepare(`SELECT count(*) FROM ${source} WHERE ${affected}`)
        .pluck()
        .get(parameters) as number;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  return {
    countCancellable,
    park: (filter: DeliveryFilter): number => move("park", filter, 0),
    cancel: (filter: DeliveryFilter): number => move("cancel", filter, 0),
    recover: (filter: DeliveryFilter, at: number): number => move("recover", filter, at),

    /** Replays that have not been tried since. */
    countUntriedReplays(filter: DeliveryFilter): number {
      const { where, parameters } = toSqlCondition(filter);
      const untried = "status = 'PENDING' AND is_replay = 1 AND attempt_count = attempts_before";
      return db
        .prepare(`SELECT count(*) FROM delivery WHERE ${where} AND ${untried}`)
        .pluck()
        .get(parameters) as number;
    },

    /** How many `replay` would take in all. */
    countReplayable(filter: DeliveryFilter): number {
      const { where, parameters } = toSqlCondition(filter);
      return db
        .prepare(`SELECT count(*) FROM delivery WHERE ${where} AND ${replayableOf(filter)}`)
        .pluck()
        .get(parameters) as number;
    },

    /**
     * Makes the next ones due again, in the order of their numbers. Their attempts stay on file; their schedule begins anew.
     * @returns how many, and the number of the last of them
     */
    replay(
      filter: DeliveryFilter,
      { after, upTo, limit, at, stepMs }: ReplayBatch,
    ): { count: number; last: number } {
      const { where, parameters } = toSqlCondition(filter);
      const chosen = db
        .prepare(`
          SELECT number, business_id AS businessId, status FROM delivery
          WHERE ${where} AND ${replayableOf(filter)} AND number > :after AND number <= :upTo ORDER BY number LIMIT :limit`)
        .all({ ...parameters, after, upTo, limit }) as {
        number: number;
        businessId: string;
        status: DeliveryStatus;
      }[];
      const again = db.prepare(`
        UPDATE delivery SET status = 'PENDING', next_attempt_at = :at, delivered_at = NULL, is_replay = 1,
          attempts_before = attempt_count
        WHERE number = :number`);
      const sheet = createTallyChanges();
      for (const [i, { number, businessId, status }] of chosen.entries()) {
        again.run({ number, at: at + i * stepMs });
        sheet.move(businessId, status, "PENDING");
      }
      sheet.write(tallies);
      return { count: chosen.length, last: chosen.at(-1)?.number ?? upTo };
    },
  };
}
