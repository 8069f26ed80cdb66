import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createTempFolder } from "../cli.ts";

const SOURCE = fileURLToPath(new URL("./library.c", import.meta.url));

const MEMORY = "/dev/shm";

/** Whether library.c can be built, which takes a C compiler, and preloaded, which takes Linux. */
export const canPreload =
  process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;

/**
 * Builds the library, and creates an empty folder `data` for the program that loads it.
 * @param parent the folder that gets `data`, the log and the library
 * @returns the folders and the program's environment, without DISK_LOG and DISK_FAULTS
 */
export function prepareDisk(parent = createTempFolder()) {
  const folder = realpathSync(parent);
  const library = join(folder, "library.so");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE]);
  const dataDir = join(folder, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  return { folder, dataDir, env: { LD_PRELOAD: library, DISK_FOLDER: dataDir } };
}

/** Creates a folder in memory, where a sync takes no time, if the system has one. */
export function createFolderInMemory(): string {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "deskbell-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
