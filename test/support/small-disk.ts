import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "deskbell-disk-"));

function mount(folder: string, megabytes: number): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

function unmount(folder: string): void {
  // Lazily: whatever was started on it is killed when the test ends as well.
  execFileSync("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true });
}

/** Only root may, and not in every container. */
export function canMount(): boolean {
  const folder = newFolder();
  const could = mount(folder, 1);
  if (could) unmount(folder);
  else rmSync(folder, { recursive: true });
  return could;
}

/** A disk of its own, that is gone when the test ends. */
export function mountSmallDisk(megabytes: number) {
  const folder = newFolder();
  if (!mount(folder, megabytes)) throw new Error(`nothing can be mounted on ${folder}`);
  onTestFinished(() => unmount(folder));
  const ballast = join(folder, "ballast");
  return {
    folder,
    /** To the last byte. */
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
