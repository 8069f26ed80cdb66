import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import {
  type HealthCondition,
  openCondition,
  type Finding,
} from "../../domain/conditions/registry.ts";
import type { Config } from "../../config.ts";
import { hasTag } from "./tag.ts";
import { isoSeconds, shellQuote, summarizeNames } from "../../domain/text.ts";
import { isRegularBackup } from "./store/files.ts";
import type { DaemonRow } from "../../store/daemon-rows.ts";
import { damageCondition } from "../../app/operations/storage-conditions.ts";
import { iterateSecrets } from "../../app/master-key.ts";
import type { Runtime } from "../../app/runtime.ts";
import { describeMissingTag } from "./authenticity.ts";
import { type BackupState, readBackupState } from "./state.ts";
import { findNewestBackup } from "./backups.ts";
import { isKeyCopied } from "./copies/key-copies.ts";
import { isAltered } from "./upkeep/scrub.ts";

const DAY_MS = 86_400_000;
/** A backup, or a copy of one, is reported as overdue after this many intervals. */
const OVERDUE_INTERVALS = 2;
/**
 * A failed copy is reported after this many tries or this much time, because a disk may be mounted
 * late.
 */
const LASTING_TRIES = 2;
const LASTING_MS = 3_600_000;

type CopyFailure = BackupState["copy-failure"];

/** @param daemon the running daemon; undefined if none runs */
export const backupIntervalMs = (daemon: DaemonRow | undefined): number =>
  daemon?.backupEveryMs ?? DAY_MS;

const overdueAfterMs = (daemon: DaemonRow | undefined): number =>
  OVERDUE_INTERVALS * backupIntervalMs(daemon);

/** Reports damage that the last nightly backup found. */
export function checkFoundDamage({ config }: Runtime): HealthCondition[] {
  const failure = readBackupState(config, "failure");
  if (failure?.isDamaged !== true) return [];
  const found = `${config.databasePath} is damaged (found at ${isoSeconds(failure.at)}).`;
  return [damageCondition(found, failure.at)];
}

/**
 * Reports a failed or overdue backup.
 * @param lastAt when the last backup was made (epoch ms)
 * @param startedAt when the daemon started; the wait for a first backup begins at this time
 * @param daemon the running daemon; undefined if none runs
 */
export function checkBackupAge(
  { config, now }: Runtime,
  lastAt: number | null,
  startedAt: number | null,
  daemon: DaemonRow | undefined,
): HealthCondition[] {
  const failure = readBackupState(config, "failure");
  // The condition `database.damaged` reports a failure because of damage.
  if (failure?.isDamaged === true) return [];
  if (failure) {
    const text = `the backup of ${isoSeconds(failure.at)} failed: ${failure.reason}`;
    return [openCondition("backup.failed", text, "deskbell backup", { since: failure.at })];
  }
  const unusable = findFolderProblem(config.backupFolder);
  if (unusable !== null)
    return [openCondition("backup.failed", unusable, `ls -ld ${shellQuote(config.backupFolder)}`)];
  const dueSince = lastAt ?? startedAt;
  if (dueSince === null || now() - dueSince <= overdueAfterMs(daemon)) return [];
  const text =
    lastAt === null
      ? `there is no backup yet (running since ${isoSeconds(dueSince)})`
      : `there has been no backup since ${isoSeconds(lastAt)}`;
  return [openCondition("backup.overdue", text, "deskbell backup")];
}

/**
 * Returns why backups cannot be written to their folder. A failed backup is recorded in the same
 * folder, so there would be no record of it.
 */
function findFolderProblem(folder: string): string | null {
  if (!existsSync(folder)) return null;
  if (!statSync(folder).isDirectory())
    return `no backup can be made: ${folder} is not a folder: move it away`;
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    // The condition `storage.read_only` reports a whole disk that is read-only.
    if ((error as NodeJS.ErrnoException).code === "EROFS") return null;
    return `no backup can be made: ${folder} is not writable: check its owner and mode`;
  }
}

/**
 * Reports that backups do not reach --backup-dir or --backup-command: copying has failed twice, or
 * has failed for an hour, or the newest copied backup is more than two intervals old although there
 * is a newer backup.
 * @param lastAt when the last backup was made (epoch ms)
 */
export function checkBackupCopies(
  { config, now }: Runtime,
  lastAt: number | null,
  daemon: DaemonRow | undefined,
): HealthCondition[] {
  if (daemon?.copiesBackups !== true) return [];
  const failure = readBackupState(config, "copy-failure");
  const copy = readBackupState(config, "copy");
  if (failure !== null && isLasting(failure, now()))
    return [unshipped(config, copy?.createdAt ?? failure.since, failure)];
  if (lastAt === null || (copy !== null && copy.createdAt >= lastAt)) return [];
  const since = copy?.createdAt ?? failure?.since ?? daemon.startedAt;
  return now() - since > overdueAfterMs(daemon) ? [unshipped(config, since, failure)] : [];
}

const isLasting = ({ tries = 1, since }: CopyFailure, now: number): boolean =>
  tries >= LASTING_TRIES || now - since >= LASTING_MS;

function unshipped(
  { backups: { dir, command } }: Config,
  since: number,
  failure: CopyFailure | null,
): HealthCondition {
  const why = failure === null ? "" : `: ${failure.reason}`;
  // The reason names the place that lacks the backup. If both places are set, the other place may
  // have newer backups.
  const what =
    dir !== null && command !== null
      ? "no backup has reached both --backup-dir and --backup-command"
      : "no backup has been copied to another place";
  const text = `${what} since ${isoSeconds(since)}${why}`;
  return openCondition("backup.unshipped", text, "deskbell backup", { since });
}

/** Reports that the last drill could not restore a backup. */
export function checkDrill({ config }: Runtime): HealthCondition[] {
  const drill = readBackupState(config, "drill");
  if (drill === null || drill.error === null) return [];
  const text = `the backup ${drill.name} could not be restored as a drill (${isoSeconds(drill.at)}): ${drill.error}`;
  return [openCondition("backup.drill_failed", text, "deskbell backup drill", { since: drill.at })];
}

/** Reports that the newest backup has no tag, so that a takeover and a restore refuse it. */
export function checkNewestTag(rt: Runtime): HealthCondition[] {
  const newest = findNewestBackup(rt, isRegularBackup);
  if (newest === undefined || isTaggedOrUnreadable(newest.path)) return [];
  const { why, fix } = describeMissingTag(rt.config);
  const text = `the newest backup ${newest.path} has no authentication tag, because ${why}: restore accepts it only with --untrusted`;
  return [openCondition("backup.untagged", text, fix, { since: newest.createdAt })];
}

/** Returns true for a file that cannot be read, because another condition reports its disk. */
function isTaggedOrUnreadable(path: string): boolean {
  try {
    return hasTag(path);
  } catch {
    return true;
  }
}

/** Reports damage that the scrub of events and backups has found. */
export function checkScrub({ config, store }: Runtime): HealthCondition[] {
  const scrub = readBackupState(config, "scrub");
  const altered = scrub?.altered.filter((id) => isAltered(store.events.findById(id))) ?? [];
  const conditions = (scrub?.damaged ?? [])
    .filter(({ path }) => existsSync(path))
    .map(({ path, reason }) =>
      openCondition(
        "backup.damaged",
        `a backup was damaged after it was made: ${reason}`,
        `deskbell backup, then rm ${shellQuote(path)}`,
        { subject: { id: path, name: basename(path) } },
      ),
    );
  if (altered.length === 0) return conditions;
  const were = altered.length === 1 ? "was" : "were";
  const text = `${summarizeNames(altered)} ${were} altered in the database file: restore a backup made before that`;
  return [...conditions, openCondition("events.altered", text, "deskbell backup list")];
}

/**
 * Recommends a second place for backups, and a copy of the master key.
 * @param hasValidKey whether the master key decrypts the signing secrets
 */
export function adviseOnCopies({ config, now, store }: Runtime, hasValidKey: boolean): Finding[] {
  const { dir, command } = config.backups;
  const isConfigured =
    store.daemon.find()?.copiesBackups === true || dir !== null || command !== null;
  const copy = readBackupState(config, "copy");
  const findings: Finding[] = [];
  const add = (text: string, fix: string) => findings.push({ text, fix, isAdvice: true });
  if (!isConfigured)
    add(
      "all backups are on this machine: if its disk fails, they are lost with the data",
      SECOND_PLACE_FIX,
    );
  else if (copy !== null && copy.dir !== null && !copy.isOtherDisk && !copy.hasCommand)
    add(
      `${copy.dir} is on the disk of the data: if it fails, the copies are lost with the data`,
      SECOND_PLACE_FIX,
    );
  const failure = readBackupState(config, "copy-failure");
  if (isConfigured && failure?.isErasureListLate === true)
    add(
      `the list of erased guests could not be copied (${isoSeconds(failure.at)}), so a takeover would restore these guests. It is tried again each minute: ${failure.reason}`,
      "check the folder of --backup-dir: its disk, owner and mode",
    );
  // If the failure names a backup that was copied, only the list of erased guests could not be
  // copied, which is reported above.
  const isOfBackup = failure !== null && failure.name !== copy?.name;
  if (isConfigured && isOfBackup && !isLasting(failure, now())) {
    const what =
      failure.name === null
        ? "no backup could be copied"
        : `the backup ${failure.name} could not be copied`;
    add(
      `${what} (${isoSeconds(failure.at)}): ${failure.reason}`,
      "deskbell backup, which waits until the daemon has copied it",
    );
  }
  if (hasValidKey && [...iterateSecrets({ store })].length > 0 && !isKeyCopied(config))
    add(
      "no copy of the master key is known: without it, a restored server cannot sign webhooks",
      "deskbell backup --master-key-out FILE (on another disk), or deskbell serve --backup-with-key",
    );
  return findings;
}

const SECOND_PLACE_FIX =
  "deskbell serve --backup-dir FOLDER (on another disk), or --backup-command COMMAND (to upload them)";
