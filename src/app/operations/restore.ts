import { existsSync, realpathSync } from "node:fs";
import type { Config } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import { fullRefetchEvent } from "../../domain/public/catalog-changed.ts";
import { makeFolder } from "../../make-folder.ts";
import { openRuntime, type Runtime } from "../runtime.ts";
import {
  copyDatabase,
  advanceCounters,
  readCounters,
  removeDatabase,
  replaceDatabase,
} from "../../store/backup.ts";
import { acquireDaemonLock, isDaemonRunning } from "../../store/database.ts";
import { verifyBackup } from "./backups.ts";
import { checkSigningSecrets } from "./health-conditions.ts";
import { appendEvents } from "../events.ts";

/** So far ahead that no ETag and no cursor that was given out since the backup is ever used for something else. */
const JUMP = 1_000_000;

const WAIT_MS = 5000;

export type RestoreOptions = {
  now: number;
  /** Asked before anything is replaced; throws to leave everything as it is. */
  confirm: () => Promise<void>;
};

/**
 * Puts a backup in the place of the data, and keeps those beside it. What was on its way to a receiver when the backup was made
 * is still owed in it and due again; and each partner is owed a catalog.changed, for it was told of what is undone now.
 * @returns where the old data are; null: there were none
 * @throws AppError state_refuses while a daemon runs, and what `verifyBackup` throws
 */
export async function restoreBackup(
  config: Config,
  file: string,
  { now, confirm }: RestoreOptions,
): Promise<string | null> {
  const { dataDir, databasePath } = config;
  const isThere = assertRestorable(config, file);
  makeFolder(dataDir);
  const lock = acquireDaemonLock(databasePath);
  const draft = `${databasePath}.restoring`;
  try {
    if (isThere) await confirm();
    removeDatabase(draft);
    await copyDatabase(file, draft);
    verifyBackup(draft);
    // The same backup may be restored twice: what counts is how far the data that go had come, too.
    advanceCounters(draft, isThere ? readCounters(databasePath) : [], JUMP);
    tellPartners({ ...config, databasePath: draft }, now);
    const aside = `${databasePath}.before-restore-${new Date(now).toISOString().replace(/[-:.]/g, "")}`;
    replaceDatabase(databasePath, draft, aside);
    return isThere ? aside : null;
  } finally {
    removeDatabase(draft);
    lock.release();
  }
}

/**
 * Whether a backup could be put in the place of the data now.
 * @returns whether there are data that it would replace
 * @throws AppError as `restoreBackup` does
 */
export function assertRestorable({ dataDir, databasePath }: Config, file: string): boolean {
  const isThere = existsSync(databasePath);
  if (isThere && existsSync(file) && realpathSync(file) === realpathSync(databasePath))
    throw new AppError("usage", `${file} is the data themselves.`, { fix: "deskbell backup list" });
  verifyBackup(file);
  if (isDaemonRunning(databasePath))
    throw new AppError("state_refuses", `A daemon is running on ${dataDir}.`, {
      fix: "stop it, then restore",
    });
  return isThere;
}

function tellPartners(config: Config, now: number): void {
  const rt = openRuntime(config, WAIT_MS, { now: () => now });
  try {
    rt.tx(() => {
      for (const business of rt.store.businesses.list()) {
        const { id, catalogVersion: to } = business;
        appendEvents(rt, business, [fullRefetchEvent(id, { from: to - JUMP, to })]);
      }
    });
  } finally {
    rt.close();
  }
}

/** Whether the master key that lies beside the data is the one that their signing secrets are sealed with. */
export const hasMatchingMasterKey = (rt: Runtime): boolean => checkSigningSecrets(rt).length === 0;
