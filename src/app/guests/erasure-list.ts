import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config.ts";

// A backup still contains guests that were erased since. The IDs of their visits are in a file next
// to the master key, which restoring a backup does not replace, so that they are erased again.

const VISIT_ID = /^(?:bkg|rsv|tor)_[0-9a-z]+$/;

export const erasureListPath = ({ masterKeyPath }: Config): string =>
  join(dirname(masterKeyPath), "erased-guests.txt");

/** Appends to the list and waits until it is on the disk. */
export function addToErasureList(config: Config, visitIds: readonly string[]): void {
  const file = openSync(erasureListPath(config), "a", 0o600);
  try {
    // Each begins a new line, because a power cut may have cut off the last one.
    writeSync(file, visitIds.map((id) => `\n${id}`).join(""));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function readErasureList(config: Config): string[] {
  try {
    const lines = readFileSync(erasureListPath(config), "utf8").split("\n");
    return lines.filter((line) => VISIT_ID.test(line));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
