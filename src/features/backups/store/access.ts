import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { secretId } from "../../../domain/api-key.ts";
import { lazy } from "../../../domain/lazy.ts";
import { type Db, isSqliteError } from "../../../store/database/db.ts";
import {
  type AccessTable,
  type FeatureAccess,
  type FeatureTable,
  listAccessTables,
} from "../../../store/feature-tables.ts";
import { withReadOnlyDatabase } from "../../../store/database/read-only-database.ts";
import { listTables } from "./files.ts";

// Access is a row by which somebody reads or receives data. A restore must not add such a row
// unnoticed.

export type AccessKind = keyof typeof CORE_TABLES | FeatureAccess;

type AccessRow = {
  kind: AccessKind;
  id: string;
  name: string;
  /** The slug; null for a row that concerns all businesses. */
  business: string | null;
  isActive: boolean;
  /** The columns that decide who gets what; binary values as hexadecimal digits. */
  rights: Record<string, unknown>;
  /** Hashes of the valid secrets of an API key. */
  secrets: string[];
  limits: Partial<KeyLimits>;
};

const LIMIT_COLUMNS = {
  limit_minute: "limitMinute",
  limit_hour: "limitHour",
  max_endpoints: "maxEndpoints",
  max_holds: "maxHolds",
  max_bookings_day: "maxBookingsDay",
} as const;

export type KeyLimits = Record<(typeof LIMIT_COLUMNS)[keyof typeof LIMIT_COLUMNS], number>;

export type AccessChange = Pick<AccessRow, "kind" | "id" | "name" | "business"> & {
  /**
   * `brought back`: the live row is inactive, for example revoked, but the row of the backup is
   * active. `secret ended`: a secret of the key that is valid in the backup ended for good after
   * the backup was made.
   */
  change: "new" | "brought back" | "changed" | "limits raised" | "secret ended";
  /** The limits that are higher in the backup, with the live value and that of the backup. */
  raised?: { [Limit in keyof KeyLimits]?: { from: number; to: number } };
};

type Row = Record<string, unknown> & { id: string };

const CORE_TABLES = {
  key: {
    table: "api_key",
    rights: ["business_id", "partner_id", "kind", "scopes", "event_groups", "cidrs", "expires_at"],
    isActive: ({ revoked_at, expires_at }, now) =>
      revoked_at === null && (expires_at === null || (expires_at as number) > now),
  },
  endpoint: {
    table: "endpoint",
    rights: ["business_id", "partner_id", "key_id", "url", "events", "allow_private"],
    isActive: ({ status, deleted_at }) => status === "ACTIVE" && deleted_at === null,
  },
} satisfies Record<string, AccessTable>;

/** Returns the tables with access, by kind: those of the core and of features. */
const getTables = lazy((): Readonly<Record<AccessKind, AccessTable>> =>
  Object.assign({}, CORE_TABLES, ...listAccessTables()),
);
export const listAccessKinds = (): AccessKind[] => Object.keys(getTables()) as AccessKind[];

export function createAccessStore(db: Db) {
  return {
    /** Revokes a row, or deletes it if its table has no column for the time of a revocation. */
    revoke({ table, revokedAt: column }: FeatureTable, id: string, at: number): void {
      if (column === null) db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
      else db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(at, id);
    },
    deleteRows: (table: string): void => void db.prepare(`DELETE FROM ${table}`).run(),
  };
}

/**
 * Returns the active access of a backup that the live database does not have in this form: the live
 * row is missing or inactive, or has other rights, other secrets or lower limits.
 * @param livePath the live database; if there is no such file, all rows are new
 */
export function listAccessChanges(
  livePath: string,
  backupPath: string,
  now: number,
): AccessChange[] {
  const liveRows = new Map(
    readAccessIfPossible(livePath, now).map((row) => [`${row.kind} ${row.id}`, row]),
  );
  return withReadOnlyDatabase(backupPath, (db) => readAccess(db, now)).flatMap((row) => {
    if (!row.isActive) return [];
    const live = liveRows.get(`${row.kind} ${row.id}`);
    const raised = live === undefined ? {} : listRaised(live, row);
    const hasRaised = Object.keys(raised).length > 0;
    const change = findChange(live, row) ?? (hasRaised ? "limits raised" : undefined);
    const { kind, id, name, business } = row;
    if (change === undefined) return [];
    return [{ kind, id, name, business, change, ...(hasRaised && { raised }) }];
  });
}

/**
 * Returns the active keys of a backup with a secret that is valid in the backup, but has ended for
 * good since then.
 * @param revoked the IDs of what was revoked, secrets included (`secretId`)
 */
export const listEndedSecrets = (
  backupPath: string,
  now: number,
  revoked: ReadonlySet<string>,
): AccessChange[] =>
  withReadOnlyDatabase(backupPath, (db) => readAccess(db, now))
    .filter(({ id, isActive, secrets }) => {
      const isEnded = (hash: string) => revoked.has(secretId(Buffer.from(hash, "hex")));
      return isActive && !revoked.has(id) && secrets.some(isEnded);
    })
    .map(({ kind, id, name, business }) => ({ kind, id, name, business, change: "secret ended" }));

const listRaised = (live: AccessRow, row: AccessRow): NonNullable<AccessChange["raised"]> =>
  Object.fromEntries(
    Object.entries(row.limits).flatMap(([limit, to]) => {
      const from = live.limits[limit as keyof KeyLimits];
      return from !== undefined && to > from ? [[limit, { from, to }]] : [];
    }),
  );

/** Returns the limits of the keys of a database; nothing if the file is missing or damaged. */
export const readKeyLimits = (path: string, now: number): (Partial<KeyLimits> & { id: string })[] =>
  readAccessIfPossible(path, now)
    .filter(({ kind }) => kind === "key")
    .map(({ id, limits }) => ({ id, ...limits }));

function findChange(
  live: AccessRow | undefined,
  row: AccessRow,
): AccessChange["change"] | undefined {
  if (live === undefined) return "new";
  if (!live.isActive) return "brought back";
  const hasOtherSecret = row.secrets.some((hash) => !live.secrets.includes(hash));
  // The database of an older version lacks some columns, which are not compared.
  const hasOtherRights = Object.entries(row.rights).some(
    ([column, value]) => column in live.rights && live.rights[column] !== value,
  );
  return hasOtherSecret || hasOtherRights ? "changed" : undefined;
}

/**
 * Returns the rows of a database; nothing if it is damaged, which may be why it is being replaced.
 */
function readAccessIfPossible(path: string, now: number): AccessRow[] {
  if (!existsSync(path)) return [];
  let db: Db | undefined;
  try {
    // The connection may write, because such a connection removes the files of WAL mode when it is
    // closed.
    db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    return readAccess(db, now);
  } catch (error) {
    if (isSqliteError(error)) return [];
    throw error;
  } finally {
    db?.close();
  }
}

const BUSY_TIMEOUT_MS = 5000;

function readAccess(db: Db, now: number): AccessRow[] {
  const tables = listTables(db);
  const slugs = new Map(
    db.prepare("SELECT id, slug FROM business").raw().all() as [string, string][],
  );
  const secrets = db.prepare(
    "SELECT key_id, lower(hex(hash)) AS hash FROM api_key_secret WHERE expires_at IS NULL OR expires_at > ?",
  );
  const hashes = Map.groupBy(
    secrets.all(now) as { key_id: string; hash: string }[],
    ({ key_id }) => key_id,
  );
  return listAccessKinds().flatMap((kind) => {
    const { table, rights, isActive } = getTables()[kind];
    if (!tables.includes(table)) return [];
    const rows = db.prepare(`SELECT * FROM ${table} ORDER BY id`).all() as Row[];
    return rows.map((row) => ({
      kind,
      id: row.id,
      // A calendar has no name, but may have a staff member.
      name: String(row.name ?? row.staff_id ?? row.id),
      business: slugs.get(row.business_id as string) ?? null,
      isActive: isActive(row, now),
      rights: Object.fromEntries(
        rights.filter((column) => column in row).map((column) => [column, bytesToHex(row[column])]),
      ),
      secrets: (hashes.get(row.id) ?? []).map(({ hash }) => hash),
      limits: Object.fromEntries(
        Object.entries(LIMIT_COLUMNS).flatMap(([column, limit]) =>
          typeof row[column] === "number" ? [[limit, row[column]]] : [],
        ),
      ),
    }));
  });
}

const bytesToHex = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
