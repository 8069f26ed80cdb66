import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "./domain/errors.ts";

/**
 * Creates a folder and its parents, each with mode 0700. One by one, because Node's recursive mkdir
 * never returns under /proc.
 * @throws AppError not_permitted if the folder cannot be created
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Another process created it first.
    if (code === "EEXIST" && isFolder(path)) return;
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EEXIST") throw error;
    throw new AppError("not_permitted", `Cannot create ${path}: ${message}.`, {
      fix: "name another folder with --data-dir",
    });
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
