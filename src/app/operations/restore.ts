import { existsSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Config } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import { fullRefetchEvent } from "../../domain/public/catalog-changed.ts";
import { audit } from "../audit.ts";
import { openRuntime, prepareDataFolder, type Runtime } from "../runtime.ts";
import {
  copyDatabase,
  advanceCounters,
  type BusinessCounters,
  readAuditLog,
  readCounters,
  removeDatabase,
  replaceDatabase,
  restoreDraft,
} from "../../store/backup.ts";
import type { AuditRow } from "../../store/audit.ts";
import { assertNotInUse } from "../../store/file-identity.ts";
import { acquireDaemonLock, isDaemonRunning } from "../../store/database.ts";
import { forgetBackupState } from "./backup-state.ts";
import { verifyBackup } from "./backups.ts";
import { readRecordedCounters } from "./recorded-counters.ts";
import { checkSigningSecrets } from "./delivery-conditions.ts";
import { appendEvents } from "../events.ts";
import { iterateGuests } from "../master-key.ts";
import { eraseVisits } from "../guests/erase-guests.ts";
import {
  addToErasureList,
  readCopiedErasureList,
  readErasureList,
} from "../guests/erasure-list.ts";

/** Large enough that no ETag or cursor issued since the backup is ever reused. */
const COUNTER_INCREASE = 1_000_000;

const BUSY_TIMEOUT_MS = 5000;

export type RestoreOptions = {
  now: number;
  /** Called before data is replaced; throws to abort. */
  confirm: () => Promise<void>;
  /**
   * Called with the new counters when everything is ready, immediately before the data are
   * replaced; throws to abort.
   */
  claim?: (counters: BusinessCounters[]) => void;
};

/**
 * Deliveries that were pending when the backup was made become due again. Every partner gets a
 * catalog.changed event, because changes that it was notified of are undone.
 * @returns the path of the copy of the old database, or null if there was none
 * @throws AppError state_refuses while a daemon is running, and the errors of `verifyBackup`
 */
export async function restoreBackup(
  config: Config,
  file: string,
  { now, confirm, claim }: RestoreOptions,
): Promise<string | null> {
  const { databasePath } = config;
  const replaces = await assertRestorable(config, file);
  if (config.mayCreate) prepareDataFolder(config);
  const lock = acquireDaemonLock(databasePath);
  const draft = restoreDraft(databasePath);
  try {
    if (replaces) await confirm();
    removeDatabase(draft);
    await copyDatabase(file, draft);
    await verifyBackup(draft);
    // The same backup may be restored twice, here or on other machines, so the counters of the
    // replaced database and those in the folder of copies matter too.
    const recorded = readRecordedCounters(dirname(file));
    const increase = COUNTER_INCREASE * (1 + recorded.takeoversSince);
    const own = replaces ? readCounters(databasePath) : [];
    advanceCounters(draft, [...own, ...recorded.counters], increase);
    const auditLog = replaces ? readAuditLog(databasePath) : [];
    completeDraft({ ...config, databasePath: draft }, { file, auditLog, increase, now });
    claim?.(readCounters(draft));
    const copy = `${databasePath}.before-restore-${new Date(now).toISOString().replace(/[-:.]/g, "")}`;
    replaceDatabase(databasePath, draft, copy);
    forgetBackupState(config, "failure");
    return replaces ? copy : null;
  } finally {
    removeDatabase(draft);
    lock.release();
  }
}

/**
 * @returns whether it would replace existing data
 * @throws AppError like `restoreBackup`
 */
export async function assertRestorable(
  { dataDir, databasePath }: Config,
  file: string,
): Promise<boolean> {
  const replaces = existsSync(databasePath);
  if (replaces && existsSync(file) && realpathSync(file) === realpathSync(databasePath))
    throw new AppError("usage", `${file} is the live database, not a backup.`, {
      fix: "deskbell backup list",
    });
  await verifyBackup(file);
  if (!replaces) assertNotInUse(databasePath);
  if (isDaemonRunning(databasePath))
    throw new AppError("state_refuses", `A daemon is running on ${dataDir}.`, {
      fix: "stop the daemon, then restore",
    });
  return replaces;
}

type Completion = {
  file: string;
  /** Of the replaced database: a restore must not remove the entries since the backup. */
  auditLog: readonly AuditRow[];
  /** What was added to each counter. */
  increase: number;
  now: number;
};

/** Notifies partners, erases guests that were erased since the backup, and writes the audit log. */
function completeDraft(config: Config, { file, auditLog, increase, now }: Completion): void {
  const rt = openRuntime(config, BUSY_TIMEOUT_MS, { now: () => now });
  try {
    rt.tx(() => {
      for (const business of rt.store.businesses.list()) {
        const { id, catalogVersion: to } = business;
        appendEvents(rt, business, [fullRefetchEvent(id, { from: to - increase, to })]);
      }
      eraseAgain(rt, file);
      // What it had not sent yet is old, and may have been sent since.
      rt.store.alertState.clear();
      for (const entry of auditLog) rt.store.audit.insert(entry);
      audit(rt, {
        action: "backup.restored",
        subject: { id: null, name: basename(file) },
        businessId: null,
      });
    });
  } finally {
    rt.close();
  }
}

/** Erases the guests of both lists: that of this server, and that of the folder of the backup. */
function eraseAgain(rt: Runtime, file: string): void {
  const own = new Set(readErasureList(rt.config));
  const others = readCopiedErasureList(file).filter((id) => !own.has(id));
  if (others.length > 0) addToErasureList(rt.config, others);
  eraseVisits(rt, [...own, ...others]);
}

/** Whether the master key decrypts the signing secrets and the guests' data. */
export const hasMatchingMasterKey = (rt: Runtime): boolean =>
  checkSigningSecrets(rt).length === 0 && rt.secrets.opensAny(iterateGuests(rt));
