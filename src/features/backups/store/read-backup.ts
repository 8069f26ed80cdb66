import { columns, type Db } from "../../../store/database/db.ts";
import { type BusinessCounters, listTables } from "./files.ts";
import { withReadOnlyDatabase } from "../../../store/database/read-only-database.ts";
import {
  createEndpointSecretStore,
  createGuestStore,
  type GuestRow,
  listSecrets,
  listSecretTables,
  type SealedRow,
} from "../../../store/sealed.ts";

// These functions also read the files of older versions, which lack some tables.

/** Returns the number of rows of each table; a table that an older version lacks is left out. */
export const countRows = (path: string, tables: readonly string[]): Record<string, number> =>
  withReadOnlyDatabase(path, (db) => {
    const existing = listTables(db);
    return Object.fromEntries(
      tables
        .filter((table) => existing.includes(table))
        .map((table) => [
          table,
          db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number,
        ]),
    );
  });

/** `needsKey` tells whether anything in the file is encrypted with a master key. */
type ServerFacts = { server: string; schema: number; needsKey: boolean };

/**
 * Returns the ID of the server that made a file, its schema, and whether it needs a master key. The
 * ID is empty if an old version made the file.
 */
export const readServerFacts = (path: string): ServerFacts =>
  withReadOnlyDatabase(path, (db) => ({
    server: hasTable(db, "server")
      ? (db.prepare("SELECT id FROM server").pluck().get() as string)
      : "",
    schema: db.pragma("user_version", { simple: true }) as number,
    needsKey: ["endpoint_secret", ...listSecretTables(), "guest"].some((table) =>
      hasRows(db, table),
    ),
  }));

/**
 * Returns a number that rises with every event and every change of a catalog. Unlike a time, it
 * tells which of two backups of a server is newer even if the clock was set back.
 */
export const readProgress = (path: string): number =>
  withReadOnlyDatabase(path, (db) => {
    const progress = db.prepare(`
      SELECT total(progress) FROM (
        SELECT max(catalog_version + last_sequence) AS progress FROM (
          SELECT id, catalog_version, last_sequence FROM business UNION ALL
          SELECT id, catalog_version, last_sequence FROM removed_business)
        GROUP BY id)`);
    return progress.pluck().get() as number;
  });

/**
 * Returns the counters of all businesses in a backup, including deleted ones. The backup must be of
 * this version, because those of older versions lack a table.
 */
export const readBackupCounters = (path: string): BusinessCounters[] =>
  withReadOnlyDatabase(path, (db) =>
    ["business", "removed_business"].flatMap(
      (table) =>
        db
          .prepare(`SELECT ${columns("id, catalog_version, last_sequence")} FROM ${table}`)
          .all() as BusinessCounters[],
    ),
  );

/** Returns whether a restore of the file could bring back an erased guest. */
export const hasGuestData = (path: string): boolean =>
  withReadOnlyDatabase(
    path,
    (db) =>
      hasRows(db, "guest") ||
      ["booking", "reservation", "ticket_order"].some((table) =>
        hasRows(db, table, "customer_ref IS NOT NULL"),
      ),
  );

const hasRows = (db: Db, table: string, condition = "TRUE"): boolean =>
  hasTable(db, table) &&
  db.prepare(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`).get() !== undefined;

/** Returns the encrypted secrets of endpoints and of features. An old version lacks some tables. */
export const readSecrets = (path: string): SealedRow[] =>
  withReadOnlyDatabase(path, (db) => [
    ...createEndpointSecretStore(db).list(),
    ...listSecretTables()
      .filter((table) => hasTable(db, table))
      .flatMap((table) => listSecrets(db, table)),
  ]);

/**
 * Returns the encrypted data of at most `limit` guests. The list is empty if the version that made
 * the file had no guests.
 */
export const readGuests = (path: string, limit: number): GuestRow[] =>
  withReadOnlyDatabase(path, (db) =>
    hasTable(db, "guest") ? createGuestStore(db).listAfter("", limit) : [],
  );

/**
 * Returns the number of guests whose encrypted data match. The number is 0 if the version that made
 * the file had no guests.
 */
export const countGuestsWhere = (path: string, matches: (row: GuestRow) => boolean): number =>
  withReadOnlyDatabase(path, (db) => {
    if (!hasTable(db, "guest")) return 0;
    let count = 0;
    for (const row of createGuestStore(db).iterateAll()) if (matches(row)) count += 1;
    return count;
  });

const hasTable = (db: Db, name: string): boolean => listTables(db).includes(name);
