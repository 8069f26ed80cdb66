import type { EventType } from "../../domain/events/event-types.ts";
import type { DeliveryStatus, Outcome } from "../../domain/webhooks/settle.ts";
import { columns, type Db, insertInto, matching } from "../database/db.ts";
import type { EventRow } from "../events.ts";
import { createTallyChanges, createTallyStore } from "./tallies.ts";

export type DeliveryRow = {
  id: string;
  businessId: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  sequence: number;
  status: DeliveryStatus;
  attemptCount: number;
  nextAttemptAt: number | null;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: number;
  deliveredAt: number | null;
  /**
   * When the stored backoff of the endpoint ends, which may be in the past; null if no backoff is
   * stored.
   */
  endpointHeldUntil: number | null;
};

export type AttemptRow = {
  /** The number of the attempt within its delivery, from 1. */
  n: number;
  at: number;
  durationMs: number;
  outcome: Outcome["kind"];
  statusCode: number | null;
  error: string | null;
  responseText: string | null;
};

export type AttemptWithDelivery = Omit<AttemptRow, "responseText"> & {
  /**
   * The position of the attempt among the attempts of all deliveries, in the order in which they
   * ended.
   */
  number: number;
  deliveryId: string;
  businessId: string;
  endpointId: string;
  url: string;
  eventId: string;
  eventType: EventType;
  status: DeliveryStatus;
};

type NewDelivery = {
  id: string;
  endpointId: string;
  event: Omit<EventRow, "body" | "sha256" | "visitId" | "position">;
  nextAttemptAt: number | null;
};

/** How many of the latest attempts the share of failures is computed from. */
const SAMPLED_ATTEMPTS = 1000;

export const DELIVERY = `${columns(`id, business_id, endpoint_id, event_id, event_type, sequence, status,
  attempt_count, next_attempt_at, last_status_code, last_error, created_at, delivered_at`)},
  (SELECT held_until FROM endpoint WHERE id = endpoint_id) AS endpointHeldUntil`;

/**
 * How many of the latest attempts `findLastDeliveredAt` searches for a success. The number is
 * small, because readiness checks are frequent.
 */
const RECENT_ATTEMPTS = 1000;

export function createDeliveryStore(db: Db) {
  const tallies = createTallyStore(db);

  const insert = db.prepare(
    insertInto(
      "delivery",
      `id, business_id, endpoint_id, event_id, event_type, sequence, status, attempt_count,
      next_attempt_at, created_at`,
    ),
  );
  const selectById = db.prepare(`SELECT ${DELIVERY} FROM delivery WHERE id = ?`);
  const selectAttempts = db.prepare(`
    SELECT ${columns("n, at, duration_ms, outcome, status_code, error, response_text")} FROM attempt
    WHERE delivery = (SELECT number FROM delivery WHERE id = :id) ORDER BY n DESC LIMIT :most`);
  const selectLastAttemptNumber = db
    .prepare("SELECT coalesce(max(number), 0) FROM attempt")
    .pluck();
  const selectLastDelivered = db
    .prepare(`
      SELECT at FROM (SELECT at, status_code FROM attempt ORDER BY number DESC LIMIT ${RECENT_ATTEMPTS})
      WHERE status_code BETWEEN 200 AND 299 LIMIT 1`)
    .pluck();
  const selectAttemptsAfter = db.prepare(`
    SELECT delivery.id AS deliveryId, ${columns(`attempt.number, n, at, duration_ms, outcome, status_code, error,
      delivery.business_id, endpoint_id, url, event_id, event_type, delivery.status`)}
    FROM attempt JOIN delivery ON delivery.number = attempt.delivery JOIN endpoint ON endpoint.id = delivery.endpoint_id
    WHERE attempt.number > :after ORDER BY attempt.number LIMIT :limit`);

  // The query keeps only endpoints with a success between two failures, so an endpoint that failed
  // and has recovered is left out.
  const selectFailureShares = db.prepare(`
    SELECT endpointId, count(*) AS attempts, count(error) AS failed
    FROM (
      SELECT endpoint_id AS endpointId, latest.number, error,
        min(iif(error IS NULL, NULL, latest.number)) OVER endpoint AS firstFailed,
        max(iif(error IS NULL, NULL, latest.number)) OVER endpoint AS lastFailed
      FROM (SELECT number, delivery, error, at FROM attempt ORDER BY number DESC LIMIT ${SAMPLED_ATTEMPTS}) AS latest
      JOIN delivery ON delivery.number = latest.delivery
      WHERE latest.at >= :since WINDOW endpoint AS (PARTITION BY endpoint_id))
    GROUP BY endpointId
    HAVING max(error IS NULL AND number BETWEEN firstFailed AND lastFailed)`);

  const deleteResponses = db.prepare(`
    UPDATE attempt SET response_text = NULL
    WHERE delivery IN (SELECT number FROM delivery WHERE event_id = ?) AND response_text IS NOT NULL`);

  function select(selected: string, filter: DeliveryFilter, limit: number): unknown[] {
    const { where, parameters } = toSqlCondition(filter);
    return db
      .prepare(`SELECT ${selected} FROM delivery WHERE ${where} ORDER BY id DESC LIMIT :limit`)
      .all({ ...parameters, limit });
  }

  return {
    /**
     * Returns when a receiver last accepted a delivery; undefined if no recent attempt succeeded.
     */
    findLastDeliveredAt: () => selectLastDelivered.get() as number | undefined,
    /** Inserts deliveries. A delivery whose `nextAttemptAt` is null is parked. */
    insert(rows: readonly NewDelivery[]): void {
      const tallyChanges = createTallyChanges();
      for (const { id, endpointId, event, nextAttemptAt } of rows) {
        const status = nextAttemptAt === null ? "PARKED" : "PENDING";
        insert.run({
          ...event,
          id,
          endpointId,
          eventId: event.id,
          eventType: event.type,
          status,
          attemptCount: 0,
          nextAttemptAt,
        });
        tallyChanges.add(event.businessId, status, 1);
      }
      tallyChanges.write(tallies);
    },

    findById: (id: string) => selectById.get(id) as DeliveryRow | undefined,
    /** Deletes the responses to all attempts to deliver an event. */
    deleteResponses: (eventId: string) => void deleteResponses.run(eventId),
    /**
     * Lists attempts, the oldest first.
     * @param most how many of the latest attempts to list; -1 for all
     */
    listAttempts: (id: string, most = -1): AttemptRow[] =>
      (selectAttempts.all({ id, most }) as AttemptRow[]).reverse(),

    list: (filter: DeliveryFilter, limit: number) =>
      select(DELIVERY, filter, limit) as DeliveryRow[],
    /** Lists deliveries with the names of their endpoints, which may have been deleted. */
    listWithNames: (filter: DeliveryFilter, limit: number) =>
      select(
        `${DELIVERY}, (SELECT name FROM endpoint WHERE id = endpoint_id) AS endpointName`,
        filter,
        limit,
      ) as (DeliveryRow & { endpointName: string })[],

    /**
     * Counts the attempts of each endpoint since a time, and how many of them failed. An endpoint
     * without a success between two failures is left out. The counts cover only the latest
     * `SAMPLED_ATTEMPTS` attempts, because reading all attempts would take too long.
     */
    listFailureShares: (since: number) =>
      selectFailureShares.all({ since }) as {
        endpointId: string;
        attempts: number;
        failed: number;
      }[],
    getLastAttemptNumber: () => selectLastAttemptNumber.get() as number,
    /** Lists attempts of all deliveries, in the order in which they ended. */
    listAttemptsAfter: (after: number, limit: number) =>
      selectAttemptsAfter.all({ after, limit }) as AttemptWithDelivery[],
  };
}

export type DeliveryFilter = {
  id?: string | undefined;
  businessId?: string | undefined;
  endpointId?: string | undefined;
  status?: DeliveryStatus | undefined;
  eventType?: EventType | undefined;
  /** Epoch ms of creation, inclusive. */
  since?: number | undefined;
  /** Epoch ms of creation, exclusive. */
  until?: number | undefined;
  /** Selects IDs below this one. */
  before?: string | undefined;
  /** Selects deliveries whose last attempt failed, except parked and cancelled ones. */
  failed?: true | undefined;
};

const CONDITIONS: Record<Exclude<keyof DeliveryFilter, "status">, string> = {
  id: "id = :id",
  businessId: "business_id = :businessId",
  endpointId: "endpoint_id = :endpointId",
  eventType: "event_type = :eventType",
  since: "created_at >= :since",
  until: "created_at < :until",
  before: "id < :before",
  failed: "status IN ('PENDING', 'EXHAUSTED', 'CORRUPT') AND last_error IS NOT NULL",
};

/**
 * Returns the SQL condition of a status. The status is written as a literal, and a rare status
 * repeats the condition of the partial index `delivery_undelivered`, because the query planner uses
 * a partial index only if the query contains the condition of the index.
 */
const statusCondition = (status: DeliveryStatus): string =>
  status === "PENDING" || status === "DELIVERED"
    ? `status = '${status}'`
    : `status = '${status}' AND status NOT IN ('PENDING', 'DELIVERED')`;

export function toSqlCondition({ status, ...filter }: DeliveryFilter): {
  where: string;
  parameters: Record<string, unknown>;
} {
  // The condition of `failed` has no parameter.
  const { failed: _, ...parameters } = filter;
  const where = matching(CONDITIONS, filter);
  return {
    where: status === undefined ? where : `${where} AND ${statusCondition(status)}`,
    parameters,
  };
}
