import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import { AppError } from "../domain/errors.ts";

/**
 * Root would leave files that lock the owner out of its own data: a lock, a log, a backup. To give them away afterwards would
 * have root follow links in a folder that is somebody else's.
 */
export function assertDataOwner({ dataDir, databasePath }: Config): void {
  if (process.getuid?.() !== 0) return;
  const owner = [dataDir, databasePath].map(ownerOf).find((uid) => uid !== undefined && uid !== 0);
  if (owner === undefined) return;
  throw new AppError(
    "not_permitted",
    `The data in ${dataDir} belong to user ${owner}, who could not read the files that root would make among them.`,
    { fix: asUser(owner) },
  );
}

/** A folder that is closed to this user is not an empty one. */
export function dataExists({ dataDir, databasePath }: Config): boolean {
  try {
    return ownerOf(databasePath) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    throw new AppError("not_permitted", `The data in ${dataDir} are not for this user.`, {
      fix: asUser(visibleOwnerOf(dataDir)),
    });
  }
}

const asUser = (owner: number | undefined): string =>
  owner === undefined
    ? "run it as their user"
    : `run it as their user: sudo -u '#${owner}' deskbell …`;

/** Of a folder that may itself lie in one that is closed. */
function visibleOwnerOf(path: string): number | undefined {
  try {
    return ownerOf(path);
  } catch {
    return undefined;
  }
}

const ownerOf = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.uid;
