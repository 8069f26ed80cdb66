import { cacheStatements, columns, type Db } from "../../store/database/db.ts";
import {
  FOUND_DELIVERY,
  type FoundDelivery,
  type SearchFilter,
  toSearchCondition,
} from "../../store/webhooks/delivery-search.ts";
import { SERVES_BUSINESS } from "../../store/webhooks/endpoints.ts";

export type EndpointState = {
  id: string;
  name: string;
  url: string;
  businessSlug: string;
  status: "ACTIVE" | "DISABLED";
  disabledReason: string | null;
  /** When the endpoint began to fail; null if it does not fail. */
  failingSince: number | null;
  /** Why the endpoint fails; null if it does not fail. */
  lastError: string | null;
  /** When the endpoint will be disabled if it goes on failing; null if it will not. */
  disableAt: number | null;
  /** When the endpoint's stored backoff ends, perhaps in the past; null without a backoff. */
  heldUntil: number | null;
  /** The number of pending deliveries, up to BACKLOG_LIMIT. */
  pending: number;
  /** The number of parked deliveries among the newest BACKLOG_LIMIT; 0 for an active endpoint. */
  parked: number;
};

/** Counts stop at a limit, because the view counts again at each change of the data. */
export const COUNT_LIMIT = 10_000;
export const BACKLOG_LIMIT = 1000;
/** The number of latest attempts in the statistics of durations. */
const SAMPLE_SIZE = 1000;

/** The condition for a redelivery in bulk, the same as in `redeliverDeliveries`. */
const REDELIVERABLE =
  "(status IN ('DELIVERED', 'EXHAUSTED') OR status = 'PENDING' AND attempt_count > 0)";

/** Statistics and bounded counts, which stay fast as the file grows. */
export function createLiveStore(db: Db) {
  const prepare = cacheStatements(db);

  const countRetrying = db
    .prepare(`
      SELECT count(*) FROM (
        SELECT business_id FROM delivery INDEXED BY delivery_retrying
        WHERE status = 'PENDING' AND attempt_count > attempts_before LIMIT ${COUNT_LIMIT})
      WHERE :businessId IS NULL OR business_id = :businessId`)
    .pluck();
  const selectAttemptDurations = db
    .prepare(`
      SELECT duration_ms FROM (SELECT delivery, duration_ms, at FROM attempt ORDER BY number DESC LIMIT ${SAMPLE_SIZE})
      WHERE at >= :since AND (:businessId IS NULL OR :businessId = (SELECT business_id FROM delivery WHERE number = delivery))`)
    .pluck();
  const countFailing = db
    .prepare(`
      SELECT count(*) FROM endpoint
      WHERE failing_since IS NOT NULL AND status = 'ACTIVE' AND deleted_at IS NULL
        AND ${SERVES_BUSINESS}`)
    .pluck();
  // The condition `is_redelivery IN (0, 1)` is true for every row. It lets SQLite use the index
  // `delivery_due`, whose second column is `is_redelivery`.
  const selectEndpoints = db.prepare(`
    SELECT ${columns("id, name, url, status, disabled_reason, failing_since, last_error, disable_at, held_until")},
      (SELECT slug FROM business WHERE id = business_id) AS businessSlug,
      (SELECT count(*) FROM (
        SELECT 1 FROM delivery WHERE endpoint_id = endpoint.id AND is_redelivery IN (0, 1) AND status = 'PENDING'
        LIMIT ${BACKLOG_LIMIT})) AS pending,
      CASE status WHEN 'ACTIVE' THEN 0 ELSE (SELECT count(*) FROM (
        SELECT status FROM delivery INDEXED BY delivery_endpoint WHERE endpoint_id = endpoint.id ORDER BY id DESC
        LIMIT ${BACKLOG_LIMIT}) WHERE status = 'PARKED') END AS parked
    FROM endpoint WHERE deleted_at IS NULL AND ${SERVES_BUSINESS}
    ORDER BY status = 'ACTIVE', failing_since IS NULL, name, id LIMIT :limit`);
  const selectById = db.prepare(`SELECT ${FOUND_DELIVERY} FROM delivery AS d WHERE id = ?`);

  return {
    findById: (id: string) => selectById.get(id) as FoundDelivery | undefined,
    /**
     * Counts the deliveries that match a filter and are newer than the delivery with this ID. The
     * part of the filter for which there is no index (`residual`) is checked for at most
     * COUNT_LIMIT deliveries.
     */
    countNewer(filter: SearchFilter, id: string): number {
      const { source, base, residual, parameters } = toSearchCondition(filter);
      return prepare(`
        SELECT count(*) FROM (SELECT * FROM ${source} WHERE ${base} AND id > :id ORDER BY id LIMIT ${COUNT_LIMIT})
        WHERE ${residual ?? "TRUE"}`)
        .pluck()
        .get({ ...parameters, id }) as number;
    },

    /** Returns the IDs of the newest deliveries that can be redelivered, the oldest first. */
    listRedeliverable(filter: SearchFilter, limit: number): string[] {
      const { source, base, residual, parameters } = toSearchCondition(filter);
      return prepare(`
        SELECT id FROM ${source} WHERE ${base} AND ${residual ?? "TRUE"} AND ${REDELIVERABLE} ORDER BY id DESC LIMIT :limit`)
        .pluck()
        .all({ ...parameters, limit })
        .reverse() as string[];
    },

    /**
     * Counts the pending deliveries of a business that have failed since they were created or
     * redelivered. At most COUNT_LIMIT such deliveries of all businesses are looked at.
     */
    countRetrying: (businessId: string | null) => countRetrying.get({ businessId }) as number,
    /**
     * Lists the durations in ms of the attempts since a time. At most the latest SAMPLE_SIZE
     * attempts are read.
     */
    listAttemptDurations: (since: number, businessId: string | null) =>
      selectAttemptDurations.all({ since, businessId }) as number[],
    countFailing: (businessId: string | null) => countFailing.get({ businessId }) as number,
    /** Lists endpoints: disabled ones first, then failing ones. */
    listEndpoints: (businessId: string | null, limit: number) =>
      selectEndpoints.all({ businessId, limit }) as EndpointState[],
  };
}
