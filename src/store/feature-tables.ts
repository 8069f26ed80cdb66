import { FEATURES, type KeysIn } from "../features/index.ts";

/** A table whose rows let somebody read or receive data. */
export type AccessTable = {
  table: string;
  /** The columns that decide who gets what. */
  rights: readonly string[];
  isActive: (row: Record<string, unknown>, now: number) => boolean;
};

/** A table of a feature. A restore from an untrusted backup revokes the rows that it would add. */
export type FeatureTable = AccessTable & {
  /** The column with the time of the revocation; null if a revoked row is deleted. */
  revokedAt: string | null;
  /** The action that the audit log records for a revocation. */
  revoked: string;
};

/**
 * The keys of `access` in all features. Each key is a name for rows that let somebody read data.
 */
export type FeatureAccess = KeysIn<"access">;

/** Returns the tables of features whose rows let somebody read data, by the name of their rows. */
export const listAccessTables = (): Readonly<Record<string, FeatureTable>>[] =>
  FEATURES.map(({ access = {} }) => access);

/** Returns the tables of features whose rows a restore does not bring back. */
export const listEmptiedTables = (): string[] =>
  FEATURES.flatMap(({ emptiedByRestore = [] }) => emptiedByRestore);
