import { columns, insertInto, type Db } from "./db.ts";

export type SecretRow = {
  id: string;
  endpointId: string;
  sealed: Buffer;
  createdAt: number;
  /** null for the current secret. */
  expiresAt: number | null;
};

const COLUMNS = columns("id, endpoint_id, sealed, created_at, expires_at");

/** Signing secrets: one per endpoint, or two during the overlap of a rotation. */
export function createEndpointSecretStore(db: Db) {
  const selectValid = db.prepare(`
    SELECT ${COLUMNS} FROM endpoint_secret
    WHERE endpoint_id = :endpointId AND (expires_at IS NULL OR expires_at > :now)
    ORDER BY expires_at IS NOT NULL, expires_at DESC`);
  const selectAll = db.prepare(`SELECT ${COLUMNS} FROM endpoint_secret ORDER BY id`);
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
    /** The current secret first. */
    listValid: (endpointId: string, now: number) =>
      selectValid.all({ endpointId, now }) as SecretRow[],
    list: () => selectAll.all() as SecretRow[],
    /** A generator, because SQLite's iterator blocks the connection from its creation. */
    *iterate(): Iterable<SecretRow> {
      yield* selectAll.iterate() as Iterable<SecretRow>;
    },
    insert: (row: SecretRow) => void insert.run(row),
    /** Deletes the endpoint's other secrets. The kept one is valid until `at`. */
    keepOnly({ id, endpointId }: SecretRow, at: number): void {
      deleteOthers.run({ id, endpointId });
      expire.run({ id, at });
    },
    /** Deletes all but the current one. */
    deleteOld: (endpointId: string) => void deleteExpiring.run(endpointId),
    deleteAll: (endpointId: string) => void deleteByEndpoint.run(endpointId),
    deleteExpired: (now: number) => void deleteExpiredBefore.run(now),
    updateSealed: (id: string, sealed: Buffer) => void updateSealedById.run({ id, sealed }),
  };
}
