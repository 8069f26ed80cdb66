import { existsSync, statSync } from "node:fs";
import type { Config } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { shellQuote } from "../domain/text.ts";
import { acquireDaemonLock } from "./database/database.ts";
import { assertNotInUse } from "./database/file-identity.ts";
import type { Safeguard } from "./database/schema.ts";

/** How a feature keeps a copy of the data from before a migration. */
export type BeforeMigration = {
  /**
   * Returns the path of the newest intact copy of the data, or of the newest copy if none is
   * intact; undefined if there is no copy.
   */
  findCopy: (config: Config) => string | undefined;
  /**
   * Copies the committed data.
   * @param at the current time, epoch ms
   * @returns the path of the copy
   */
  copy: (config: Config, schema: number, at: number, random: (bytes: number) => Buffer) => string;
};

/**
 * Returns a check that runs in each transaction of a command, while the transaction holds the write
 * lock. The check throws to refuse the write.
 */
export type CreateWriteGuard = (config: Config) => () => void;

/**
 * Returns the steps that protect existing data when the database is opened or migrated.
 * @param isDaemon whether this process holds the daemon lock
 */
export const createSafeguard = (
  config: Config,
  { now, random }: { now: () => number; random: (bytes: number) => Buffer },
  isDaemon: boolean,
  copies: readonly BeforeMigration[],
): Safeguard => ({
  assertNoDataLoss() {
    const { databasePath: path, backupFolder: folder, masterKeyPath } = config;
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) assertNotInUse(path);
    if (size !== undefined && size > 0) return;
    const newest = copies.map(({ findCopy }) => findCopy(config)).find(isDefined);
    // If there is no copy, only an empty file beside a master key is an error. A missing file
    // beside a key is a new start, because the fix in the error below deletes the empty file and
    // keeps the key.
    if (newest === undefined && (size === undefined || !existsSync(masterKeyPath))) return;
    const remains =
      newest === undefined ? "the master key of its data exists" : "there are backups of it";
    const state = size === undefined ? `There is no ${path}` : `${path} is empty`;
    const steps = [
      ...(size === undefined ? [] : ["delete the empty file"]),
      ...(newest === undefined ? [] : [`move ${folder} away`]),
    ];
    throw new AppError("state_refuses", `${state}, but ${remains}.`, {
      fix: `put the file back, or deskbell restore ${newest === undefined ? "FILE" : shellQuote(newest)}; or ${steps.join(" and ")} to start from scratch`,
    });
  },
  backUp: (schema) => copies.map(({ copy }) => copy(config, schema, now(), random)).at(-1),
  lockOutDaemons() {
    if (isDaemon) return { release: () => {} };
    const { databasePath: path } = config;
    try {
      return acquireDaemonLock(path);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(
        "state_refuses",
        `${path} must be migrated, but a daemon of an older deskbell is running on it.`,
        {
          fix: "stop that daemon; the next command or daemon then migrates the file and keeps a backup",
        },
      );
    }
  },
});

const isDefined = (path: string | undefined): boolean => path !== undefined;
