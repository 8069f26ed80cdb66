import { type Db, insertInto, parseOptional } from "./database/db.ts";

export type KeySecretRow = {
  hash: Buffer;
  keyId: string;
  prefix: string;
  last4: string;
  createdAt: number;
  /** When the secret ends; null until a newer secret replaces it. */
  expiresAt: number | null;
};

/** What happens to the newest secret of a key when another one replaces it. */
export type SecretEnd = {
  expiresAt: number;
  /**
   * Until when the secret may repeat the request that rotated its key; null if another caller
   * rotated the key.
   */
  repeatsUntil: number | null;
};

/** The last rotation of a key. */
export type KeyRotation = {
  at: number;
  oldSecretEndsAt: number;
  /** Whether the key rotated itself. */
  isOwn: boolean;
};

/** Stores the secrets of API keys, as their hashes. */
export function createKeySecretStore(db: Db) {
  const insertSecret = db.prepare(
    insertInto("api_key_secret", "hash, key_id, prefix, last4, created_at, expires_at"),
  );
  const deleteOlderSecrets = db.prepare(
    "DELETE FROM api_key_secret WHERE key_id = ? AND expires_at IS NOT NULL",
  );
  const endPreviousSecret = db.prepare(
    "UPDATE api_key_secret SET expires_at = :expiresAt, repeats_until = :repeatsUntil WHERE key_id = :keyId",
  );
  const selectValid = db
    .prepare(
      "SELECT hash FROM api_key_secret WHERE key_id = :keyId AND (expires_at IS NULL OR expires_at > :now)",
    )
    .pluck();
  const deleteSecret = db.prepare("DELETE FROM api_key_secret WHERE hash = ?");
  const selectRotation = db.prepare(`
    SELECT newest.created_at AS at, old.expires_at AS oldSecretEndsAt, old.repeats_until IS NOT NULL AS isOwn
    FROM api_key_secret newest JOIN api_key_secret old ON old.key_id = newest.key_id
    WHERE newest.key_id = ? AND newest.expires_at IS NULL AND old.expires_at IS NOT NULL`);
  const selectNotHashed = db
    .prepare(
      "SELECT DISTINCT key_id FROM api_key_secret WHERE typeof(hash) <> 'blob' OR length(hash) <> 32",
    )
    .pluck();

  return {
    /** Adds a secret. The previous one ends as `previousEnd` says; older ones are deleted. */
    replace(secret: KeySecretRow, previousEnd: SecretEnd): void {
      deleteOlderSecrets.run(secret.keyId);
      endPreviousSecret.run({ keyId: secret.keyId, ...previousEnd });
      insertSecret.run(secret);
    },
    /** Returns the hashes of the valid secrets of a key. */
    listValid: (keyId: string, now: number) => selectValid.all({ keyId, now }) as Buffer[],
    delete: (hash: Buffer) => void deleteSecret.run(hash),
    /** Returns the last rotation of a key; undefined if it was never rotated. */
    findRotation: (id: string) =>
      parseOptional(selectRotation.get(id), (raw) => {
        const row = raw as Omit<KeyRotation, "isOwn"> & { isOwn: number };
        return { ...row, isOwn: row.isOwn === 1 };
      }),
    /** Returns the IDs of keys with a stored secret that is not a SHA-256 hash. */
    listNotHashed: () => selectNotHashed.all() as string[],
  };
}
