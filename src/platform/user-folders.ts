import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve, dirname } from "node:path";
import { AppError } from "../domain/errors.ts";

// This file finds the folders for a user's data and caches, by the conventions of Linux (XDG),
// macOS and Windows.

/** The system that the program runs on. Windows has no user IDs. */
export type Machine = { platform: NodeJS.Platform; userId: number | undefined };

/**
 * The folder for the data of services on Linux, which is also the home folder of the service's
 * user.
 */
const SERVICE_DATA_DIR = "/var/lib/deskbell";

/** @throws AppError usage if the user has no home folder */
export function userDataDir(env: NodeJS.ProcessEnv, { platform, userId }: Machine): string {
  const home = homeOf(env);
  if (userId === 0 || home === SERVICE_DATA_DIR) return SERVICE_DATA_DIR;
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, "deskbell");
  if (home === undefined)
    throw new AppError("usage", "There is no home folder for the data.", {
      fix: "name a folder with --data-dir",
    });
  const onLinux = join(home, ".local/share/deskbell");
  // Until version 0.2, the data were in this folder on every system. If the folder exists, it is
  // still used.
  if (existsSync(onLinux)) return onLinux;
  if (platform === "win32") return join(localAppData(env, home), "deskbell/Data");
  return platform === "darwin" ? join(home, "Library/Application Support/deskbell") : onLinux;
}

/** Returns the folders for caches, the best first. A configured folder is the only one. */
export function listCacheFolders(env: NodeJS.ProcessEnv, machine: Machine): string[] {
  const configured = env.DESKBELL_CACHE_DIR || env.CACHE_DIRECTORY;
  if (configured) return [resolve(configured)];
  const shared = join(tmpdir(), `deskbell-${machine.userId ?? "cache"}`);
  const own = userCacheDir(env, machine);
  return own === undefined ? [shared] : [own, shared];
}

function userCacheDir(env: NodeJS.ProcessEnv, { platform }: Machine): string | undefined {
  // A relative path would make a cache in each folder in which the program is started.
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME))
    return join(env.XDG_CACHE_HOME, "deskbell");
  const home = homeOf(env);
  if (home === undefined || !isAbsolute(home)) return undefined;
  if (platform === "win32") return join(localAppData(env, home), "deskbell/Cache");
  return join(home, platform === "darwin" ? "Library/Caches/deskbell" : ".cache/deskbell");
}

const localAppData = (env: NodeJS.ProcessEnv, home: string): string =>
  env.LOCALAPPDATA || join(home, "AppData/Local");

/** Returns undefined for a user ID without a passwd entry, for which `homedir` throws. */
function homeOf(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return env.HOME || homedir() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes a folder in which no other user can replace a file after it was checked.
 * @throws Error if other users can write to it or, for root, if another user owns a parent of it
 */
export function makeOwnFolder(folder: string): void {
  const user = process.getuid?.();
  if (user === 0) assertRootOwnsParents(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  const isOwn =
    stats.isDirectory() && (stats.uid === user || stats.uid === 0) && (stats.mode & 0o022) === 0;
  // Windows has neither user IDs nor modes.
  if (user !== undefined && !isOwn) throw new Error("other users can write to it");
}

/**
 * Asserts that root owns the folder and its parents. Under sudo, HOME may belong to another user.
 * That user could replace files in the folder, and could not delete the folders that root creates.
 */
function assertRootOwnsParents(folder: string): void {
  for (let path = folder; path !== dirname(path); path = dirname(path))
    if (existsSync(path) && lstatSync(path).uid !== 0)
      throw new Error(`${path} belongs to another user`);
}
