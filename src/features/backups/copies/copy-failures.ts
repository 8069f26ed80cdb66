import { hash } from "node:crypto";
import type { Config } from "../../../config.ts";
import { errorInWords, type AppError } from "../../../domain/errors.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { type BackupState, readBackupState, saveBackupState } from "../state.ts";

/**
 * A failed copy is tried again after this time. A newer backup, or another place, is tried at once.
 */
export const RETRY_MS = 3_600_000;

const LIST_RETRIED =
  "the list of erased guests could not be copied either; it is tried again each minute";

/**
 * Identifies --backup-dir and --backup-command by a hash, because the command may contain a
 * password.
 */
export const hashPlace = ({ backups: { dir, command } }: Config): string =>
  hash("sha256", JSON.stringify([dir, command])).slice(0, 16);

type OfPlace = { place?: string; dir?: string | null };

/**
 * Returns whether a stored result is about the current --backup-dir and --backup-command. Version
 * 0.2 stored no `place`: a copy has only `dir`, and a failure has neither and counts as current.
 */
export const isOfPlace = <State extends OfPlace>(
  config: Config,
  state: State | null,
): state is State =>
  state !== null &&
  (state.place === undefined
    ? state.dir === undefined || state.dir === config.backups.dir
    : state.place === hashPlace(config));

/** `option` names the place to which a backup was not copied. */
export type CopyFailure = { option: "--backup-dir" | "--backup-command"; error: unknown };

/**
 * `name`: the name of the backup; null if only the folder was checked.
 * `isErasureListLate`: whether the copied list lacks erased guests, whom a restore of the newest
 * copy would bring back
 */
type Details = Pick<
  BackupState["copy-failure"],
  "name" | "isErasureListLate" | "isPartial" | "command" | "isCommandDue"
>;

/** Logs why a backup was not copied, and records the reason for `status`. */
export function recordCopyFailure(
  rt: Runtime,
  failures: readonly CopyFailure[],
  details: Details,
): void {
  const { name, isErasureListLate } = details;
  const { reason, fix } = summarize(rt.config, failures);
  const at = rt.now();
  const recorded = readBackupState(rt.config, "copy-failure");
  const last = isOfPlace(rt.config, recorded) ? recorded : null;
  const since = last?.since ?? at;
  // The failure is logged once an hour, although the list of erased guests is copied again each
  // minute.
  const hourOf = (ms: number) => Math.floor((ms - since) / RETRY_MS);
  const isNew = last?.reason !== reason || last.name !== name;
  if (isNew || hourOf(last.at) !== hourOf(at)) {
    const text =
      name === null ? "No backup can be copied to --backup-dir." : "A backup could not be copied.";
    const guests = isErasureListLate ? { erasedGuests: LIST_RETRIED } : {};
    rt.log("error", text, { ...(name !== null && { name }), reason, fix, ...guests });
  }
  saveBackupState(rt.config, "copy-failure", {
    at,
    since,
    tries: (last?.tries ?? 0) + 1,
    place: hashPlace(rt.config),
    reason,
    ...details,
  });
}

/** Returns the reasons of all failures, with the option of each if there are two places. */
function summarize(
  { backups: { dir, command } }: Config,
  failures: readonly CopyFailure[],
): { reason: string; fix: string | undefined } {
  const hasBoth = dir !== null && command !== null;
  const reasons = failures.map(({ option, error }, i) => {
    const reason = errorInWords(error);
    const named = !hasBoth || reason.startsWith(option) ? reason : `${option}: ${reason}`;
    return i === failures.length - 1 ? named : named.replace(/\.$/, "");
  });
  const fixes = failures.flatMap(({ error }) => (error as Partial<AppError>).fix ?? []);
  return {
    reason: reasons.join("; "),
    fix: fixes.length > 0 ? fixes.join("; ") : undefined,
  };
}
