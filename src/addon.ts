import { hash, randomUUID } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { readAsset } from "./assets.ts";
import { cacheFolders } from "./config.ts";
import { AppError } from "./domain/errors.ts";

// SQLite in the executable: a system loads machine code from files alone, so its addon is unpacked into one.

const PLACE = "place of SQLite's addon";

/** Stands in for better-sqlite3's own way to its addon; the executable's bundle puts it there. */
export function loadAddon(): unknown {
  // The courier's thread names the very file that the main one loaded, whatever became of it since: two copies of SQLite in
  // one process would drop each other's locks.
  const path =
    (getEnvironmentData(PLACE) as string | undefined) ??
    unpackAddon(readAsset("better_sqlite3.node"), cacheFolders());
  const addon = { exports: {} };
  try {
    process.dlopen(addon, path);
  } catch (error) {
    throw new AppError("state_refuses", `SQLite cannot be loaded: ${(error as Error).message}.`, {
      fix: "set DESKBELL_CACHE_DIR to a folder of yours on a disk that is not mounted noexec",
    });
  }
  setEnvironmentData(PLACE, path);
  return addon.exports;
}

const toStderr = (text: string): void => void process.stderr.write(text);

/**
 * Puts the addon into a file that is named by its hash, in the first of the folders that can take it.
 * @throws AppError state_refuses when none can
 */
export function unpackAddon(addon: Buffer, folders: readonly string[], say = toStderr): string {
  const name = `${hash("sha256", addon)}.node`;
  const refusals: string[] = [];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      makeOwnFolder(folder);
      if (!isHeldBy(path, addon)) writeWhole(path, addon);
    } catch (error) {
      refusals.push(`${folder} (${(error as Error).message})`);
      continue;
    }
    if (refusals.length > 0)
      say(`note: SQLite is unpacked into ${folder}, not into ${refusals.join(", ")}.\n`);
    return path;
  }
  throw new AppError("state_refuses", `SQLite cannot be unpacked into ${refusals.join(", ")}.`, {
    fix: "set DESKBELL_CACHE_DIR to a folder of yours that can be written",
  });
}

/** A folder in which nobody else can put another file in the place of one that was looked at. */
function makeOwnFolder(folder: string): void {
  const user = process.getuid?.();
  if (user === 0) refuseForeignParents(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOwn =
    found.isDirectory() && (found.uid === user || found.uid === 0) && (found.mode & 0o022) === 0;
  // Windows knows neither users' numbers nor modes.
  if (user !== undefined && !isOwn) throw new Error("others may write to it");
}

/** Under sudo, HOME may be another's, who could turn what lies in it; and root's folders would be in that other's way. */
function refuseForeignParents(folder: string): void {
  for (let path = folder; path !== dirname(path); path = dirname(path))
    if (existsSync(path) && lstatSync(path).uid !== 0)
      throw new Error(`${path} belongs to another user`);
}

/** A file that was tampered with, or cut short by a power cut, is not it. */
function isHeldBy(path: string, addon: Buffer): boolean {
  try {
    return lstatSync(path).size === addon.length && readFileSync(path).equals(addon);
  } catch {
    return false;
  }
}

/** Another process may be about the same: what is found under the name is whole at any moment. */
function writeWhole(path: string, addon: Buffer): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, addon, { flag: "wx", mode: 0o500 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
