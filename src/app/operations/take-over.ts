import { statSync } from "node:fs";
import { basename } from "node:path";
import type { Config } from "../../config.ts";
import { errorInWords } from "../../domain/error-words.ts";
import { AppError } from "../../domain/errors.ts";
import { isNightly } from "../../store/backup.ts";
import { type Backup, listBackupsIn, verifyBackup } from "./backups.ts";
import { claimEpoch, saveOwnEpoch } from "./epochs.ts";
import { recordCounters } from "./recorded-counters.ts";
import { restoreBackup, type RestoreOptions } from "./restore.ts";

const NAME_FOLDER = "name the folder that serve --backup-dir copies to on the other machine";

/** `skipped`: why newer copies were not used. */
type NewestCopy = { copy: Backup; skipped: string[] };

/**
 * Returns the newest copy in a --backup-dir that is intact.
 * @throws AppError resource_not_found if there is none; state_refuses if a newer deskbell wrote it
 */
export async function findNewestCopy(dir: string): Promise<NewestCopy> {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw new AppError("resource_not_found", `There is no folder ${dir}.`, {
      fix: `mount its disk, or ${NAME_FOLDER}`,
    });
  const skipped: string[] = [];
  for (const copy of listBackupsIn(dir).filter(({ path }) => isNightly(basename(path))))
    try {
      await verifyBackup(copy.path);
      return { copy, skipped };
    } catch (error) {
      const reason = damageOf(error, copy);
      if (reason === undefined) throw error;
      skipped.push(reason);
    }
  const none = skipped.length > 0 ? "intact copy" : "copy";
  throw new AppError("resource_not_found", `There is no ${none} of a backup in ${dir}.`, {
    fix: NAME_FOLDER,
    issues: skipped.map((detail) => ({ code: "damaged_copy", detail })),
  });
}

/** Returns what is wrong with a copy; undefined if an older one would not help. */
function damageOf(error: unknown, { path }: Backup): string | undefined {
  const { code, message } = error as Error & { code?: string };
  if (error instanceof AppError)
    // A bad sector of the disk, which SQLite has found, is storage_failed.
    return code === "invalid_input" || code === "storage_failed" ? message : undefined;
  return code === "EIO" ? `Cannot read ${path}: ${errorInWords(error)}.` : undefined;
}

/**
 * Restores a copy on another machine, and prevents the server that made it from starting again.
 * @param dir of the copies
 * @returns the path of the old database on this machine, if there was one, and the new epoch
 * @throws AppError like `restoreBackup`, and state_refuses if another machine takes over too
 */
export async function takeOver(
  config: Config,
  dir: string,
  { path }: Backup,
  options: Omit<RestoreOptions, "claim">,
): Promise<{ previousData: string | null; epoch: number }> {
  let epoch = 0;
  const previousData = await restoreBackup(config, path, {
    ...options,
    claim(counters) {
      epoch = claimEpoch(dir, options.now);
      recordCounters(dir, { epoch, counters });
    },
  });
  saveOwnEpoch(config, epoch);
  return { previousData, epoch };
}
