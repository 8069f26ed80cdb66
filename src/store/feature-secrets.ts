import { lazy } from "../domain/lazy.ts";
import { FEATURES } from "../features/index.ts";
import type { Db } from "./db.ts";

/** Text that is encrypted with the master key, and the ID with which it was encrypted. */
export type SealedRow = { id: string; sealed: Buffer };

/** The tables of features with a column `sealed`, besides the one with the secrets of endpoints. */
export const listSecretTables = lazy((): readonly string[] =>
  FEATURES.flatMap(({ secretTables = {} }) => Object.keys(secretTables)),
);

/** Lists the secrets of a feature's table. */
export const listSecrets = (db: Db, table: string): SealedRow[] =>
  db.prepare(`SELECT id, sealed FROM ${table} ORDER BY id`).all() as SealedRow[];

/** The encrypted secrets of features, such as the credentials with which deskbell logs in somewhere. */
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
