import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Several times the size of the files that the tests of all workers have at one time. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Keeps temporary files in memory if the system has enough of it. A commit waits for the disk, and
 * the tests make many of them. `npm run proofs` uses the disk.
 */
export function setup(): (() => void) | undefined {
  if (process.env["PROOFS"] !== undefined || !hasRoom()) return undefined;
  const folder = mkdtempSync(join(MEMORY, "deskbell-tests-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (!canExecuteIn(folder)) {
    remove();
    return undefined;
  }
  // Some tests run the program as another user, who must be able to create files here.
  chmodSync(folder, 0o1777);
  process.env["TMPDIR"] = folder;
  return remove;
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) > NEEDED_BYTES;
}

/** Returns whether files in a folder can be executed. Containers often forbid it in /dev/shm. */
function canExecuteIn(folder: string): boolean {
  const script = join(folder, "true");
  writeFileSync(script, "#!/bin/sh\n", { mode: 0o700 });
  const { status } = spawnSync(script);
  rmSync(script);
  return status === 0;
}
