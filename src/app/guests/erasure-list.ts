import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config.ts";
import { appendDurably, syncFolder } from "../../durable-file.ts";

// A backup still contains guests that were erased since. The IDs of their visits are in a file next
// to the master key, which restoring a backup does not replace, so that they are erased again. A
// folder of copies has a copy of it, for a restore on another machine.

const VISIT_ID = /^(?:bkg|rsv|tor)_[0-9a-z]+$/;

const NAME = "erased-guests.txt";

export const erasureListPath = ({ masterKeyPath }: Config): string =>
  join(dirname(masterKeyPath), NAME);

/** Appends to the list and waits until it is on the disk. */
export function addToErasureList(config: Config, visitIds: readonly string[]): void {
  const path = erasureListPath(config);
  const isNew = !existsSync(path);
  // Each begins a new line, because a power cut may have cut off the last one.
  appendDurably(path, visitIds.map((id) => `\n${id}`).join(""));
  if (isNew) syncFolder(dirname(path));
}

/** It only grows, so another size is another list. */
export const measureErasureList = (config: Config): number =>
  statSync(erasureListPath(config), { throwIfNoEntry: false })?.size ?? 0;

export function copyErasureList(config: Config, folder: string): void {
  const path = erasureListPath(config);
  if (!existsSync(path)) return;
  const target = join(folder, NAME);
  copyFileSync(path, `${target}.draft`);
  renameSync(`${target}.draft`, target);
}

export const readErasureList = (config: Config): string[] => readList(erasureListPath(config));

/** The list that was copied to the folder of a backup. */
export const readCopiedErasureList = (backup: string): string[] =>
  readList(join(dirname(backup), NAME));

function readList(path: string): string[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => VISIT_ID.test(line));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
