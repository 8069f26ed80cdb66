import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../../../config.ts";
import { readBackupState, saveBackupState } from "../state.ts";

/**
 * Returns a text that identifies the content of the master key file without revealing it; null if
 * there is no file.
 */
export function readKeyFingerprint({ masterKeyPath }: Config): string | null {
  try {
    return hash("sha256", readFileSync(masterKeyPath)).slice(0, 16);
  } catch {
    return null;
  }
}

export function recordKeyCopy(config: Config, now: number): void {
  const fingerprint = readKeyFingerprint(config);
  if (fingerprint !== null) saveBackupState(config, "key-copy", { at: now, fingerprint });
}

/** Returns whether the current master key was copied, as far as deskbell knows. */
export const isKeyCopied = (config: Config): boolean =>
  readBackupState(config, "key-copy")?.fingerprint === readKeyFingerprint(config);
