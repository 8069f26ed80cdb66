import { existsSync } from "node:fs";
import { errorInWords } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import { copyErasureList } from "./erasure-list.ts";

/** Renews the signed copy next to the backups of this machine, which an operator copies with them. */
export function signErasureList({ config, store, now, log }: Runtime): void {
  if (!existsSync(config.backupFolder)) return;
  try {
    copyErasureList(config, config.backupFolder, {
      server: store.file.getServerId(),
      asOf: now(),
    });
  } catch (error) {
    // The guests are erased, and the next backup writes the copy again.
    const reason = errorInWords(error);
    log("warn", "The list of erased guests could not be copied to the backups.", { reason });
  }
}
