import type { Runtime } from "../../../app/runtime.ts";
import { type ReadStatusPart, type StatusPart, timeText } from "../../../cli/commands/status.ts";
import { withIsoTimes } from "../../../cli/output/table.ts";
import { byteSize } from "../../../domain/text.ts";
import { type Backup, findNewestBackup } from "../backups.ts";
import { type BackupState, readBackupState } from "../state.ts";

type Copy = BackupState["copy"] | null;
type Failure = BackupState["copy-failure"] | null;
type Drill = BackupState["drill"] | null;

/** Hides the fields of a failure that are only for the next attempt to copy. */
const INTERNAL = { place: undefined, command: undefined, isCommandDue: undefined };

function readBackups(rt: Runtime): StatusPart {
  const backup = findNewestBackup(rt) ?? null;
  const copy = readBackupState(rt.config, "copy");
  const failure = readBackupState(rt.config, "copy-failure");
  const drill = readBackupState(rt.config, "drill");
  return {
    rows: [
      { about: "last backup", state: backupText(backup) },
      { about: "last copy", state: copyText(copy, failure) },
      { about: "last drill", state: drillText(drill) },
    ],
    fields: {
      lastBackup: backup && withIsoTimes(backup, "createdAt"),
      // A `place` is a hash, which tells a reader nothing.
      lastCopy: copy && withIsoTimes({ ...copy, place: undefined }, "createdAt", "at"),
      copyFailure: failure && withIsoTimes({ ...failure, ...INTERNAL }, "at", "since"),
      lastDrill: drill && withIsoTimes(drill, "at"),
    },
  };
}

const backupText = (backup: Backup | null): string =>
  backup ? `${timeText(backup.createdAt)}, ${byteSize(backup.bytes)}` : "none";

/**
 * Returns a text such as `Nov 22 03:17, deskbell-….db; failed at Nov 23 03:17: there is no folder
 * /mnt/nas.`
 */
function copyText(copy: Copy, failure: Failure): string {
  const last = copy ? `${timeText(copy.at)}, ${copy.name}` : "none";
  return failure ? `${last}; failed at ${timeText(failure.at)}: ${failure.reason}` : last;
}

const drillText = (drill: Drill): string =>
  drill ? `${timeText(drill.at)}, ${drill.name}${drill.error === null ? "" : ": failed"}` : "none";

export const status: readonly ReadStatusPart[] = [readBackups];
