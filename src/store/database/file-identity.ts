import { basename } from "node:path";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { errorInWords, AppError } from "../../domain/errors.ts";

/** Identifies a file by device and inode, whatever its name. */
type Identity = string;

/**
 * Returns undefined if there is no file.
 * @throws the error of the system if the path cannot be read
 */
export function findIdentity(path: string): Identity | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  return file && `${file.dev}:${file.ino}`;
}

/** Returns why the path is no longer the file that was opened; undefined if it still is. */
export function findLoss(path: string, opened: Identity | undefined): string | undefined {
  try {
    const found = findIdentity(path);
    if (found === undefined) return "was deleted or moved";
    return found === opened ? undefined : "was replaced by another file";
  } catch (error) {
    return `cannot be reached (${errorInWords(error)})`;
  }
}

/** @param reason the result of `findLoss` */
export const lostFileError = (path: string, reason: string): AppError =>
  new AppError("storage_failed", `${path} ${reason} while the daemon uses it.`, {
    fix: "stop the daemon, put the data folder back or restore a backup, and start the daemon: deskbell restore FILE",
  });

/**
 * Returns a process that has the file open although it was deleted. Linux alone shows this, for
 * processes that this user may examine.
 */
export const findProcessOnDeletedFile = (path: string): number | undefined =>
  listProcessesOn(`${path} (deleted)`)[0];

/** A running program: its process ID and name. */
export type Program = { pid: number; name: string };

/**
 * Matches the programs of deskbell: `deskbell`, `deskbell.js` or `deskbell-linux-x64`, but not
 * `deskbell.db`, the database that another program was started with.
 */
const OWN_PROGRAM = /^deskbell(?:[.-](?!db)[\w.-]+)?$/;

/**
 * Returns the programs other than deskbell that have the database open in WAL mode. Linux alone
 * shows this, for processes that this user may examine.
 */
export const listForeignPrograms = (path: string): Program[] =>
  listProcessesOn(`${path}-shm`)
    .filter((pid) => pid !== process.pid)
    .map((pid) => ({ pid, name: programName(pid) }))
    .filter(({ name }) => !OWN_PROGRAM.test(name));

/** Returns the script that Node runs, else the name of the command. */
function programName(pid: number): string {
  const [command = "", ...args] = readText(`/proc/${pid}/cmdline`).split("\0");
  const name = basename(command);
  const script = args.find((arg) => !arg.startsWith("-"));
  return /^node(?:js)?$/.test(name) && script ? basename(script) : name;
}

function listProcessesOn(openFile: string): number[] {
  return listFolder("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) =>
      listFolder(`/proc/${pid}/fd`).some((fd) => readLink(`/proc/${pid}/fd/${fd}`) === openFile),
    )
    .map(Number);
}

/** @throws AppError state_refuses if a process still uses the deleted file */
export function assertNotInUse(path: string): void {
  const pid = findProcessOnDeletedFile(path);
  if (pid === undefined) return;
  throw new AppError(
    "state_refuses",
    `${path} was deleted while process ${pid} uses it: that daemon can save nothing.`,
    { fix: `stop it with kill ${pid}, then restore a backup: deskbell restore FILE` },
  );
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Returns an empty text if the process has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
