import type { EventType } from "../../domain/events/event-types.ts";
import type { DeliveryStatus } from "../../domain/webhooks/settle.ts";
import { type Db, LISTED, listedIn } from "../database/db.ts";
import { createTallyChanges, createTallyStore } from "./tallies.ts";

export type RedeliverableRow = {
  number: number;
  id: string;
  businessId: string;
  status: DeliveryStatus;
};

/** The deliveries of one endpoint to search for those that can be sent again. */
export type RedeliverySearch = {
  endpointId: string;
  /** The search covers IDs above `after` and below `before`. */
  after: string;
  before: string;
  status?: DeliveryStatus | undefined;
  /** Selects events of these types; all if absent. */
  types?: readonly EventType[] | undefined;
};

/**
 * Selects deliveries that have ended, or wait for another attempt after a failed one. Cancelled
 * deliveries are selected only if the search asks for this status.
 */
const REDELIVERABLE = `(status IN ('DELIVERED', 'EXHAUSTED') OR status = 'CANCELLED' AND :status = 'CANCELLED'
  OR status = 'PENDING' AND attempt_count > 0 AND (is_redelivery = 0 OR attempt_count > attempts_before))
  AND (:status IS NULL OR status = :status) AND (:types IS NULL OR event_type IN ${listedIn("types")})`;

/** Makes deliveries due again: each `stepMs` after the one before it. */
export function makeDue(db: Db, rows: readonly RedeliverableRow[], at: number, stepMs = 0): void {
  const update = db.prepare(`
    UPDATE delivery SET status = 'PENDING', next_attempt_at = :at, delivered_at = NULL, is_redelivery = 1,
      attempts_before = attempt_count
    WHERE number = :number`);
  const tallyChanges = createTallyChanges();
  for (const [i, { number, businessId, status }] of rows.entries()) {
    update.run({ number, at: at + i * stepMs });
    tallyChanges.move(businessId, status, "PENDING");
  }
  tallyChanges.write(createTallyStore(db));
}

/** Finds the deliveries that partners send again. */
export function createOwnRedeliveryStore(db: Db) {
  return {
    makeDue: (rows: readonly RedeliverableRow[], at: number) => makeDue(db, rows, at),
    /**
     * Lists deliveries of an endpoint that can be sent again, by ascending ID.
     * @param limit how many deliveries to return at most
     * @param most how many deliveries to read at most
     * @returns in `rows` the deliveries found, in `read` the number of deliveries read, and in
     * `reached` the ID after which the search continues, or null at the end
     */
    search(
      { endpointId, after, before, status, types }: RedeliverySearch,
      limit: number,
      most: number,
    ): { rows: RedeliverableRow[]; read: number; reached: string | null } {
      const source = `FROM delivery INDEXED BY delivery_endpoint
        WHERE endpoint_id = :endpointId AND id > :after AND id < :before ORDER BY id`;
      const parameters = {
        endpointId,
        after,
        before,
        status: status ?? null,
        types: types === undefined ? null : JSON.stringify(types),
        limit: limit + 1,
        most,
      };
      const found = db
        .prepare(`
          SELECT number, id, business_id AS businessId, status FROM (SELECT * ${source} LIMIT :most)
          WHERE ${REDELIVERABLE} LIMIT :limit`)
        .all(parameters) as RedeliverableRow[];
      const rows = found.slice(0, limit);
      const { read, last } = db
        .prepare(`SELECT count(*) AS read, max(id) AS last FROM (SELECT id ${source} LIMIT :most)`)
        .get(parameters) as { read: number; last: string | null };
      if (found.length > limit) return { rows, read, reached: rows.at(-1)?.id ?? after };
      return { rows, read, reached: read < most ? null : last };
    },

    /** Counts the pending redeliveries of endpoints, up to `limit`. */
    countPending: (endpointIds: readonly string[], limit: number) =>
      db
        .prepare(`
          SELECT count(*) FROM (SELECT 1 FROM delivery INDEXED BY delivery_due
            WHERE endpoint_id IN ${LISTED} AND is_redelivery = 1 AND status = 'PENDING' LIMIT :limit)`)
        .pluck()
        .get({ ids: JSON.stringify(endpointIds), limit }) as number,
  };
}
