import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Config } from "../../../config.ts";
import { errorInWords, AppError } from "../../../domain/errors.ts";
import { isRegularBackup, readCounters } from "../store/files.ts";
import type { BackupTag, FoundTag } from "../tag.ts";
import { shellQuote } from "../../../domain/text.ts";
import { readBackupCounters, readProgress } from "../store/read-backup.ts";
import { saveOwnEpoch } from "../own-epoch.ts";
import { authenticate, describeRefusal, readBackupTag, unauthenticError } from "../authenticity.ts";
import { readOwner } from "../copies/backup-dir.ts";
import { type Backup, listBackupsIn, verifyBackup } from "../backups.ts";
import { forgetHandover } from "../handover/state.ts";
import { endTakeover, readNewestEpoch } from "./epochs.ts";
import { createEpoch } from "./new-epoch.ts";
import { readRecordedCounters, recordCounters } from "./recorded-counters.ts";
import { restoreBackup, type Restored, type RestoreOptions } from "./restore.ts";

const NAME_FOLDER = "name the folder that the other machine copies to with serve --backup-dir";

/** `skipped` lists the reasons why newer copies were not used. */
type NewestCopy = { copy: Backup; skipped: string[] };

/**
 * Returns the newest copy in a --backup-dir that is authentic and intact. The tag says when a copy
 * was made, because anybody who can write to the folder can rename an old copy.
 * @param options `untrusted`: whether to return the newest other copy if none is authentic.
 * `command`: the command that accepts a copy which is not authentic
 * @throws AppError resource_not_found if there is no intact copy; state_refuses if a newer deskbell
 * wrote the copy, or if no copy is authentic
 */
export async function findNewestCopy(
  config: Config,
  dir: string,
  {
    untrusted = false,
    command = takeOverCommand(dir),
  }: { untrusted?: boolean | undefined; command?: string } = {},
): Promise<NewestCopy> {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw new AppError("resource_not_found", `There is no folder ${dir}.`, {
      fix: `mount its disk, or ${NAME_FOLDER}`,
    });
  const { authentic, unauthentic, skipped } = listCopies(config, dir);
  /** Copies whose tag is authentic, but whose bytes differ from those that were tagged. */
  const altered: Unauthentic[] = [];
  for (const copy of authentic) {
    const kind = await verifyCopy(copy, config, skipped);
    if (kind === "authentic") {
      const newer = unauthentic.filter(({ createdAt }) => createdAt > copy.createdAt);
      const reasons = [...altered, ...newer].map(({ reason }) => `${reason}.`);
      return { copy, skipped: [...skipped, ...reasons] };
    }
    if (kind !== undefined)
      altered.push({ ...copy, kind, reason: describeRefusal(kind, copy.path, config) });
  }
  const refused = [...altered, ...unauthentic].toSorted((a, b) => b.createdAt - a.createdAt);
  const [newest] = refused;
  if (newest !== undefined && !untrusted) {
    const refusal = unauthenticError(newest.kind, newest.path, config, command);
    throw new AppError("state_refuses", `No copy in ${dir} is authentic: ${refusal.message}`, {
      ...(refusal.fix && { fix: refusal.fix }),
      issues: toIssues([...skipped, ...refused.map(({ reason }) => `${reason}.`)]),
    });
  }
  for (const { reason: _, kind: __, ...copy } of refused)
    if ((await verifyCopy(copy, config, skipped)) !== undefined) return { copy, skipped };
  const missing = skipped.length > 0 ? "intact copy" : "copy";
  throw new AppError("resource_not_found", `There is no ${missing} of a backup in ${dir}.`, {
    fix: `run deskbell backup on the server whose data you restore, or ${NAME_FOLDER}`,
    issues: toIssues(skipped),
  });
}

const toIssues = (details: readonly string[]) =>
  details.map((detail) => ({ code: "damaged_copy", detail }));

const takeOverCommand = (dir: string): string =>
  `deskbell restore --latest ${shellQuote(dir)} --fenced --untrusted`;

type Unauthentic = Backup & { kind: Exclude<FoundTag["kind"], "authentic">; reason: string };

/**
 * Lists the copies in a folder. The authentic copies are sorted by the number of takeovers, then by
 * the number of changes, and then by time, the newest copy first. The time decides last, because a
 * clock that was ahead gives copies a later time. The copies in `unauthentic` are in the order of
 * the times in their names, the latest first.
 */
function listCopies(config: Config, dir: string) {
  const authentic: (Backup & { epoch: number; progress: number })[] = [];
  const unauthentic: Unauthentic[] = [];
  const skipped: string[] = [];
  // A file that is empty, for example after a power cut of a NAS, names no server.
  const server = readOwner(dir) || undefined;
  for (const copy of listBackupsIn(dir).filter(({ path }) => isRegularBackup(basename(path))))
    try {
      const found = readBackupTag(config, copy.path);
      if (found.kind !== "authentic") {
        const { kind } = found;
        unauthentic.push({ ...copy, kind, reason: describeRefusal(kind, copy.path, config) });
      } else if (server !== undefined && found.tag.server !== server)
        skipped.push(`${copy.path} is a copy of another server.`);
      else {
        const { createdAt, epoch } = found.tag;
        authentic.push({ ...copy, createdAt, epoch, progress: readProgress(copy.path) });
      }
    } catch (error) {
      const reason = damageOf(error, copy);
      if (reason === undefined) throw error;
      skipped.push(reason);
    }
  const newestFirst = authentic.toSorted(
    (a, b) => b.epoch - a.epoch || b.progress - a.progress || b.createdAt - a.createdAt,
  );
  return {
    authentic: newestFirst.map(({ epoch: _, progress: __, ...copy }) => copy),
    unauthentic,
    skipped,
  };
}

/**
 * Reads a whole copy, and returns the state of its tag. Returns undefined, and adds the reason to
 * `skipped`, if the copy is damaged.
 */
async function verifyCopy(
  copy: Backup,
  config: Config,
  skipped: string[],
): Promise<FoundTag["kind"] | undefined> {
  try {
    await verifyBackup(copy.path);
    return (await authenticate(config, copy.path)).kind;
  } catch (error) {
    const reason = damageOf(error, copy);
    if (reason === undefined) throw error;
    skipped.push(reason);
    return undefined;
  }
}

/** Returns why a copy is skipped; undefined for an error that an older copy would cause, too. */
function damageOf(error: unknown, { path }: Backup): string | undefined {
  const { code, message } = error as Error & { code?: string };
  if (error instanceof AppError)
    // A bad sector of the disk that SQLite reads is reported as storage_failed.
    return code === "invalid_input" || code === "storage_failed" ? message : undefined;
  return code === "EIO" ? `Cannot read ${path}: ${errorInWords(error)}.` : undefined;
}

/** The tag of the copy with which a server was handed over, if no server has taken over since. */
type LastCopy = Pick<BackupTag, "epoch">;

/**
 * Returns the tag of a copy that has all that its server ever stored, so that a takeover with it
 * loses nothing; undefined for any other copy.
 * @param dir the folder of the copies
 */
export function findLastCopy(config: Config, dir: string, { path }: Backup): LastCopy | undefined {
  const found = readBackupTag(config, path);
  if (found.kind !== "authentic" || found.tag.isLast !== true) return undefined;
  // The epoch of the folder can be lower than that of the tag, because the server may have used
  // another folder until the handover.
  if (readNewestEpoch(dir) > found.tag.epoch) return undefined;
  // A copy that lacks what any server has recorded is not complete, whatever its tag says.
  const copied = new Map(readBackupCounters(path).map((business) => [business.id, business]));
  const own = existsSync(config.databasePath) ? readCounters(config.databasePath) : [];
  const known = [...readRecordedCounters(dir).counters, ...own];
  const isBehind = known.some(({ id, catalogVersion, lastSequence }) => {
    const inCopy = copied.get(id);
    return (
      catalogVersion > (inCopy?.catalogVersion ?? 0) || lastSequence > (inCopy?.lastSequence ?? 0)
    );
  });
  return isBehind ? undefined : found.tag;
}

/**
 * Restores a copy of another server here, and prevents that server from starting again.
 * @param dir the folder of the copies
 * @throws AppError like `restoreBackup`, and state_refuses if another machine takes over at the
 * same time
 */
export async function takeOver(
  config: Config,
  dir: string,
  { path }: Backup,
  {
    last,
    ...options
  }: Omit<RestoreOptions, "beforeReplacing" | "isComplete" | "isTakeover"> & {
    /** The result of `findLastCopy`. */
    last?: LastCopy | undefined;
  },
): Promise<Restored & { epoch: number }> {
  let epoch = 0;
  const found = readBackupTag(config, path);
  const copy = {
    epoch: last?.epoch ?? (found.kind === "authentic" ? found.tag.epoch : 0),
    isLast: last !== undefined,
  };
  const restored = await restoreBackup(config, path, {
    ...options,
    isComplete: last !== undefined,
    isTakeover: true,
    beforeReplacing(counters) {
      const takeover = createEpoch(config, dir, options.now, copy);
      epoch = takeover.epoch;
      try {
        recordCounters(dir, { epoch, counters });
        // The file of a handover is no longer needed: until the new data are in place, the epoch in
        // the folder prevents a start.
        forgetHandover(config);
      } catch (error) {
        takeover.undo();
        throw error;
      }
    },
  });
  saveOwnEpoch(config, epoch);
  endTakeover(dir, epoch);
  return { ...restored, epoch };
}
