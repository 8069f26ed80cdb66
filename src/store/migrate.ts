import { rmSync } from "node:fs";
import { readMigrations } from "../assets.ts";
import { AppError } from "../domain/errors.ts";
import type { Db } from "./db.ts";

/** What stands between a file and its loss while it is brought to this version. */
export type Safeguard = {
  /** Throws for a file without a byte where there are backups of one that had data. */
  assertNoDataLoss: () => void;
  /** Copies what is committed to a file of its own, and gives its path; the migration to `schema` has begun, and written nothing yet. */
  backUp: (schema: number) => string;
  /** Keeps daemons away until released; throws while one runs. */
  lockOutDaemons: () => { release: () => void };
};

export type Migration = { from: number; to: number; backup: string };

/** As long as somebody else's migration may take, backup included. */
const WAIT_MS = 120_000;

/**
 * Brings a file to this version's schema in one transaction, behind which whoever else opens it waits.
 * @param safeguard of a file that has data; null for a copy of one
 * @returns what was done to data; null when there was nothing to do, or no data
 * @throws AppError state_refuses for a newer file, and while a daemon runs on an older one
 */
export function migrate(db: Db, path: string, safeguard: Safeguard | null): Migration | null {
  const migrations = readMigrations();
  const to = migrations.length;
  if (schemaOf(db, path, to) === to) return null;
  const patience = db.pragma("busy_timeout", { simple: true }) as number;
  db.pragma(`busy_timeout = ${WAIT_MS}`);
  try {
    return db.transaction(() => migrateAlone(db, path, migrations, safeguard)).immediate();
  } finally {
    db.pragma(`busy_timeout = ${patience}`);
  }
}

function schemaOf(db: Db, path: string, known: number): number {
  const schema = db.pragma("user_version", { simple: true }) as number;
  if (schema <= known) return schema;
  throw new AppError(
    "state_refuses",
    `${path} was written by a newer deskbell (schema ${schema}, this one knows ${known}).`,
    { fix: "start the newer deskbell, or restore a backup made by this version" },
  );
}

function migrateAlone(
  db: Db,
  path: string,
  migrations: string[],
  safeguard: Safeguard | null,
): Migration | null {
  const to = migrations.length;
  // Another process may have migrated while this one waited for the lock.
  const from = schemaOf(db, path, to);
  if (from === to) return null;
  const isInUse = safeguard !== null && from > 0;
  const lock = isInUse ? safeguard.lockOutDaemons() : undefined;
  let backup: string | undefined;
  try {
    if (isInUse) backup = safeguard.backUp(to);
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
