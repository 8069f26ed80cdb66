import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/shell-quote.ts";

/**
 * Opens a file that is not there yet: what somebody has edited, or a secret, is not overwritten.
 * @throws AppError with the reason why not
 */
export function openNewFile(path: string, mode = 0o666): number {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const folder = shellQuote(dirname(path));
    if (path === "")
      throw new AppError("usage", "The file to write has no name.", { fix: "name one" });
    if (code === "EEXIST")
      throw new AppError("state_refuses", `${path} is there already, and nothing is overwritten.`, {
        fix: "name another file, or move that one away",
      });
    if (code === "ENOENT")
      throw new AppError("resource_not_found", `The folder of ${path} does not exist.`, {
        fix: `mkdir -p ${folder}`,
      });
    if (code === "ENOTDIR")
      throw new AppError("usage", `${path} cannot be: ${dirname(path)} is no folder.`, {
        fix: "name another file",
      });
    throw error;
  }
}

/** Writes a file that is not there yet, whole or not at all. */
export function writeNewFile(path: string, content: string): void {
  const file = openNewFile(path);
  try {
    writeFileSync(file, content);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}
