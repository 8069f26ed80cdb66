import { columns, insertInto, type Db } from "./db.ts";

/** The reply to a request of an API key with an Idempotency-Key. */
export type IdempotencyRow = {
  keyId: string;
  token: string;
  requestHmac: Buffer;
  sealed: Buffer;
  createdAt: number;
};

const COLUMNS = "key_id, token, request_hmac, sealed, created_at";

export function createIdempotencyStore(db: Db) {
  const find = db.prepare(`
    SELECT ${columns(COLUMNS)} FROM idempotency
    WHERE key_id = :keyId AND token = :token AND created_at > :after`);
  const selectAll = db.prepare(`SELECT ${columns(COLUMNS)} FROM idempotency`);
  const replace = db.prepare(
    insertInto("idempotency", COLUMNS).replace("INSERT", "INSERT OR REPLACE"),
  );
  const deleteRow = db.prepare("DELETE FROM idempotency WHERE key_id = :keyId AND token = :token");
  const deleteOld = db.prepare("DELETE FROM idempotency WHERE created_at <= ?");

  return {
    /** Ignores rows created at `after` or earlier. */
    find: (keyId: string, token: string, after: number) =>
      find.get({ keyId, token, after }) as IdempotencyRow | undefined,
    list: () => selectAll.all() as IdempotencyRow[],
    replace: (row: IdempotencyRow) => void replace.run(row),
    delete: ({ keyId, token }: IdempotencyRow) => void deleteRow.run({ keyId, token }),
    /** Deletes rows created at `until` or earlier. */
    deleteUntil: (until: number) => void deleteOld.run(until),
  };
}
