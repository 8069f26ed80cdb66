import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { checkDatabase } from "../store/files.ts";
import type { EventRow } from "../../../store/events.ts";
import { storageError } from "../../../store/database/storage-error.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { findChecksum } from "../checksums.ts";
import { type BackupState, readBackupState, saveBackupState } from "../state.ts";
import { assertUnchanged, listBackupsIn } from "../backups.ts";
import { errorInWords } from "../../../domain/errors.ts";

type Scrub = BackupState["scrub"];

/**
 * The shortest time between the beginnings of two rounds. A round begins after a backup. If there
 * is one backup a day, a round begins every six days and may take one day, so each event and backup
 * is read every seven days.
 */
const INTERVAL_MS = 5.5 * 86_400_000;
/**
 * A run stops after this time, so that a backup that has become due is made first. A later run
 * continues the round.
 */
const MAX_RUN_MS = 30 * 60_000;
const BATCH_SIZE = 200;
/** The limit on the speed of reading events: 20 MB a second. */
const BYTES_PER_MS = 20_000;
/**
 * The progress is saved at this interval, so a killed run repeats at most five seconds of reading.
 */
const SAVE_INTERVAL_MS = 5000;
/** At most this many altered events are recorded and logged. */
const MAX_ALTERED = 20;

export const isScrubDue = ({ config, now }: Runtime): boolean =>
  now() - (readBackupState(config, "scrub")?.startedAt ?? -Infinity) >= INTERVAL_MS;

/** Returns whether a round has begun and not finished. */
export const isScrubUnfinished = ({ config }: Runtime): boolean =>
  readBackupState(config, "scrub")?.finishedAt === null;

/**
 * Reads the stored events and all backups and compares them with their SHA-256. SQLite does not
 * find damage inside a value, and nothing else reads old data. A round that is interrupted
 * continues where it stopped.
 */
export async function scrub(rt: Runtime, signal?: AbortSignal): Promise<void> {
  const { config } = rt;
  const before = readBackupState(config, "scrub");
  const state = before?.finishedAt === null ? before : startRound(rt, before);
  const endsAt = rt.monotonic() + MAX_RUN_MS;
  const mustStop = () => signal?.aborted === true || rt.monotonic() > endsAt;
  try {
    await scrubEvents(rt, state, mustStop);
  } catch (error) {
    reportUnreadable(rt, error);
  }
  if (!mustStop()) await scrubBackups(rt, state, mustStop);
  if (!mustStop()) state.finishedAt = rt.now();
  saveBackupState(config, "scrub", state);
}

/**
 * Returns the state of a new round. A damaged backup that an earlier round found stays in the state
 * until it is verified again.
 */
const startRound = (rt: Runtime, before: Scrub | null): Scrub => ({
  startedAt: rt.now(),
  finishedAt: null,
  afterEvent: "",
  verified: [],
  altered: before?.altered.filter((id) => isAltered(rt.store.events.findById(id))) ?? [],
  damaged: before?.damaged.filter(({ path }) => existsSync(path)) ?? [],
});

/**
 * Reads events slowly and in small batches, so that the page cache keeps the data of other
 * programs.
 */
async function scrubEvents(rt: Runtime, state: Scrub, mustStop: () => boolean): Promise<void> {
  let savedAt = rt.monotonic();
  while (!mustStop()) {
    const events = rt.store.events.listById(state.afterEvent, BATCH_SIZE);
    const last = events.at(-1);
    if (last === undefined) return;
    for (const { id } of events.filter(isAltered)) reportAltered(rt, state, id);
    state.afterEvent = last.id;
    if (rt.monotonic() - savedAt >= SAVE_INTERVAL_MS) {
      saveBackupState(rt.config, "scrub", state);
      savedAt = rt.monotonic();
    }
    const bytes = events.reduce((sum, { body }) => sum + body.length, 0);
    await delay(bytes / BYTES_PER_MS);
  }
}

/** Records that the database cannot be read, which the condition `database.damaged` reports. */
function reportUnreadable(rt: Runtime, error: unknown): void {
  const damage = storageError(error, rt.config.databasePath);
  if (damage?.code !== "storage_failed") throw error;
  rt.log("error", "The stored events cannot be read.", { reason: damage.message, fix: damage.fix });
  const failure = { at: rt.now(), reason: damage.message, isDamaged: true };
  saveBackupState(rt.config, "failure", failure);
}

function reportAltered(rt: Runtime, state: Scrub, id: string): void {
  if (state.altered.includes(id) || state.altered.length === MAX_ALTERED) return;
  rt.log("error", "A stored event differs from its SHA-256.", { event: id });
  state.altered.push(id);
}

export const isAltered = (event: Pick<EventRow, "body" | "sha256"> | undefined): boolean =>
  event !== undefined && !hash("sha256", event.body, "buffer").equals(event.sha256);

async function scrubBackups(rt: Runtime, state: Scrub, mustStop: () => boolean): Promise<void> {
  for (const path of listBackupFiles(rt)) {
    if (mustStop()) return;
    if (state.verified.includes(path)) continue;
    const reason = await findDamage(path);
    state.damaged = state.damaged.filter((damaged) => damaged.path !== path);
    if (reason !== null) {
      rt.log("error", "A backup is damaged.", { backup: path, reason });
      state.damaged.push({ path, reason });
    }
    state.verified.push(path);
    saveBackupState(rt.config, "scrub", state);
  }
}

function listBackupFiles({ config, log }: Runtime): string[] {
  const { backupFolder, backups } = config;
  return [backupFolder, ...(backups.dir === null ? [] : [backups.dir])].flatMap((folder) => {
    try {
      return listBackupsIn(folder).map(({ path }) => path);
    } catch (error) {
      log("warn", "Backups could not be checked.", { folder, reason: errorInWords(error) });
      return [];
    }
  });
}

/** Returns what is wrong with a backup; null if it is intact or was deleted meanwhile. */
async function findDamage(path: string): Promise<string | null> {
  try {
    if (findChecksum(path) === undefined) checkDatabase(path);
    else await assertUnchanged(path);
    return null;
  } catch (error) {
    return existsSync(path) ? errorInWords(error) : null;
  }
}
