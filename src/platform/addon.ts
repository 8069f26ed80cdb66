import { hash, randomUUID } from "node:crypto";
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { readAsset } from "./assets.ts";
import { cacheFolders } from "../config.ts";
import { errorInWords, AppError } from "../domain/errors.ts";
import { safe } from "../domain/text.ts";
import { makeOwnFolder } from "./user-folders.ts";

// SQLite in the single executable is unpacked, because native code can only be loaded from a file.

const ADDON_PATH = "path of SQLite's addon";

/** Loads SQLite's addon in the executable, in place of better-sqlite3's own loader. */
export function loadAddon(): unknown {
  // The worker thread must load the same path as the main thread: two copies of SQLite in one
  // process would drop each other's locks.
  const path =
    (getEnvironmentData(ADDON_PATH) as string | undefined) ??
    unpackAddon(readAsset("better_sqlite3.node"), cacheFolders());
  const addon = { exports: {} };
  try {
    process.dlopen(addon, path);
  } catch (error) {
    throw new AppError("state_refuses", `SQLite cannot be loaded: ${(error as Error).message}.`, {
      fix: "set DESKBELL_CACHE_DIR to a folder that you own, on a disk that is not mounted noexec",
    });
  }
  setEnvironmentData(ADDON_PATH, path);
  return addon.exports;
}

const toStderr = (text: string): void => void process.stderr.write(text);

/**
 * Writes the addon to a file named after its hash, in the first usable folder.
 * @returns the file's path
 * @throws AppError state_refuses if no folder is usable
 */
export function unpackAddon(addon: Buffer, folders: readonly string[], warn = toStderr): string {
  const name = `${hash("sha256", addon)}.node`;
  const failures: string[] = [];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      makeOwnFolder(folder);
      if (!hasContent(path, addon)) writeAtomically(path, addon);
    } catch (error) {
      failures.push(`${folder} (${errorInWords(error)})`);
      continue;
    }
    if (failures.length > 0)
      warn(
        `${safe(`note: SQLite was unpacked into ${folder}, not into ${failures.join(", ")}.`, 2000)}\n`,
      );
    return path;
  }
  throw new AppError("state_refuses", `SQLite cannot be unpacked into ${failures.join(", ")}.`, {
    fix: "set DESKBELL_CACHE_DIR to a writable folder that you own",
  });
}

/** Returns whether the file is complete and unchanged: a power cut may have truncated it. */
function hasContent(path: string, addon: Buffer): boolean {
  try {
    return lstatSync(path).size === addon.length && readFileSync(path).equals(addon);
  } catch {
    return false;
  }
}

/**
 * Writes a file so that other processes, which may unpack at the same time, never see a part of it.
 */
function writeAtomically(path: string, addon: Buffer): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, addon, { flag: "wx", mode: 0o500 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
