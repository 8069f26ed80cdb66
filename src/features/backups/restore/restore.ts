import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { FoundTag } from "../tag.ts";
import type { Config } from "../../../config.ts";
import { AppError, errorInWords } from "../../../domain/errors.ts";
import {
  type AccessChange,
  listAccessChanges,
  listEndedSecrets,
  readKeyLimits,
} from "../store/access.ts";
import {
  copyDatabase,
  advanceCounters,
  type BusinessCounters,
  readAuditLog,
  readBackupAuditLog,
  readCounters,
  prepareReplacement,
  removeDatabase,
  replaceDatabase,
  restoreDraftPath,
} from "../store/files.ts";
import { copyDurably } from "../../../platform/durable-file.ts";
import { acquireDaemonLock, isDaemonRunning } from "../../../store/database/database.ts";
import { assertNotInUse } from "../../../store/database/file-identity.ts";
import { iterateGuests } from "../../../app/master-key.ts";
import { prepareDataFolder, type Runtime, systemRandom } from "../../../app/runtime.ts";
import { authenticate, tagBackup, unauthenticError } from "../authenticity.ts";
import { hashFile } from "../checksums.ts";
import { findUnreadable, readOldKeys, type UnreadableData } from "./keys.ts";
import { forgetBackupState } from "../state.ts";
import { verifyBackup } from "../backups.ts";
import { checkSigningSecrets } from "../../../app/operations/delivery-conditions.ts";
import { findErasures, type KnownErasures } from "./known-erasures.ts";
import { readRecordedCounters } from "./recorded-counters.ts";
import { type AuditDifferences, compareAuditLogs, completeDraft } from "./restored-draft.ts";

/**
 * The counters are raised by this number, so that no ETag or cursor issued since the backup is ever
 * reused.
 */
const COUNTER_INCREASE = 1_000_000;

/** The effects of a restore, which a person confirms. */
export type RestorePlan = {
  /** Whether the restore would replace data. */
  replaces: boolean;
  isAuthentic: boolean;
  /** The keys, endpoints, calendars and destinations that the restore adds or changes. */
  access: AccessChange[];
  /** The access that was revoked after the backup was made. The restore revokes it again. */
  revoked: AccessChange[];
  erasures: KnownErasures;
  /** The data that no key here decrypts. */
  unreadable: UnreadableData;
  audit: AuditDifferences;
};

export type Restored = RestorePlan & {
  /** The path of the copy of the replaced database; null if there was none. */
  previousData: string | null;
  /** The reason why the replaced data got no tag, so that a restore of them needs --untrusted. */
  tagError: string | null;
};

export type RestoreTrust = {
  /**
   * Restores a file that is not authentic, and disables the access that it adds to the existing
   * access.
   */
  untrusted?: boolean;
  /** Leaves the access enabled that a file restored with `untrusted` adds. */
  keepAdded?: boolean;
  /** Brings back businesses that have moved to another server since the backup. */
  keepMoved?: boolean;
  /** Leaves the list of erased guests of this machine as it is. */
  isDrill?: boolean;
};

export type RestoreOptions = RestoreTrust & {
  now: number;
  /** Called before the data are replaced; throws to abort. */
  confirm: (plan: RestorePlan) => Promise<void>;
  /** Gives the restored data a server ID of their own, in the step that puts them in place. */
  isSplit?: boolean;
  /**
   * Whether the backup has all that its server ever stored. Partners then notice nothing:
   * counters, cursors and devices stay as they are.
   */
  isComplete?: boolean;
  /** Called if erased guests may come back; throws to abort. The default throws `error`. */
  acceptGap?: (error: AppError) => Promise<void>;
  /** Whether the backup is one of another server, which this one replaces. */
  isTakeover?: boolean;
  /**
   * Called with the new counters when everything is ready, immediately before the data are
   * replaced; throws to abort.
   */
  beforeReplacing?: (counters: BusinessCounters[]) => void;
};

/**
 * Restores a backup. Deliveries that were pending when it was made become due again. Each partner
 * gets a catalog.changed event, because changes that it was notified of are undone.
 * @throws AppError state_refuses while a daemon or another restore is running, for a file that is not authentic, and
 * if erased guests may come back; and the errors of `verifyBackup`
 */
export async function restoreBackup(
  config: Config,
  file: string,
  options: RestoreOptions,
): Promise<Restored> {
  const { now, confirm, beforeReplacing } = options;
  const { databasePath } = config;
  const { plan, found: foundTag } = await prepareRestore(config, file, options);
  if (config.mayCreate) prepareDataFolder(config);
  const lock = acquireDaemonLock(databasePath);
  const draft = restoreDraftPath(databasePath);
  try {
    if (plan.erasures.gap !== null)
      await (options.acceptGap ?? throwError)(gapError(plan.erasures.gap.since));
    if (plan.replaces) await confirm(plan);
    removeDatabase(draft);
    await copyToDraft(file, draft, foundTag);
    await verifyBackup(draft);
    if (!plan.isAuthentic)
      assertSameAccess(plan, compareAccess(databasePath, draft, now, plan.erasures), file);
    // A backup may be restored twice, here or on other machines. The counters must therefore also
    // exceed those of the replaced database and of the folder of copies.
    const recorded = readRecordedCounters(dirname(file));
    const isComplete = options.isComplete === true;
    // A complete backup has the last counters of its server. Each takeover since the record has
    // raised the counters once more.
    const increase = isComplete ? 0 : COUNTER_INCREASE * (1 + recorded.takeoversSince);
    const replaced = plan.replaces ? readCounters(databasePath) : [];
    if (!isComplete) advanceCounters(draft, [...replaced, ...recorded.counters], increase);
    const isTrusted = plan.isAuthentic || options.keepAdded === true;
    // A key with only its limits raised stays enabled, because `keyLimits` lowers them again.
    const added = plan.access.filter(({ change }) => change !== "limits raised");
    const audit = completeDraft(
      { ...config, databasePath: draft },
      {
        file,
        auditLog: plan.replaces ? readAuditLog(databasePath) : [],
        increase,
        isComplete,
        now,
        erasures: plan.erasures,
        keepMoved: options.keepMoved === true,
        isDrill: options.isDrill === true,
        isSplit: options.isSplit === true,
        isAuthentic: plan.isAuthentic,
        oldKeys: readOldKeys(config, file),
        isTrusted,
        disabled: [...plan.revoked, ...(isTrusted ? [] : added)],
        keyLimits: isTrusted ? [] : readKeyLimits(databasePath, now),
      },
    );
    // `prepareReplacement` can fail, and so comes first: the records that `beforeReplacing` makes
    // must not remain if the restore fails.
    prepareReplacement(databasePath, draft);
    beforeReplacing?.(readCounters(draft));
    const copy = `${databasePath}.before-restore-${new Date(now).toISOString().replace(/[-:.]/g, "")}`;
    replaceDatabase(databasePath, draft, copy);
    const tagError = plan.replaces ? tagCopy(config, copy, now) : null;
    forgetBackupState(config, "failure");
    return { ...plan, audit, previousData: plan.replaces ? copy : null, tagError };
  } finally {
    removeDatabase(draft);
    lock.release();
  }
}

/**
 * Returns the effects that a restore would have.
 * @throws AppError like `restoreBackup`
 */
export const planRestore = async (
  config: Config,
  file: string,
  options: Pick<RestoreOptions, "now" | "isTakeover"> & RestoreTrust,
): Promise<RestorePlan> => (await prepareRestore(config, file, options)).plan;

async function prepareRestore(
  config: Config,
  file: string,
  { now, untrusted, isTakeover = false }: Pick<RestoreOptions, "now" | "isTakeover"> & RestoreTrust,
): Promise<{ plan: RestorePlan; found: FoundTag }> {
  const { dataDir, databasePath } = config;
  const replaces = existsSync(databasePath);
  if (replaces && existsSync(file) && realpathSync(file) === realpathSync(databasePath))
    throw new AppError("usage", `${file} is the live database, not a backup.`, {
      fix: "deskbell backup list",
    });
  await verifyBackup(file);
  // A process may still have the database open after its file was deleted.
  if (!replaces) assertNotInUse(databasePath);
  if (isDaemonRunning(databasePath))
    throw new AppError("state_refuses", `A daemon or another restore is running on ${dataDir}.`, {
      fix: "stop the daemon, or wait until the other restore has ended",
    });
  const found = await authenticate(config, file);
  if (found.kind !== "authentic" && untrusted !== true)
    throw unauthenticError(found.kind, file, config);
  const erasures = findErasures(config, file, found, { isTakeover });
  const plan: RestorePlan = {
    replaces,
    isAuthentic: found.kind === "authentic",
    ...compareAccess(databasePath, file, now, erasures),
    erasures,
    unreadable: findUnreadable(config, file),
    audit: compareAuditLogs(replaces ? readAuditLog(databasePath) : [], readBackupAuditLog(file)),
  };
  return { plan, found };
}

type Access = Pick<RestorePlan, "access" | "revoked">;

/**
 * Compares the access of a backup with the live access. `revoked` in the result is the access that
 * was revoked after the backup was made.
 */
function compareAccess(
  livePath: string,
  backupPath: string,
  now: number,
  erasures: KnownErasures,
): Access {
  const revokedIds = new Set(erasures.revoked);
  const changes = listAccessChanges(livePath, backupPath, now);
  return {
    access: changes.filter(({ id }) => !revokedIds.has(id)),
    revoked: [
      ...changes.filter(({ id }) => revokedIds.has(id)),
      ...listEndedSecrets(backupPath, now, revokedIds),
    ],
  };
}

/** Copies exactly the bytes that were authenticated, even if the file is replaced meanwhile. */
async function copyToDraft(file: string, draft: string, found: FoundTag): Promise<void> {
  if (found.kind !== "authentic") return copyDatabase(file, draft);
  const { bytes, sha256 } = found.tag;
  await copyDurably(file, draft, { bytes });
  if ((await hashFile(draft)) === sha256) return;
  throw changedError(file);
}

/**
 * Asserts that a file that is not authentic still has the access that was listed, because the
 * restore disables only listed access.
 */
function assertSameAccess({ access, revoked }: Access, inDraft: Access, file: string): void {
  if (JSON.stringify(inDraft) !== JSON.stringify({ access, revoked })) throw changedError(file);
}

const changedError = (file: string): AppError =>
  new AppError("state_refuses", `${file} was changed while it was read.`, {
    fix: "copy the backup to a folder of this machine, and restore that copy",
  });

/**
 * Adds a tag to the replaced data, so that they can be restored like a backup. The data get no tag
 * if they are damaged, or if they are encrypted and no master key exists.
 * @returns why adding the tag failed; null if it did not fail or the data get no tag
 */
function tagCopy(config: Config, copy: string, now: number): string | null {
  // A write-ahead log remains only if the data are so damaged that it could not be merged.
  if (existsSync(`${copy}-wal`)) return null;
  try {
    tagBackup(config, copy, now, systemRandom);
    return null;
  } catch (error) {
    return errorInWords(error);
  }
}

const throwError = async (error: AppError): Promise<void> => {
  throw error;
};

function gapError(since: number | null): AppError {
  const when = since === null ? "the backup was made" : new Date(since).toISOString();
  return new AppError(
    "state_refuses",
    `No list of erased guests is newer than the backup: guests who were erased after ${when} would come back.`,
    {
      fix: "put the newest erased-guests.txt of a folder of backups next to the backup: it is signed, that in the data folder is not; if nobody was erased since, or there is no list, add --accept-erasure-gap",
    },
  );
}

/** Returns whether the master key decrypts the signing secrets, and a guest if there are any. */
export const hasMatchingMasterKey = (rt: Runtime): boolean =>
  checkSigningSecrets(rt).length === 0 && rt.secrets.decryptsAny(iterateGuests(rt));
