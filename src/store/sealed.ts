import { columns, insertInto, type Db } from "./database/db.ts";
import { END_OF_ORDERED_EVENT } from "./event-end.ts";
import { lazy } from "../domain/lazy.ts";
import { FEATURES } from "../features/index.ts";

// A rotation of the master key re-encrypts the `sealed` columns of the tables in this file.

export type SecretRow = {
  id: string;
  endpointId: string;
  sealed: Buffer;
  createdAt: number;
  /** When a replaced secret ends; null for the current one. */
  expiresAt: number | null;
};

const SECRET_COLUMNS = columns("id, endpoint_id, sealed, created_at, expires_at");

/** Stores the signing secrets: one per endpoint, or two during the overlap of a rotation. */
export function createEndpointSecretStore(db: Db) {
  const selectValid = db.prepare(`
    SELECT ${SECRET_COLUMNS} FROM endpoint_secret
    WHERE endpoint_id = :endpointId AND (expires_at IS NULL OR expires_at > :now)
    ORDER BY expires_at IS NOT NULL, expires_at DESC`);
  const selectAll = db.prepare(`SELECT ${SECRET_COLUMNS} FROM endpoint_secret ORDER BY id`);
  const insert = db.prepare(
    insertInto("endpoint_secret", "id, endpoint_id, sealed, created_at, expires_at"),
  );
  const expire = db.prepare("UPDATE endpoint_secret SET expires_at = :at WHERE id = :id");
  const deleteOthers = db.prepare(
    "DELETE FROM endpoint_secret WHERE endpoint_id = :endpointId AND id <> :id",
  );
  const deleteExpiring = db.prepare(
    "DELETE FROM endpoint_secret WHERE endpoint_id = ? AND expires_at IS NOT NULL",
  );
  const deleteByEndpoint = db.prepare("DELETE FROM endpoint_secret WHERE endpoint_id = ?");
  const deleteExpiredBefore = db.prepare("DELETE FROM endpoint_secret WHERE expires_at <= ?");
  const updateSealedById = db.prepare("UPDATE endpoint_secret SET sealed = :sealed WHERE id = :id");

  return {
    /** Returns the valid secrets, the current one first. */
    listValid: (endpointId: string, now: number) =>
      selectValid.all({ endpointId, now }) as SecretRow[],
    list: () => selectAll.all() as SecretRow[],
    /**
     * Yields all secrets. SQLite's iterator blocks the connection, so this generator creates the
     * iterator only when the caller asks for the first row.
     */
    *iterate(): Iterable<SecretRow> {
      yield* selectAll.iterate() as Iterable<SecretRow>;
    },
    insert: (row: SecretRow) => void insert.run(row),
    /** Deletes all secrets of the endpoint except the given one, which expires at `at`. */
    keepOnly({ id, endpointId }: SecretRow, at: number): void {
      deleteOthers.run({ id, endpointId });
      expire.run({ id, at });
    },
    /** Deletes all secrets but the current one. */
    deleteOld: (endpointId: string) => void deleteExpiring.run(endpointId),
    deleteAll: (endpointId: string) => void deleteByEndpoint.run(endpointId),
    deleteExpired: (now: number) => void deleteExpiredBefore.run(now),
    updateSealed: (id: string, sealed: Buffer) => void updateSealedById.run({ id, sealed }),
  };
}

/** Text that is encrypted with the master key, and the ID with which it was encrypted. */
export type SealedRow = { id: string; sealed: Buffer };

/** Returns the tables of features that have a column `sealed`. */
export const listSecretTables = lazy((): readonly string[] =>
  FEATURES.flatMap(({ secretTables = {} }) => Object.keys(secretTables)),
);

export const listSecrets = (db: Db, table: string): SealedRow[] =>
  db.prepare(`SELECT id, sealed FROM ${table} ORDER BY id`).all() as SealedRow[];

/**
 * Stores the encrypted secrets of features, such as the credentials with which deskbell logs in
 * elsewhere.
 */
export function createFeatureSecretStore(db: Db) {
  const updates = lazy(() =>
    listSecretTables().map((table) =>
      db.prepare(`UPDATE ${table} SET sealed = :sealed WHERE id = :id`),
    ),
  );

  return {
    list: (): SealedRow[] => listSecretTables().flatMap((table) => listSecrets(db, table)),
    /** Replaces the secret with this ID, if a feature has it. */
    updateSealed(id: string, sealed: Buffer): void {
      for (const update of updates()) update.run({ id, sealed });
    },
  };
}

/** The encrypted guest data of a booking, reservation or ticket order. */
export type GuestRow = { visitId: string; businessId: string; sealed: Buffer };

/**
 * A guest whose visit ends at `endedAt`, which is 0 if the visit does not exist. A cancelled visit
 * ends at its start, and a hold ends when it expires. A ticket order ends with its event;
 * `endOfEvent` says when a postponed event ends. If the event was deleted, the order ends with its
 * last change.
 */
export type EndedGuest = Pick<GuestRow, "visitId" | "businessId"> & { endedAt: number };

export const GUEST_COLUMNS = "visit_id, business_id, sealed";
export const VISIT_TABLES = ["booking", "reservation", "ticket_order"] as const;

export function createGuestStore(db: Db) {
  // The statement is an upsert, because replacing the row would delete the rows of features that
  // refer to it.
  const replace = db.prepare(
    `${insertInto("guest", GUEST_COLUMNS)} ON CONFLICT (visit_id) DO UPDATE SET business_id = excluded.business_id, sealed = excluded.sealed`,
  );
  const find = db.prepare(`SELECT ${columns(GUEST_COLUMNS)} FROM guest WHERE visit_id = ?`);
  const deleteById = db.prepare("DELETE FROM guest WHERE visit_id = ?");
  const selectAfter = db.prepare(`
    SELECT ${columns(GUEST_COLUMNS)} FROM guest WHERE visit_id > :after ORDER BY visit_id LIMIT :limit`);
  const selectAll = db.prepare(`SELECT ${columns(GUEST_COLUMNS)} FROM guest`);
  const endOf = (table: string) =>
    `(SELECT iif(status = 'CANCELLED', starts_at, ends_at) FROM ${table} WHERE id = visit_id)`;
  const selectEnded = db.prepare(`
    SELECT ${columns("visit_id, business_id")}, coalesce(${endOf("booking")}, ${endOf("reservation")},
      (SELECT expires_at FROM hold WHERE id = visit_id),
      ${END_OF_ORDERED_EVENT}, 0) AS endedAt
    FROM guest WHERE visit_id > :after ORDER BY visit_id LIMIT :limit`);
  // An erasure raises the version, because the customer reference and the guest data are part of
  // the visit's API object. The ETag of a calendar contains the time of the latest change of the
  // business's rows in the table. The erasure therefore gets a later time than all of them, even if
  // the clock was set back.
  const erasures = VISIT_TABLES.map((table) =>
    db.prepare(`
      UPDATE ${table} SET customer_ref = NULL, version = version + 1, updated_at = max(:now,
        (SELECT 1 + max(updated_at) FROM ${table} other WHERE other.business_id = ${table}.business_id))
      WHERE id = :visitId AND (customer_ref IS NOT NULL
        OR EXISTS (SELECT 1 FROM guest WHERE guest.visit_id = :visitId))`),
  );

  return {
    replace: (row: GuestRow) => void replace.run(row),
    findByVisit: (visitId: string) => find.get(visitId) as GuestRow | undefined,
    delete: (visitId: string) => void deleteById.run(visitId),
    iterateAll: () => selectAll.iterate() as IterableIterator<GuestRow>,
    /** Lists guests in the order of their visits' IDs. */
    listAfter: (after: string, limit: number) => selectAfter.all({ after, limit }) as GuestRow[],
    /** Lists guests with the end of their visits, in the order of the visits' IDs. */
    listEndedAfter: (after: string, limit: number) =>
      selectEnded.all({ after, limit }) as EndedGuest[],
    /** Deletes the guest data and the customer reference of a visit. */
    erase(visitId: string, now: number): void {
      for (const erasure of erasures) erasure.run({ visitId, now });
      deleteById.run(visitId);
    },
  };
}

/** The reply to a request of an API key with an Idempotency-Key. */
export type IdempotencyRow = {
  keyId: string;
  /** The value of the header Idempotency-Key. */
  token: string;
  /**
   * The HMAC of the request. It shows whether a later request with the same header has the same
   * content.
   */
  requestHmac: Buffer;
  sealed: Buffer;
  createdAt: number;
  /** When the reply expires; null if it is kept for the usual time. */
  endsAt: number | null;
};

const REPLY_COLUMNS = "key_id, token, request_hmac, sealed, created_at, ends_at";

export function createIdempotencyStore(db: Db) {
  const find = db.prepare(`
    SELECT ${columns(REPLY_COLUMNS)} FROM idempotency
    WHERE key_id = :keyId AND token = :token AND created_at > :after
      AND (ends_at IS NULL OR ends_at > :now)`);
  const selectAll = db.prepare(`SELECT ${columns(REPLY_COLUMNS)} FROM idempotency`);
  const replace = db.prepare(
    insertInto("idempotency", REPLY_COLUMNS).replace("INSERT", "INSERT OR REPLACE"),
  );
  const deleteRow = db.prepare("DELETE FROM idempotency WHERE key_id = :keyId AND token = :token");
  const deleteOld = db.prepare("DELETE FROM idempotency WHERE created_at <= ?");
  const deleteEnded = db.prepare("DELETE FROM idempotency WHERE ends_at <= ?");

  return {
    /** Returns a reply. Rows created at `after` or earlier, and expired rows, are ignored. */
    find: (keyId: string, token: string, after: number, now: number) =>
      find.get({ keyId, token, after, now }) as IdempotencyRow | undefined,
    list: () => selectAll.all() as IdempotencyRow[],
    replace: (row: IdempotencyRow) => void replace.run(row),
    delete: ({ keyId, token }: IdempotencyRow) => void deleteRow.run({ keyId, token }),
    /** Deletes rows created at `until` or earlier, and expired rows. */
    deleteUntil(until: number, now: number): void {
      deleteOld.run(until);
      deleteEnded.run(now);
    },
  };
}
