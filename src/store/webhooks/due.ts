import { redactSecrets } from "../../domain/redact-secrets.ts";
import type { Settlement, DeliveryStatus } from "../../domain/webhooks/settle.ts";
import { columns, type Db, listedIn } from "../database/db.ts";
import type { AttemptRow, DeliveryRow } from "./deliveries.ts";
import { STOPS_AT } from "./endpoints.ts";

export type DueRow = Pick<
  DeliveryRow,
  "id" | "businessId" | "attemptCount" | "eventId" | "eventType" | "sequence"
> & {
  /** Numbers rise in the order in which deliveries are created. */
  number: number;
  /** The number of attempts before the last redelivery, which began the retry schedule anew. */
  attemptsBefore: number;
  /** 1 for a redelivery. */
  isRedelivery: 0 | 1;
};

const COLUMNS = columns(
  "number, id, business_id, attempt_count, attempts_before, is_redelivery, event_id, event_type, sequence",
);

/**
 * How many due deliveries of an endpoint are read at most to find deliveries of other businesses.
 * Reading that many takes about 50 ms, in which the thread sends nothing.
 */
const MAX_SEARCHED = 50_000;

function createDueLists(db: Db) {
  // Deliveries are read in the order of the index, so that a long backlog is not sorted.
  const due = db.prepare(`
    SELECT ${COLUMNS} FROM delivery
    WHERE endpoint_id = ? AND is_redelivery IN (0, 1) AND status = 'PENDING' AND next_attempt_at <= ?
    ORDER BY is_redelivery, next_attempt_at, number LIMIT ?`);
  // The index does not contain the business, so the query tests row after row until it has found
  // enough. The inner LIMIT bounds the number of tested rows. The rows come in the order of the
  // index, so SQLite sorts nothing.
  const dueOfOthers = db.prepare(`
    SELECT ${COLUMNS} FROM (
      SELECT * FROM delivery
      WHERE endpoint_id = :endpointId AND is_redelivery IN (0, 1) AND status = 'PENDING' AND next_attempt_at <= :now
      ORDER BY is_redelivery, next_attempt_at, number LIMIT ${MAX_SEARCHED})
    WHERE business_id NOT IN ${listedIn("except")}
    ORDER BY is_redelivery, next_attempt_at, number LIMIT :limit`);
  // The unary plus keeps the planner from reading the backlog in the index of due rows.
  const dueAmong = db.prepare(`
    SELECT ${COLUMNS} FROM delivery
    WHERE number IN ${listedIn("numbers")} AND +endpoint_id = :endpointId AND +status = 'PENDING' AND +next_attempt_at <= :now
    ORDER BY is_redelivery, next_attempt_at, number`);

  return {
    /** Lists due deliveries: new ones before redeliveries, then by due time. */
    listForEndpoint: (endpointId: string, now: number, limit: number) =>
      due.all(endpointId, now, limit) as DueRow[],
    /**
     * Lists due deliveries of businesses that are not in `except`, among the first MAX_SEARCHED due
     * deliveries of the endpoint.
     */
    listForEndpointExcept: (
      endpointId: string,
      now: number,
      except: readonly string[],
      limit: number,
    ) => dueOfOthers.all({ endpointId, now, except: JSON.stringify(except), limit }) as DueRow[],
    /** Lists those of the deliveries `numbers` of an endpoint that are due. */
    listForEndpointAmong: (endpointId: string, now: number, numbers: readonly number[]) =>
      dueAmong.all({ endpointId, now, numbers: JSON.stringify(numbers) }) as DueRow[],
  };
}

export function createDueStore(db: Db) {
  const selectLastNumber = db.prepare("SELECT coalesce(max(number), 0) FROM delivery").pluck();
  // The unary plus keeps the planner from scanning the whole backlog in the index of due rows.
  const selectEndpointsWithNew = db
    .prepare(
      "SELECT DISTINCT +endpoint_id FROM delivery WHERE number > :after AND number <= :upTo AND +status = 'PENDING'",
    )
    .pluck();
  // The query takes one or two index lookups per endpoint, whatever the size of the backlog.
  const selectDueEndpoints = (kinds: string) =>
    db
      .prepare(`
        SELECT id FROM endpoint WHERE status = 'ACTIVE' AND deleted_at IS NULL AND EXISTS (
          SELECT 1 FROM delivery
          WHERE endpoint_id = endpoint.id AND is_redelivery IN (${kinds}) AND status = 'PENDING' AND next_attempt_at <= ?)`)
      .pluck();
  const selectEndpointsWithDue = selectDueEndpoints("0, 1");
  const selectEndpointsWithLate = selectDueEndpoints("0");
  const shiftDue = db.prepare(`
    UPDATE delivery SET next_attempt_at = next_attempt_at + :byMs
    WHERE status = 'PENDING' AND next_attempt_at > :after AND next_attempt_at <= :until AND number <= :upTo`);
  // The query takes two index lookups per endpoint. The inner max is NULL for an endpoint without a
  // pending delivery, and the outer min ignores NULL.
  const soonestOf = (endpoints: string) =>
    db
      .prepare(`
        SELECT min(max(coalesce(held_until, 0), (SELECT min(next_attempt_at) FROM delivery
          WHERE endpoint_id = endpoint.id AND is_redelivery = kind.value AND status = 'PENDING')))
        FROM endpoint, (SELECT 0 AS value UNION ALL SELECT 1) AS kind
        WHERE endpoint.status = 'ACTIVE' AND deleted_at IS NULL AND ${endpoints}
          AND ${STOPS_AT} > ?`)
      .pluck();
  const selectNextAttemptAt = soonestOf("TRUE");
  const selectNextHealthyAttemptAt = soonestOf("failing_since IS NULL");
  const selectHasDueAfter = db
    .prepare(
      "SELECT EXISTS (SELECT 1 FROM delivery WHERE status = 'PENDING' AND next_attempt_at > ?)",
    )
    .pluck();
  // The query reads the backlog only if the newest delivery shows that the clock was set back.
  const selectUntriedDueAfter = db
    .prepare(`
      SELECT CASE WHEN (SELECT created_at FROM delivery ORDER BY number DESC LIMIT 1) > :now THEN (
        SELECT max(next_attempt_at) FROM delivery
        WHERE status = 'PENDING' AND next_attempt_at > :now AND attempt_count = 0) END`)
    .pluck();
  const bringForward = db.prepare(
    "UPDATE delivery SET next_attempt_at = :now WHERE status = 'PENDING' AND next_attempt_at > :latest AND number > :after",
  );
  // This statement and that of `createAttemptWriter` run most often. Their parameters are bound by
  // position, which makes them a quarter faster. The ID is compared, too, because a new delivery
  // can get the number of a deleted one.
  const settle = db.prepare(`
    UPDATE delivery SET status = ?, attempt_count = ?, next_attempt_at = ?, last_status_code = ?, last_error = ?, delivered_at = ?
    WHERE number = ? AND id = ? AND status = 'PENDING'`);
  const statusOf = db
    .prepare("SELECT status FROM delivery WHERE number = :number AND id = :id")
    .pluck();
  const settleLate = db.prepare(`
    UPDATE delivery SET status = :status, attempt_count = :attempts, last_status_code = :statusCode,
      last_error = :error, delivered_at = coalesce(:deliveredAt, delivered_at)
    WHERE number = :number`);
  const addAttempt = createAttemptWriter(db);

  return {
    getLastNumber: () => selectLastNumber.get() as number,
    /**
     * Returns the IDs of endpoints that have a pending delivery with a number above `after`, up to
     * `upTo`.
     */
    listEndpointsWithNew: (after: number, upTo: number) =>
      selectEndpointsWithNew.all({ after, upTo }) as string[],
    /**
     * Returns when the next attempt of an active endpoint is due, after any backoff. An endpoint
     * whose key has expired at `now` has no next attempt.
     */
    getNextAttemptAt: (now: number) => selectNextAttemptAt.get(now) as number | null,
    /** Returns when the next attempt of an endpoint that is not failing is due. */
    getNextHealthyAttemptAt: (now: number) => selectNextHealthyAttemptAt.get(now) as number | null,
    listDueEndpoints: (now: number) => selectEndpointsWithDue.all(now) as string[],
    /**
     * Lists endpoints with a delivery that was due at `dueBefore` or earlier. Redeliveries do not
     * count.
     */
    listLateEndpoints: (dueBefore: number) => selectEndpointsWithLate.all(dueBefore) as string[],
    ...createDueLists(db),
    /**
     * Adds `byMs` to the due times after `after`, up to `until`. Deliveries with a number above
     * `upTo` keep their due time.
     */
    shiftDueTimes: (span: { after: number; until: number; upTo: number; byMs: number }) =>
      void shiftDue.run(span),
    /**
     * Returns the latest due time after `now` among the deliveries without an attempt; null if
     * there is none. The backlog is read only if the newest delivery was created after `now`, which
     * shows that the clock was set back. If it was not, the result is null.
     */
    getUntriedDueAfter: (now: number) => selectUntriedDueAfter.get({ now }) as number | null,
    hasDueAfter: (latest: number): boolean => selectHasDueAfter.get(latest) === 1,
    /** Changes due times later than `latest` to `now`, for delivery numbers above `after`. */
    bringForward: (latest: number, now: number, after = 0) =>
      void bringForward.run({ latest, now, after }),

    /**
     * Writes the new status of a delivery, and the attempt. A delivery that was parked or cancelled
     * during the attempt keeps that status unless the attempt succeeded.
     * @returns the status change; undefined if the delivery was deleted with its business
     */
    settle(
      { number, id, attemptCount }: DueRow,
      settlement: Settlement,
      attempt: AttemptRow | null,
    ): { from: DeliveryStatus; to: DeliveryStatus } | undefined {
      const { status, nextAttemptAt, deliveredAt, error } = settlement;
      const attempts = attempt?.n ?? attemptCount;
      const statusCode = attempt?.statusCode ?? null;
      let move: { from: DeliveryStatus; to: DeliveryStatus } = { from: "PENDING", to: status };
      if (
        settle.run(status, attempts, nextAttemptAt, statusCode, error, deliveredAt, number, id)
          .changes === 0
      ) {
        const from = statusOf.get({ number, id }) as DeliveryStatus | undefined;
        if (from === undefined) return undefined;
        move = { from, to: status === "DELIVERED" ? status : from };
        settleLate.run({ number, status: move.to, attempts, statusCode, error, deliveredAt });
      }
      if (attempt !== null) addAttempt(number, attempt);
      return move;
    },
  };
}

/** Returns a function that writes an attempt of the delivery with this number. */
function createAttemptWriter(db: Db): (delivery: number, attempt: AttemptRow) => void {
  // SQLite itself would give new attempts the numbers of the last ones, if these were deleted with
  // their business. `deliveries tail` would then take new attempts for attempts that it has
  // printed.
  const insert = db.prepare(`
    INSERT INTO attempt (number, delivery, n, at, duration_ms, outcome, status_code, error, response_text)
    VALUES (max(?, (SELECT coalesce(max(number), 0) FROM attempt)) + 1, ?, ?, ?, ?, ?, ?, ?, ?)`);
  let lastAttempt = db.prepare("SELECT coalesce(max(number), 0) FROM attempt").pluck().get() as
    | number
    | bigint;
  return (delivery, { n, at, durationMs, outcome, statusCode, error, responseText }) => {
    const redacted = responseText && redactSecrets(responseText);
    const values = [delivery, n, at, durationMs, outcome, statusCode, error, redacted];
    lastAttempt = insert.run(lastAttempt, ...values).lastInsertRowid;
  };
}
