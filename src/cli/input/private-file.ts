import { closeSync, fsyncSync, unlinkSync, writeSync } from "node:fs";
import { openNewFile } from "./new-file.ts";

/** Creates an empty file with mode 0600; `write` fills it, `discard` removes it. */
export function createPrivateFile(path: string) {
  const file = openNewFile(path, 0o600);
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
