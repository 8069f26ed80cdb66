import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "./domain/errors.ts";

/**
 * Makes a folder and those above it, each for its owner alone. One by one: under /proc Node's own recursive way never ends.
 * @throws AppError not_permitted where there can be none
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Somebody else was faster.
    if (code === "EEXIST" && isFolder(path)) return;
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EEXIST") throw error;
    throw new AppError("not_permitted", `${path} cannot be made: ${message}.`, {
      fix: "name another folder with --data-dir",
    });
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
