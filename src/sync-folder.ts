import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes renames in a folder survive a power cut. */
export function syncFolder(folder: string, platform: NodeJS.Platform = process.platform): void {
  // Windows cannot flush a folder. NTFS writes renames to its journal.
  if (platform === "win32") return;
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
