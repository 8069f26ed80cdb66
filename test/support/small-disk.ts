import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "deskbell-disk-"));

function mount(folder: string, megabytes: number, maxFiles = 0): boolean {
  try {
    const options = `size=${megabytes}m,nr_inodes=${maxFiles}`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function unmount(folder: string): void {
  // A lazy unmount succeeds while processes still use the folder.
  execFileSync("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true });
}

/**
 * Returns whether file systems can be mounted, which takes root and which some containers forbid.
 */
export function canMount(): boolean {
  const folder = newFolder();
  const isMounted = mount(folder, 1);
  if (isMounted) unmount(folder);
  else rmSync(folder, { recursive: true });
  return isMounted;
}

/**
 * Mounts a file system of limited size, which is removed when the test ends.
 * @param maxFiles the maximum number of files and folders, its root included; no limit by default
 */
export function mountSmallDisk(megabytes: number, maxFiles?: number) {
  const folder = newFolder();
  if (!mount(folder, megabytes, maxFiles))
    throw new Error(`Cannot mount a file system on ${folder}.`);
  onTestFinished(() => unmount(folder));
  const ballast = join(folder, "ballast");
  return {
    folder,
    /** Fills the disk to the last byte. */
    fill(): void {
      const file = openSync(ballast, "a");
      for (let size = 1024 * 1024; size >= 1;) {
        try {
          if (writeSync(file, Buffer.alloc(size)) < size) size = Math.floor(size / 16);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
          size = Math.floor(size / 16);
        }
      }
      closeSync(file);
    },
    free: (): void => rmSync(ballast),
  };
}
