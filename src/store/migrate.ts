import { rmSync } from "node:fs";
import { countMigrations, readMigrations } from "../platform/assets.ts";
import { AppError } from "../domain/errors.ts";
import type { Db } from "./db.ts";

/** Protects existing data during a migration. */
export type Safeguard = {
  /** Throws if the file is empty although backups of it exist. */
  assertNoDataLoss: () => void;
  /** Backs up the committed data, before the migration writes. @returns the backup's path */
  backUp: (schema: number) => string;
  /** Prevents daemons from starting until released; throws if one is running. */
  lockOutDaemons: () => { release: () => void };
};

export type Migration = { from: number; to: number; backup: string };

/** The longest that a migration by another process may take, backup included. */
const MIGRATION_TIMEOUT_MS = 120_000;

/**
 * Migrates a file to this version's schema in one transaction; other processes wait for it.
 * @param safeguard null for a copy, which needs no backup
 * @returns null if nothing was migrated, or if the file was new or a copy
 * @throws AppError state_refuses for a newer file, and if a daemon is running on an older one
 */
export function migrate(db: Db, path: string, safeguard: Safeguard | null): Migration | null {
  const newest = countMigrations();
  if (schemaOf(db, path, newest) === newest) return null;
  const migrations = readMigrations();
  const busyTimeoutMs = db.pragma("busy_timeout", { simple: true }) as number;
  db.pragma(`busy_timeout = ${MIGRATION_TIMEOUT_MS}`);
  try {
    return db.transaction(() => migrateLocked(db, path, migrations, safeguard)).immediate();
  } finally {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}

function schemaOf(db: Db, path: string, known: number): number {
  const schema = db.pragma("user_version", { simple: true }) as number;
  if (schema <= known) return schema;
  throw new AppError(
    "state_refuses",
    `${path} was written by a newer deskbell (schema ${schema}; this one supports ${known}).`,
    { fix: "start the newer deskbell, or restore a backup made by this version" },
  );
}

function migrateLocked(
  db: Db,
  path: string,
  migrations: string[],
  safeguard: Safeguard | null,
): Migration | null {
  const to = migrations.length;
  // Another process may have migrated it while this one waited for the lock.
  const from = schemaOf(db, path, to);
  if (from === to) return null;
  const hasData = safeguard !== null && from > 0;
  const lock = hasData ? safeguard.lockOutDaemons() : undefined;
  let backup: string | undefined;
  try {
    if (hasData) backup = safeguard.backUp(to);
    for (const sql of migrations.slice(from)) db.exec(sql);
    db.pragma(`user_version = ${to}`);
    return backup === undefined ? null : { from, to, backup };
  } catch (error) {
    if (backup !== undefined) rmSync(backup, { force: true });
    throw error;
  } finally {
    lock?.release();
  }
}
