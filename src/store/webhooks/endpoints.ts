import type { FailureStreak, StoredBackoff } from "../../domain/webhooks/failing-endpoint.ts";
import type { EventType } from "../../domain/events/event-types.ts";
import { columns, type Db, insertInto, parseOptional } from "../database/db.ts";
import { parseJson } from "../database/storage-error.ts";

export type EndpointStatus = "ACTIVE" | "DISABLED";

export type EndpointRow = {
  id: string;
  /** Null for an endpoint of a partner, which gets the events of all of its businesses. */
  businessId: string | null;
  /** The partner of an endpoint for several businesses. */
  partnerId: string | null;
  /** The API key that the endpoint belongs to; null if it belongs to the operator. */
  keyId: string | null;
  name: string;
  url: string;
  events: EventType[];
  /** Whether the operator allows http and private addresses. */
  allowPrivate: boolean;
  timeoutMs: number;
  maxInFlight: number;
  status: EndpointStatus;
  /** Why the endpoint was disabled; null for an active endpoint. */
  disabledReason: string | null;
  /** The number of changes of the endpoint's settings, status and secrets. */
  version: number;
  createdAt: number;
  updatedAt: number;
  /**
   * When `status` last changed; null if an earlier deskbell changed it, which did not store the
   * time.
   */
  statusSince: number | null;
  /** When the receiver last accepted an event, to the second; null if it never has. */
  lastDeliveredAt: number | null;
  /**
   * The number of backoffs (holds, in names of columns) that a successful test or the operator has
   * ended.
   */
  holdsEnded: number;
} & FailureStreak &
  StoredBackoff;

/** The owner of a key or endpoint: one business, or a partner of several businesses. */
export type EndpointOwner = Pick<EndpointRow, "businessId" | "partnerId">;

export type EndpointSettings = Pick<
  EndpointRow,
  "name" | "url" | "events" | "allowPrivate" | "timeoutMs" | "maxInFlight"
>;

/** The part of an endpoint that an attempt needs. */
export type TargetRow = Pick<
  EndpointRow,
  | "id"
  | "businessId"
  | "partnerId"
  | "keyId"
  | "url"
  | "allowPrivate"
  | "timeoutMs"
  | "maxInFlight"
  | "failureCount"
  | "updatedAt"
  | "holdsEnded"
  | "heldUntil"
  | "heldReason"
> & {
  /** When the endpoint stops because its key expires (epoch ms); Infinity if it does not. */
  stopsAt: number;
};

type Raw = Omit<EndpointRow, "events" | "allowPrivate"> & { events: string; allowPrivate: number };

const TARGET = columns(
  "id, business_id, partner_id, key_id, url, allow_private, timeout_ms, max_in_flight, failure_count, updated_at, holds_ended, held_until, held_reason",
);
const COLUMNS = `${TARGET}, ${columns(`name, events, status, disabled_reason, version,
  failing_since, last_error, failed_event_id, failed_events, warned_at, disable_at, created_at,
  status_since, last_delivered_at`)}`;

/**
 * Selects when an endpoint stops because its key expires; 9e999, which is Infinity, if it does not.
 * The access of a partner to a business does not expire, but ends with the last key of the partner.
 */
export const STOPS_AT = `coalesce((
  SELECT iif(key.endpoints_at_end = 'STOP', key.expires_at, NULL) FROM api_key key
  WHERE (key.id = endpoint.key_id AND (key.business_id IS NULL OR key.partner_id IS NULL))
    OR (key.business_id IS NULL AND key.ended_at IS NULL AND key.partner_id = (
      SELECT partner_id FROM api_key WHERE id = endpoint.key_id AND business_id IS NOT NULL))
  ORDER BY key.expires_at IS NOT NULL, key.expires_at DESC LIMIT 1), 9e999)`;

/**
 * The condition for the endpoints that get events of a business: its own ones, and those for
 * several businesses of the partners that have access to it. The condition holds for every endpoint
 * if no business is given.
 */
export const SERVES_BUSINESS = `(:businessId IS NULL OR business_id = :businessId OR partner_id IN (
  SELECT partner_id FROM api_key
  WHERE business_id = :businessId AND partner_id IS NOT NULL AND revoked_at IS NULL))`;

/**
 * Deleted endpoints are kept for their deliveries, but only `findKeyId` and `findOwner` find them.
 */
export function createEndpointStore(db: Db) {
  const parse = (raw: unknown): EndpointRow => {
    const row = raw as Raw;
    return {
      ...row,
      events: parseJson(row.events, "endpoint.events"),
      allowPrivate: row.allowPrivate === 1,
    };
  };
  const serialise = (settings: EndpointSettings) => ({
    ...settings,
    events: JSON.stringify(settings.events),
    allowPrivate: settings.allowPrivate ? 1 : 0,
  });

  const selectById = db.prepare(
    `SELECT ${COLUMNS} FROM endpoint WHERE id = ? AND deleted_at IS NULL`,
  );
  const selectOwner = db.prepare(
    `SELECT ${columns("business_id, partner_id, key_id")} FROM endpoint WHERE id = ?`,
  );
  const selectKeyId = db.prepare("SELECT key_id FROM endpoint WHERE id = ?").pluck();
  const selectAll = db.prepare(
    `SELECT ${COLUMNS} FROM endpoint WHERE deleted_at IS NULL AND ${SERVES_BUSINESS} ORDER BY id`,
  );
  const ofBusiness = db.prepare(
    `SELECT ${COLUMNS} FROM endpoint WHERE business_id = ? AND deleted_at IS NULL ORDER BY id`,
  );
  const ofPartner = db.prepare(
    `SELECT ${COLUMNS} FROM endpoint WHERE partner_id = ? AND deleted_at IS NULL ORDER BY id`,
  );
  const ofPartnerAtBusinesses = db.prepare(`
    SELECT ${COLUMNS} FROM endpoint WHERE deleted_at IS NULL AND key_id IN (
      SELECT id FROM api_key WHERE partner_id = ? AND business_id IS NOT NULL) ORDER BY id`);
  const selectFailing = db.prepare(`
    SELECT ${COLUMNS} FROM endpoint WHERE failing_since IS NOT NULL AND status = 'ACTIVE' AND deleted_at IS NULL`);
  const insert = db.prepare(
    insertInto(
      "endpoint",
      `id, business_id, partner_id, key_id, name, url, events, allow_private, timeout_ms, max_in_flight, status,
      version, created_at, updated_at, status_since`,
    ),
  );
  // The next two statements raise `updated_at` even if the clock was set back, because the delivery
  // worker detects changes by it.
  const update = db.prepare(`
    UPDATE endpoint SET name = :name, url = :url, events = :events, allow_private = :allowPrivate, timeout_ms = :timeoutMs,
      max_in_flight = :maxInFlight, version = version + 1, updated_at = max(:at, updated_at + 1),
      held_until = NULL, held_reason = NULL
    WHERE id = :id`);
  const setStatusById = db.prepare(`
    UPDATE endpoint SET status = :status, disabled_reason = :reason, status_since = :at, version = version + 1,
      updated_at = max(:at, updated_at + 1), held_until = NULL, held_reason = NULL
    WHERE id = :id`);
  const raiseVersionById = db.prepare("UPDATE endpoint SET version = version + 1 WHERE id = ?");
  const markDeleted = db.prepare(
    "UPDATE endpoint SET deleted_at = :at, updated_at = :at WHERE id = :id",
  );
  const setStreak = db.prepare(`
    UPDATE endpoint SET failing_since = :failingSince, failure_count = :failureCount,
      last_error = :lastError, failed_event_id = :failedEventId, failed_events = :failedEvents,
      warned_at = :warnedAt, disable_at = :disableAt
    WHERE id = :id`);
  const setDelivered = db.prepare("UPDATE endpoint SET last_delivered_at = :at WHERE id = :id");
  const setBackoff = db.prepare(
    "UPDATE endpoint SET held_until = :heldUntil, held_reason = :heldReason WHERE id = :id",
  );
  const endBackoffOf = db.prepare(
    "UPDATE endpoint SET held_until = NULL, held_reason = NULL, holds_ended = holds_ended + 1 WHERE id = ?",
  );
  const clearBackoffs = db.prepare(`
    UPDATE endpoint SET held_until = NULL, held_reason = NULL
    WHERE held_until IS NOT NULL AND NOT (held_reason = 'retry_after' AND held_until BETWEEN :now AND :latest)`);
  const shiftBackoffs = db.prepare(
    "UPDATE endpoint SET held_until = held_until + ? WHERE held_until IS NOT NULL",
  );
  const setKey = db.prepare("UPDATE endpoint SET key_id = :keyId WHERE id = :id");
  const selectIsActive = db
    .prepare("SELECT 1 FROM endpoint WHERE id = ? AND status = 'ACTIVE' AND deleted_at IS NULL")
    .pluck();
  const selectTarget = db.prepare(
    `SELECT ${TARGET}, ${STOPS_AT} AS "stopsAt" FROM endpoint WHERE id = ? AND status = 'ACTIVE' AND deleted_at IS NULL`,
  );
  const selectPaused = db.prepare(
    `SELECT id, ${STOPS_AT} AS "stopsAt" FROM endpoint WHERE status = 'ACTIVE' AND deleted_at IS NULL AND "stopsAt" <= ?`,
  );

  return {
    findById: (id: string) => parseOptional(selectById.get(id), parse),
    /** Returns the key of an endpoint, even of a deleted one; null if the operator owns it. */
    findKeyId: (id: string) => (selectKeyId.get(id) ?? null) as string | null,
    /** Returns the owner and the key of an endpoint, even of a deleted one. */
    findOwner: (id: string) =>
      selectOwner.get(id) as (EndpointOwner & Pick<EndpointRow, "keyId">) | undefined,
    /** Lists the endpoints that get events of a business, or all endpoints. */
    list: (businessId: string | null = null) => selectAll.all({ businessId }).map(parse),
    /**
     * Lists the endpoints that belong to a business, or the endpoints of a partner that serve
     * several businesses.
     */
    listOf: ({ businessId, partnerId }: EndpointOwner) =>
      (businessId === null ? ofPartner.all(partnerId) : ofBusiness.all(businessId)).map(parse),
    /** Lists the endpoints of a partner that serve one business each. */
    listAtBusinesses: (partnerId: string) => ofPartnerAtBusinesses.all(partnerId).map(parse),
    /** Returns the active endpoints without a success since their last failure. */
    listFailing: () => selectFailing.all().map(parse),
    insert: (row: EndpointRow) => void insert.run({ ...row, ...serialise(row) }),
    update: (id: string, settings: EndpointSettings, at: number) =>
      void update.run({ ...serialise(settings), id, at }),
    updateStatus: (id: string, status: EndpointStatus, reason: string | null, at: number) =>
      void setStatusById.run({ id, status, reason, at }),
    /**
     * Sets the key. Call `update` after it, because the delivery worker detects changes by
     * `updated_at`.
     */
    updateKey: (id: string, keyId: string | null) => void setKey.run({ id, keyId }),
    raiseVersion: (id: string) => void raiseVersionById.run(id),
    delete: (id: string, at: number) => void markDeleted.run({ id, at }),
    updateStreak: (id: string, streak: FailureStreak) => void setStreak.run({ ...streak, id }),
    updateDelivered: (id: string, at: number) => void setDelivered.run({ id, at }),
    /** Stores a backoff of the delivery worker, so that other processes can show it. */
    updateBackoff: (id: string, backoff: StoredBackoff) => void setBackoff.run({ ...backoff, id }),
    /** Ends a backoff: tells the delivery worker to send at once. */
    endBackoff: (id: string) => void endBackoffOf.run(id),
    /**
     * Clears the stored backoffs when a delivery worker starts, except those that a receiver asked
     * for with Retry-After and that end by `latest`.
     */
    clearBackoffs: (now: number, latest: number) => void clearBackoffs.run({ now, latest }),
    /** Moves the end of each backoff after a jump of the clock. */
    shiftBackoffs: (byMs: number) => void shiftBackoffs.run(byMs),
    /** Returns whether the endpoint is neither disabled nor deleted. */
    isActive: (id: string): boolean => selectIsActive.get(id) === 1,
    /** Returns an endpoint for an attempt; undefined if it is disabled or deleted. */
    findTarget(id: string): TargetRow | undefined {
      const raw = selectTarget.get(id) as Omit<TargetRow, "allowPrivate"> & {
        allowPrivate: number;
      };
      return raw && { ...raw, allowPrivate: raw.allowPrivate === 1 };
    },
    /** Lists the active endpoints that receive nothing because their key has expired. */
    listPaused: (now: number) => selectPaused.all(now) as Pick<TargetRow, "id" | "stopsAt">[],
  };
}

/** A period, in epoch milliseconds; both ends are included. */
export type Period = { from: number; to: number };

/** Whether a request to a host sends a delivery or a partner's test. */
type RequestPurpose = "delivery" | "test";

/**
 * Stores when each host last accepted a signed event, which verifies the host. The requests to
 * unverified hosts are limited, so they are stored too. A host that the operator trusts has no row.
 */
export function createHostStore(db: Db) {
  const selectVerifiedAt = db
    .prepare("SELECT verified_at FROM verified_host WHERE host = ?")
    .pluck();
  const upsertVerified = db.prepare(`
    INSERT INTO verified_host (host, verified_at) VALUES (:host, :at)
    ON CONFLICT (host) DO UPDATE SET verified_at = excluded.verified_at`);
  const insertRequest = db.prepare(
    "INSERT INTO unverified_request (host, is_test, at) VALUES (:host, :isTest, :at)",
  );
  const countRequests = db
    .prepare(
      "SELECT count(*) FROM unverified_request WHERE host = :host AND is_test = :isTest AND at BETWEEN :from AND :to",
    )
    .pluck();
  const selectBusy = db
    .prepare(`
      SELECT host FROM unverified_request WHERE is_test = 0 AND at BETWEEN :from AND :to
      GROUP BY host HAVING count(*) >= :count ORDER BY host`)
    .pluck();
  const deleteRequestsOf = db.prepare("DELETE FROM unverified_request WHERE host = ?");
  const deleteRequests = db.prepare("DELETE FROM unverified_request WHERE at < ?");
  const deleteVerified = db.prepare("DELETE FROM verified_host WHERE verified_at < ?");

  return {
    findVerifiedAt: (host: string): number | undefined =>
      selectVerifiedAt.get(host) as number | undefined,
    verify(host: string, at: number): void {
      upsertVerified.run({ host, at });
      deleteRequestsOf.run(host);
    },
    recordRequest: (host: string, purpose: RequestPurpose, at: number): void =>
      void insertRequest.run({ host, isTest: purpose === "test" ? 1 : 0, at }),
    countRequests: (host: string, purpose: RequestPurpose, period: Period): number =>
      countRequests.get({ host, isTest: purpose === "test" ? 1 : 0, ...period }) as number,
    /** Returns the hosts with at least `count` recorded deliveries in a period. */
    listWithDeliveries: (count: number, period: Period): string[] =>
      selectBusy.all({ count, ...period }) as string[],
    /** Deletes the requests and the verifications made before the given times. */
    prune(requestsBefore: number, verifiedBefore: number): void {
      deleteRequests.run(requestsBefore);
      deleteVerified.run(verifiedBefore);
    },
  };
}
