import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import { AppError } from "../domain/errors.ts";

/**
 * Refuses to run as root on data of another user: root would create files (lock, log, backup) that
 * the owner cannot read. Changing their owner afterwards would make root follow links in a folder
 * that another user controls.
 * @throws AppError not_permitted
 */
export function assertDataOwner({ dataDir, databasePath }: Config): void {
  if (process.getuid?.() !== 0) return;
  const owner = [dataDir, databasePath].map(ownerOf).find((uid) => uid !== undefined && uid !== 0);
  if (owner === undefined) return;
  throw new AppError(
    "not_permitted",
    `The data in ${dataDir} belongs to user ${owner}, who could not read files created by root.`,
    { fix: runAs(owner) },
  );
}

/**
 * Returns whether the database exists.
 * @throws AppError not_permitted if this user cannot read the folder: it may contain data
 */
export function dataExists({ dataDir, databasePath }: Config): boolean {
  try {
    return ownerOf(databasePath) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    throw new AppError("not_permitted", `This user cannot read the data in ${dataDir}.`, {
      fix: runAs(visibleOwnerOf(dataDir)),
    });
  }
}

const runAs = (owner: number | undefined): string =>
  owner === undefined
    ? "run the command as the owner of the data"
    : `run the command as that user: sudo -u '#${owner}' deskbell …`;

/** Returns the owner of the path, or undefined if a parent folder is not readable. */
function visibleOwnerOf(path: string): number | undefined {
  try {
    return ownerOf(path);
  } catch {
    return undefined;
  }
}

const ownerOf = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.uid;
