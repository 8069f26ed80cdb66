import { basename } from "node:path";
import type { Config } from "../../../config.ts";
import type { AuditAction } from "../../../domain/audit.ts";
import { fullRefetchEvent } from "../../../domain/public/catalog-changed.ts";
import { listAccessTables, listEmptiedTables } from "../../../store/feature-tables.ts";
import {
  type AccessChange,
  createAccessStore,
  type KeyLimits,
  type readKeyLimits,
} from "../store/access.ts";
import { NO_LIMIT } from "../store/files.ts";
import type { AuditRow } from "../../../store/audit.ts";
import { audit } from "../../../app/audit.ts";
import { getBusiness } from "../../../app/businesses.ts";
import { deleteBusiness } from "../../../app/delete-business.ts";
import { appendEvents } from "../../../app/events.ts";
import { eraseVisits } from "../../../app/guests/erase-visits.ts";
import { findInReplies } from "../../../app/idempotent-replies.ts";
import { addToErasureList, movedLine, readErasureList, revokedLine } from "../erasure-list.ts";
import { endSecretsAgain } from "../../../app/keys.ts";
import { revokeInTransaction } from "../../../app/key-end.ts";
import { openRuntime, type Runtime } from "../../../app/runtime.ts";
import { disableInTransaction } from "../../../app/webhooks/endpoint-lifecycle.ts";
import { reencryptRestored } from "./keys.ts";
import type { KnownErasures } from "./known-erasures.ts";

const BUSY_TIMEOUT_MS = 5000;

/** The differences between the audit log of a backup and the live one, which is kept. */
export type AuditDifferences = {
  /** Entries whose content differs in the backup. */
  altered: string[];
  /** Entries that only the backup has: they are of an earlier server, or forged. */
  added: string[];
};

type Completion = {
  /** The path of the backup. */
  file: string;
  /**
   * The audit log of the replaced database. A restore must not remove its entries since the backup.
   */
  auditLog: readonly AuditRow[];
  /** The number that was added to each counter. */
  increase: number;
  /** Whether the backup has all that its server ever stored. */
  isComplete: boolean;
  now: number;
  erasures: KnownErasures;
  /** Whether businesses that have moved to another server come back. */
  keepMoved: boolean;
  isDrill: boolean;
  /**
   * Whether the server of the backup continues to run. The draft then gets a new server ID, because
   * two servers with one ID could use the same --backup-dir.
   */
  isSplit: boolean;
  isAuthentic: boolean;
  /** The keys that decrypt the backup besides the current ones. */
  oldKeys: Buffer[];
  /** Whether signing secrets that are encrypted with an old key are accepted. */
  isTrusted: boolean;
  /** The access to disable: what was revoked, and what an untrusted backup adds. */
  disabled: readonly AccessChange[];
  /** The limits of the live keys, which an untrusted backup cannot raise. */
  keyLimits: ReturnType<typeof readKeyLimits>;
};

/**
 * Completes the draft of a restore before it replaces the database: adds events for partners,
 * erases guests that were erased since the backup, revokes access that was revoked, deletes
 * businesses that have moved to another server, and writes the audit log.
 */
export function completeDraft(
  config: Config,
  {
    file,
    auditLog,
    increase,
    isComplete,
    now,
    erasures,
    keepMoved,
    isDrill,
    isSplit,
    isAuthentic,
    oldKeys,
    isTrusted,
    disabled,
    keyLimits,
  }: Completion,
): AuditDifferences {
  // The write guard protects the live data. The draft is another file, so any write is allowed.
  const rt = openRuntime(config, BUSY_TIMEOUT_MS, { now: () => now, assertMayWrite: () => {} });
  try {
    return rt.tx(() => {
      for (const business of isComplete ? [] : rt.store.businesses.list()) {
        const { id, catalogVersion: to } = business;
        appendEvents(rt, business, [fullRefetchEvent(id, { from: to - increase, to })]);
      }
      // A drill must not change the list of erased guests of this machine.
      if (isDrill) eraseVisits(rt, erasures.visitIds);
      else eraseAgain(rt, erasures);
      // A split keeps the feed ID, so that the cursors of partners stay valid on both servers.
      if (isSplit) rt.store.file.renewServerId();
      else if (!isComplete) rt.store.file.renewFeedId();
      reencryptRestored(rt, oldKeys, { withSecrets: isTrusted });
      findInReplies(rt, erasures.visitIds)();
      if (!isComplete)
        for (const table of listEmptiedTables()) rt.openStore(createAccessStore).deleteRows(table);
      const differences = mergeAuditLog(rt, auditLog);
      const ended = new Set(erasures.revoked);
      for (const change of disabled) disable(rt, change, ended);
      for (const { id, ...limits } of keyLimits) lowerLimits(rt, id, limits);
      const moved = keepMoved ? [] : erasures.returning;
      for (const { slug } of moved) deleteBusiness(rt, getBusiness(rt, slug));
      audit(rt, {
        action: "backup.restored",
        subject: { id: null, name: basename(file) },
        businessId: null,
        details: {
          isAuthentic,
          ...(disabled.length > 0 && { disabled: disabled.map(({ id }) => id) }),
          ...(moved.length > 0 && { movedBusinesses: moved.map(({ slug }) => slug) }),
          ...(differences.altered.length > 0 && { alteredEntries: differences.altered }),
          ...(differences.added.length > 0 && { addedEntries: differences.added.length }),
        },
      });
      return differences;
    });
  } finally {
    rt.close();
  }
}

/** Erases guests again, and adds all lines that the list of this machine lacks. */
function eraseAgain(rt: Runtime, { visitIds, moved, revoked }: KnownErasures): void {
  const ownLines = new Set(readErasureList(rt.config));
  const knownLines = [...visitIds, ...moved.map(movedLine), ...revoked.map(revokedLine)];
  const missing = knownLines.filter((line) => !ownLines.has(line));
  if (missing.length > 0) addToErasureList(rt.config, missing);
  eraseVisits(rt, visitIds);
}

/**
 * Adds the live entries to those of the backup. The live entry wins where both differ, because a
 * changed backup could otherwise change the history of the server.
 */
function mergeAuditLog({ store }: Runtime, live: readonly AuditRow[]): AuditDifferences {
  const inBackup = store.audit.list({}, NO_LIMIT);
  const differences = compareAuditLogs(live, inBackup);
  const altered = new Set(differences.altered);
  store.audit.replace(live.filter(({ id }) => altered.has(id)));
  // `insert` ignores an entry that the backup also has.
  for (const entry of live) store.audit.insert(entry);
  return differences;
}

/**
 * Returns how the audit log of a backup differs from the live one. An empty live log has nothing to
 * compare, so there are no differences.
 * @param live the newest entry first
 */
export function compareAuditLogs(
  live: readonly AuditRow[],
  backup: readonly AuditRow[],
): AuditDifferences {
  if (live.length === 0) return { altered: [], added: [] };
  const inBackup = new Map(backup.map((row) => [row.id, row]));
  const isAltered = (row: AuditRow) => {
    const other = inBackup.get(row.id);
    return other !== undefined && JSON.stringify(other) !== JSON.stringify(row);
  };
  const altered = live.filter(isAltered);
  const oldest = live.at(-1)?.id ?? "";
  const liveIds = new Set(live.map(({ id }) => id));
  // The live log no longer has entries from before its oldest one, because they were deleted by
  // age. A later entry has a greater ID.
  const added = [...inBackup.keys()].filter((id) => id > oldest && !liveIds.has(id));
  return { altered: altered.map(({ id }) => id), added };
}

/** Lowers each limit of a restored key to that of the live key, unless it is lower already. */
function lowerLimits({ store }: Runtime, keyId: string, live: Partial<KeyLimits>): void {
  const key = store.keys.findById(keyId);
  if (key === undefined) return;
  const lower = Object.entries(live).filter(
    ([limit, value]) => value < key[limit as keyof KeyLimits],
  );
  if (lower.length > 0) store.keys.update(keyId, { ...key, ...Object.fromEntries(lower) });
}

/**
 * @param ended the IDs of what was revoked after the backup was made, including the secrets of keys
 */
function disable(rt: Runtime, change: AccessChange, ended: ReadonlySet<string>): void {
  const { kind, id } = change;
  if (change.change === "secret ended") return endSecretsAgain(rt, id, ended);
  switch (kind) {
    case "key":
      return void revokeInTransaction(rt, id);
    case "endpoint":
      return void disableInTransaction(rt, id, "manual");
    default:
      return revokeOfFeature(rt, change);
  }
}

function revokeOfFeature(rt: Runtime, { kind, id, name, business }: AccessChange): void {
  for (const access of listAccessTables()) {
    const table = access[kind];
    if (table === undefined) continue;
    rt.openStore(createAccessStore).revoke(table, id, rt.now());
    audit(rt, {
      action: table.revoked as AuditAction,
      subject: { id, name },
      businessId: business === null ? null : getBusiness(rt, business).id,
    });
  }
}
