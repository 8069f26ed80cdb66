import { accessSync, constants, existsSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/text.ts";
import { isSqliteError, type Db } from "./db.ts";
import { isBusy } from "./write-lock.ts";

/**
 * Returns the AppError for an error of SQLite that has a known reason, with the file, the problem
 * and a fix. Returns undefined for any other error, which is a bug.
 * @param knownPath the database; undefined if the caller does not know it
 */
export function storageError(error: unknown, knownPath?: string): AppError | undefined {
  const path = knownPath ?? "the database";
  if (!isSqliteError(error)) return undefined;
  const { code, message } = error;
  if (isBusy(error) || /^SQLITE_(?:LOCKED|PROTOCOL)/.test(code))
    return new AppError("busy", `Timed out waiting for another process that uses ${path}.`, {
      fix: "try again when it has finished",
    });
  if (isStorageFull(error))
    return new AppError("storage_full", `The disk that holds ${path} is full.`, {
      fix: "free some space and try again",
    });
  if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(code)) return new DamagedDatabaseError(path, message);
  // A query that looks into stored documents meets the damage before `parseJson` does.
  if (message === "malformed JSON")
    return new DamagedDatabaseError(path, "a stored document is not valid JSON");
  if (/^SQLITE_(?:CANTOPEN|READONLY|PERM)/.test(code))
    return knownPath === undefined
      ? notWritableError(path, CHECK_OWNER)
      : explainUnwritable(knownPath);
  if (code.startsWith("SQLITE_IOERR"))
    return new AppError(
      "storage_failed",
      `The disk that holds ${path}${nameDisk(knownPath === undefined ? undefined : findDisk(knownPath))} failed: ${message} (${code}).`,
      {
        fix: "look for disk errors with dmesg; on a working disk, restore a backup: deskbell backup list",
      },
    );
  return undefined;
}

const CHECK_OWNER = "check the owner and the mode of the file and its folder";

const notWritableError = (path: string, fix: string): AppError =>
  new AppError("not_permitted", `${path} cannot be opened for writing.`, { fix });

/**
 * Returns the reason why a file cannot be written or created, as far as its disk and folder show it.
 */
function explainUnwritable(path: string): AppError {
  if (isOnReadOnlyDisk(path)) return readOnlyDiskError(path);
  // SQLite does not report that a disk has no space for a new file.
  const command = findFullDiskCommand(path);
  if (command !== undefined)
    return new AppError("storage_full", `The disk that holds ${path} is full.`, {
      fix: `delete files that are not needed (${command} shows how full it is) and try again`,
    });
  const folder = dirname(path);
  if (accessErrorCode(folder) === "EACCES")
    // A container's volume often belongs to root. The texts name the user by number, because the
    // user of a container has no name.
    return new AppError(
      "not_permitted",
      `${path} cannot be opened: user ${process.getuid?.()} may not write to ${folder}.`,
      { fix: `sudo chown ${process.getuid?.()} ${shellQuote(folder)}` },
    );
  return notWritableError(
    path,
    existsSync(path) ? CHECK_OWNER : "check that its folder exists and is writable",
  );
}

export class DamagedDatabaseError extends AppError {
  /** @param details the problem that was found */
  constructor(path: string, details: string) {
    super(
      "storage_failed",
      `${path} is damaged or is not a database: ${details.replaceAll(/\s+/g, " ").trim()}.`,
      { fix: "stop the daemon and restore a backup: deskbell backup list" },
    );
  }
}

// SQLite reports SHMSIZE if it cannot create the WAL index on a completely full disk.
const FULL_CODES = ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

export const isStorageFull = (error: unknown): boolean =>
  isSqliteError(error) && FULL_CODES.includes(error.code);

/**
 * Returns whether a write failed because the disk is full or the file cannot be reached. A later
 * write may succeed.
 */
export const isStorageUnavailable = (error: unknown): boolean =>
  isStorageFull(error) ||
  (error instanceof AppError && (error.code === "storage_full" || error.code === "storage_failed"));

/**
 * Tells whether an fsync failed. Linux may then discard the data and report success for the next
 * fsync, so a process that continues could lose changes that it has confirmed.
 */
export const isSyncFailure = (error: unknown): boolean =>
  isSqliteError(error) && /^SQLITE_IOERR_(?:DIR_)?FSYNC$/.test(error.code);

/**
 * Returns whether the file, or the folder of a new file, is on a disk that is mounted read-only.
 * Linux remounts a disk read-only after an error.
 */
export function isOnReadOnlyDisk(path: string): boolean {
  const code = accessErrorCode(path);
  return code === "EROFS" || (code === "ENOENT" && accessErrorCode(dirname(path)) === "EROFS");
}

/**
 * Returns a command that shows that the disk of a file is full; undefined if no lack of space is
 * found.
 */
function findFullDiskCommand(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const { blocks, bavail, files, ffree } = statfsSync(folder);
    // A file system that does not count its blocks or files reports 0 of them in total.
    if (blocks > 0 && bavail === 0) return `df -h ${shellQuote(folder)}`;
    return files > 0 && ffree === 0 ? `df -i ${shellQuote(folder)}` : undefined;
  } catch {
    return undefined;
  }
}

function accessErrorCode(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

export function readOnlyDiskError(path: string): AppError {
  const disk = findDisk(path);
  return new AppError(
    "not_permitted",
    `The disk that holds ${path}${nameDisk(disk)} is mounted read-only.`,
    {
      fix: `look for disk errors with dmesg; then make it writable: mount -o remount,rw ${shellQuote(disk?.folder ?? "FOLDER")}`,
    },
  );
}

type Disk = { device: string; folder: string };

/** Returns ` (/dev/sda1 on /data)`, or nothing for an unknown disk. */
const nameDisk = (disk: Disk | undefined): string =>
  disk ? ` (${disk.device} on ${disk.folder})` : "";

/** Returns the disk of a file; undefined where the system does not list its disks. */
function findDisk(path: string): Disk | undefined {
  try {
    const file = realpathSync(existsSync(path) ? path : dirname(path));
    const [disk] = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" ").map(unescapeOctal))
      .map(([device = "", folder = ""]) => ({ device, folder }))
      .filter(({ folder }) => `${file}/`.startsWith(folder.endsWith("/") ? folder : `${folder}/`))
      // The disk with the longest path is mounted inside all others, and has the file.
      .toSorted((a, b) => b.folder.length - a.folder.length);
    return disk;
  } catch {
    return undefined;
  }
}

/** Replaces escapes of /proc/mounts, which writes a space as \040. */
const unescapeOctal = (text: string): string =>
  text.replaceAll(/\\(\d{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

/**
 * Parses JSON of the database, because SQLite does not detect damage inside a value. The error
 * names only the column: the value may contain data that must not be in a log.
 * @throws DamagedDatabaseError
 */
export function parseJson<T>(text: string, column: `${string}.${string}`): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new DamagedDatabaseError("the database", `${column} is not valid JSON`);
  }
}

/** The last time of a `Date`, in epoch milliseconds. */
const LAST_INSTANT = 8.64e15;

/**
 * Returns a stored time in epoch milliseconds, or null. The check finds damage that SQLite does not
 * detect: a page that is in the place of another page of the file.
 * @throws DamagedDatabaseError if the value is no time
 */
export function assertInstant(value: unknown, column: `${string}.${string}`): number | null {
  if (value === null) return null;
  if (Number.isInteger(value) && Math.abs(value as number) <= LAST_INSTANT) return value as number;
  throw new DamagedDatabaseError("the database", `${column} is not a time`);
}

// A migration creates the only row of each of these tables, and nothing deletes it. Damage of the
// file can make it disappear without an error of SQLite.
const ONE_ROW_TABLES = ["history", "server", "audit_retention"];

const describeMissingRow = (table: string): string => `the row of its table '${table}' is missing`;

/**
 * Describes the first missing row of `ONE_ROW_TABLES`; undefined if none is missing. A file that is
 * not migrated yet may lack a table.
 */
export function findMissingRow(db: Db): string | undefined {
  const existing = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  const empty = ONE_ROW_TABLES.find(
    (table) =>
      existing.includes(table) && db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined,
  );
  return empty && describeMissingRow(empty);
}

/**
 * Returns the only row of a table.
 * @param row the result of a SELECT from the table
 * @throws DamagedDatabaseError if the row is missing
 */
export function assertOnlyRow<Row>(db: Db, table: string, row: Row | undefined): Row {
  if (row === undefined) throw new DamagedDatabaseError(db.name, describeMissingRow(table));
  return row;
}
