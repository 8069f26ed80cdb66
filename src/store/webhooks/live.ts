import { columns, type Db } from "../database/db.ts";
import { DELIVERY, type DeliveryRow } from "./deliveries.ts";
import { type LiveFilter, toLiveCondition } from "./live-filter.ts";

export type LiveRow = DeliveryRow & {
  /** The number of attempts that do not count towards the retry schedule. */
  attemptsBefore: number;
  /** The duration of the last attempt. */
  durationMs: number | null;
  url: string;
  endpointName: string;
  businessSlug: string;
};

export type PageStart = { id: string; isIncluded: boolean };

export type LivePage = {
  rows: LiveRow[];
  /** The last ID searched, if the search stopped early; null if the page is complete. */
  reached: string | null;
};

export type EndpointState = {
  id: string;
  name: string;
  url: string;
  businessSlug: string;
  status: "ACTIVE" | "DISABLED";
  disabledReason: string | null;
  failingSince: number | null;
  /** Why the endpoint fails. */
  lastError: string | null;
  disableAt: number | null;
  /** When the stored backoff of the endpoint ends, which may have passed. */
  heldUntil: number | null;
  /** Pending and parked deliveries, counted up to BACKLOG_LIMIT. */
  pending: number;
  parked: number;
};

// A rare combination of conditions is searched in slices of an index, so that a million rows never
// delay a keystroke.
const SLICE_ROWS = 10_000;
const SLICES = 5;
/** Fewer slices, because searching for a text takes several times as long as other conditions. */
const TEXT_SLICES = 2;
export const COUNT_LIMIT = 10_000;
export const BACKLOG_LIMIT = 1000;
/** The number of latest attempts in the statistics of durations. */
const SAMPLE = 1000;

const COLUMNS = `${DELIVERY}, attempts_before AS attemptsBefore,
  (SELECT duration_ms FROM attempt WHERE delivery = d.number AND n = d.attempt_count) AS durationMs,
  (SELECT url FROM endpoint WHERE id = d.endpoint_id) AS url,
  (SELECT name FROM endpoint WHERE id = d.endpoint_id) AS endpointName,
  (SELECT slug FROM business WHERE id = d.business_id) AS businessSlug`;

/**
 * Selects the deliveries that `redeliverDeliveries` redelivers in bulk, which excludes cancelled
 * ones.
 */
const REPLAYABLE =
  "(status IN ('DELIVERED', 'EXHAUSTED') OR status = 'PENDING' AND attempt_count > 0)";

/**
 * Queries for lists of deliveries that are updated live: keyset pages, statistics and bounded
 * counts. All stay fast as the file grows.
 */
export function createLiveStore(db: Db) {
  const statements = new Map<string, ReturnType<Db["prepare"]>>();
  const prepare = (sql: string): ReturnType<Db["prepare"]> => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };

  const countRetrying = db
    .prepare(`
      SELECT count(*) FROM (
        SELECT business_id FROM delivery INDEXED BY delivery_retrying
        WHERE status = 'PENDING' AND attempt_count > attempts_before LIMIT ${COUNT_LIMIT})
      WHERE :businessId IS NULL OR business_id = :businessId`)
    .pluck();
  const selectAttemptDurations = db
    .prepare(`
      SELECT duration_ms FROM (SELECT delivery, duration_ms, at FROM attempt ORDER BY number DESC LIMIT ${SAMPLE})
      WHERE at >= :since AND (:businessId IS NULL OR :businessId = (SELECT business_id FROM delivery WHERE number = delivery))`)
    .pluck();
  const countFailing = db
    .prepare(`
      SELECT count(*) FROM endpoint
      WHERE failing_since IS NOT NULL AND status = 'ACTIVE' AND deleted_at IS NULL
        AND (:businessId IS NULL OR business_id = :businessId)`)
    .pluck();
  const selectEndpoints = db.prepare(`
    SELECT ${columns("id, name, url, status, disabled_reason, failing_since, last_error, disable_at, held_until")},
      (SELECT slug FROM business WHERE id = business_id) AS businessSlug,
      (SELECT count(*) FROM (
        SELECT 1 FROM delivery WHERE endpoint_id = endpoint.id AND is_replay IN (0, 1) AND status = 'PENDING'
        LIMIT ${BACKLOG_LIMIT})) AS pending,
      CASE status WHEN 'ACTIVE' THEN 0 ELSE (SELECT count(*) FROM (
        SELECT status FROM delivery INDEXED BY delivery_endpoint WHERE endpoint_id = endpoint.id ORDER BY id DESC
        LIMIT ${BACKLOG_LIMIT}) WHERE status = 'PARKED') END AS parked
    FROM endpoint WHERE deleted_at IS NULL AND (:businessId IS NULL OR business_id = :businessId)
    ORDER BY status = 'ACTIVE', failing_since IS NULL, name, id LIMIT :limit`);
  const selectById = db.prepare(`SELECT ${COLUMNS} FROM delivery AS d WHERE id = ?`);

  return {
    findById: (id: string) => selectById.get(id) as LiveRow | undefined,
    /** Lists deliveries from `start` on: older ones newest first, or newer ones oldest first. */
    listPage(
      filter: LiveFilter,
      direction: "older" | "newer",
      start: PageStart | null,
      limit: number,
    ): LivePage {
      const { source, base, residual, parameters } = toLiveCondition(filter);
      const [sign, order] = direction === "older" ? ["<", "DESC"] : [">", "ASC"];
      const rows: LiveRow[] = [];
      let from = start;
      const slices = filter.text === undefined ? SLICES : TEXT_SLICES;
      for (let slice = 0; slice < slices; slice++) {
        const beyond = from === null ? "TRUE" : `id ${sign}${from.isIncluded ? "=" : ""} :from`;
        const ordered = `FROM ${source} WHERE ${base} AND ${beyond} ORDER BY id ${order}`;
        const wanted = limit - rows.length;
        const bindings = {
          ...parameters,
          from: from?.id,
          wanted,
          sliceRows: residual === null ? wanted : SLICE_ROWS,
        };
        const found = prepare(`
          SELECT ${COLUMNS} FROM (SELECT * ${ordered} LIMIT :sliceRows) AS d WHERE ${residual ?? "TRUE"} LIMIT :wanted`);
        rows.push(...(found.all(bindings) as LiveRow[]));
        if (residual === null || rows.length === limit) return { rows, reached: null };
        const last = prepare(`SELECT id ${ordered} LIMIT 1 OFFSET ${SLICE_ROWS - 1}`)
          .pluck()
          .get(bindings);
        if (last === undefined) return { rows, reached: null };
        from = { id: last as string, isIncluded: false };
      }
      return { rows, reached: from?.id ?? null };
    },

    /** Counts the newer deliveries, up to COUNT_LIMIT. */
    countNewer(filter: LiveFilter, id: string): number {
      const { source, base, residual, parameters } = toLiveCondition(filter);
      return prepare(`
        SELECT count(*) FROM (SELECT * FROM ${source} WHERE ${base} AND id > :id ORDER BY id LIMIT ${COUNT_LIMIT})
        WHERE ${residual ?? "TRUE"}`)
        .pluck()
        .get({ ...parameters, id }) as number;
    },

    /** Returns IDs, the oldest first. */
    listReplayable(filter: LiveFilter, limit: number): string[] {
      const { source, base, residual, parameters } = toLiveCondition(filter);
      return prepare(`
        SELECT id FROM ${source} WHERE ${base} AND ${residual ?? "TRUE"} AND ${REPLAYABLE} ORDER BY id DESC LIMIT :limit`)
        .pluck()
        .all({ ...parameters, limit })
        .reverse() as string[];
    },

    /** Counts the retrying deliveries, up to COUNT_LIMIT. */
    countRetrying: (businessId: string | null) => countRetrying.get({ businessId }) as number,
    /** Lists the durations of the latest attempts, in ms. */
    listAttemptDurations: (since: number, businessId: string | null) =>
      selectAttemptDurations.all({ since, businessId }) as number[],
    countFailing: (businessId: string | null) => countFailing.get({ businessId }) as number,
    /** Lists endpoints: disabled ones first, then failing ones. */
    listEndpoints: (businessId: string | null, limit: number) =>
      selectEndpoints.all({ businessId, limit }) as EndpointState[],
  };
}
