import { rmSync } from "node:fs";
import { basename } from "node:path";
import type { Runtime } from "../../../app/runtime.ts";
import type { Config } from "../../../config.ts";
import { AppError, errorInWords } from "../../../domain/errors.ts";
import { retryWhileBusy } from "../../../http/pipeline/idempotency.ts";
import type { DaemonControl } from "../../../app/feature-hooks.ts";
import { readBackupTag } from "../authenticity.ts";
import { listBackupsIn } from "../backups.ts";
import { assertBackupDir, markFolder } from "../copies/backup-dir.ts";
import { readNewestEpoch } from "../restore/epochs.ts";
import { forgetBackupState, readBackupState } from "../state.ts";
import { makeLastCopyInThread } from "../upkeep/maintenance-work.ts";
import {
  forgetHandover,
  type Handover,
  isAskedByAnother,
  isMakingLastCopy,
  readHandover,
  saveHandover,
} from "./state.ts";

/** How long the last copy may take. Copying 50 GB twice at 100 MB a second takes 17 minutes. */
const MAX_COPY_MS = 20 * 60_000;

type Writers = Omit<DaemonControl, "end">;

/** A command that runs without a daemon has no deliveries or requests to wait for. */
export const NO_WRITERS: Writers = {
  pauseDeliveries: async () => {},
  refuseWrites: () => {},
  resume: async () => {},
};

/**
 * Ends all writing, and makes and verifies a last copy in the folder `to`. The file of the handover
 * then forbids every write. If the copy fails, the server goes on. The caller has the daemon lock.
 * @param stopping aborts the handover when the daemon stops; the server then does not go on
 * @returns why the data were not handed over; undefined if they were. The file of the handover has
 * the reason, too, unless the disk is full.
 */
export async function handOver(
  rt: Runtime,
  to: string,
  writers: Writers,
  stopping?: AbortSignal,
): Promise<string | undefined> {
  const { config, now } = rt;
  const begun: Handover = { state: "begun", to, at: now() };
  const asked = readHandover(config);
  let mustResume = false;
  try {
    assertBackupDir(config, to, "--to");
    markFolder(rt, to, "--to");
    mustResume = true;
    await writers.pauseDeliveries();
    stopping?.throwIfAborted();
    assertStillAsked(config, asked);
    saveHandover(config, begun);
    // The empty transaction waits for a command that began to write before it could see the file of
    // the handover.
    await retryWhileBusy(rt, () => rt.tx(() => {}));
    writers.refuseWrites(handingOverError());
    stopping?.throwIfAborted();
    const copy = await makeLastCopy(rt, to, stopping);
    assertStillBegun(config);
    saveHandover(config, { ...begun, state: "done", at: now(), copy });
    rt.log("info", "handed over", { to, copy });
    return undefined;
  } catch (error) {
    let reason = errorInWords(error);
    const next = stopping?.aborted ? "the server stops" : "the server goes on";
    rt.log("error", `The data could not be handed over; ${next}.`, { to, reason });
    try {
      if (mustResume && !deleteLastCopies(rt, to))
        reason += `; the last copy may still be in ${to}, and a restore would take it for complete: delete the newest copy there`;
      saveFailure(rt, { ...begun, state: "failed", reason }, asked);
    } finally {
      if (mustResume && !stopping?.aborted) await writers.resume();
    }
    return reason;
  }
}

/**
 * Asserts that the command still waits for the handover. While deliveries were in flight, the
 * command may have given up and said that nothing happened, and the server must then go on.
 * @param asked the request at the beginning; undefined if no daemon was asked
 */
function assertStillAsked(config: Config, asked: Handover | undefined): void {
  const now = readHandover(config);
  if (asked === undefined || (now?.state === asked.state && now.to === asked.to)) return;
  throw new AppError("state_refuses", "The command that asked for the handover has given up.");
}

/**
 * Asserts that the file forbade writes until now. A request of another command may have replaced
 * it, if the command looked just before the handover began.
 */
function assertStillBegun(config: Config): void {
  if (isMakingLastCopy(config)) return;
  throw new AppError(
    "state_refuses",
    "Another command has asked for a handover, which the server does next.",
  );
}

/**
 * Deletes the copies from which another server would continue without --fenced (the confirmation
 * that this server is stopped), because this server goes on. A copy can be complete although the
 * handover has failed: its disk may be full then.
 * @returns whether no such copy is left
 */
function deleteLastCopies({ config, log }: Runtime, dir: string): boolean {
  try {
    const copies = listBackupsIn(dir);
    const made = readBackupState(config, "copy");
    // A recorded copy is missing if the disk of the folder has failed or is not mounted any more.
    if (made?.dir === dir && !copies.some(({ path }) => basename(path) === made.name))
      throw new AppError("storage_failed", `${made.name} is not in ${dir}.`);
    for (const { path } of copies) {
      const found = readBackupTag(config, path);
      // A last copy from before a takeover may stay, because a restore of it needs --fenced anyway.
      const isLast = found.kind === "authentic" && found.tag.isLast === true;
      if (!isLast || found.tag.epoch < readNewestEpoch(dir)) continue;
      rmSync(path);
      if (readBackupState(config, "copy")?.name === basename(path))
        forgetBackupState(config, "copy");
      log("info", "deleted the last copy", { path });
    }
    return true;
  } catch (error) {
    log("error", "The last copy may still be there: a restore would take it for complete.", {
      dir,
      reason: errorInWords(error),
      fix: "make the folder accessible, then hand over again, or delete its newest copy",
    });
    return false;
  }
}

/**
 * Tells the command that asked for the handover why it has failed. The request of another command
 * stays: the daemon finds it in the next second.
 */
function saveFailure({ config, log }: Runtime, failed: Handover, asked?: Handover): void {
  try {
    if (!isAskedByAnother(config, asked)) saveHandover(config, failed);
  } catch (error) {
    const reason = errorInWords(error);
    log("error", "The failure of the handover could not be stored.", { reason });
    // The stored file could not be replaced, and would forbid every write or ask for the handover
    // again. A file can be deleted even if the disk is full.
    forgetHandover(config);
  }
}

const handingOverError = (): AppError =>
  new AppError(
    "shutting_down",
    "The server is being handed over to another machine, and accepts no changes: send the request again in a minute.",
  );

/** @returns the name of the copy */
async function makeLastCopy(
  { config, log }: Runtime,
  dir: string,
  stopping: AbortSignal | undefined,
): Promise<string> {
  log("info", "making the last copy", { dir });
  // The other server reads the copy in the folder, so no --backup-command uploads it.
  const backups = { ...config.backups, dir, command: null };
  const timeout = AbortSignal.timeout(MAX_COPY_MS);
  const signal = stopping === undefined ? timeout : AbortSignal.any([timeout, stopping]);
  const isCopied = await makeLastCopyInThread({ ...config, backups }, signal);
  const copy = readBackupState(config, "copy");
  if (isCopied && copy !== null) return copy.name;
  stopping?.throwIfAborted();
  const reason =
    readBackupState(config, "failure")?.reason ??
    readBackupState(config, "copy-failure")?.reason ??
    "the log says why";
  throw new AppError("storage_failed", `The last copy was not made: ${reason}`);
}
