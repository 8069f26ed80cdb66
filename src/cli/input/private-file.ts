import { closeSync, fsyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { AppError } from "../../domain/errors.ts";

/** A new file that its owner alone may read, waiting for its content. */
export function createPrivateFile(path: string) {
  const file = openNew(path);
  return {
    write(text: string): void {
      writeSync(file, text);
      fsyncSync(file);
      closeSync(file);
    },
    discard(): void {
      closeSync(file);
      unlinkSync(path);
    },
  };
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new AppError("state_refuses", `${path} is there already, and a secret overwrites nothing.`, {
        fix: "name another file, or move that one away",
      });
    if (code === "ENOENT") throw new AppError("resource_not_found", `The folder of ${path} does not exist.`);
    throw error;
  }
}
