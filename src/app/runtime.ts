import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { statfsSync, mkdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { type Config, readSudoUser } from "../config.ts";
import { errorInWords, AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/audit.ts";
import { createIdSource, type IdPrefix } from "../domain/ids.ts";
import { createLog, type Log } from "../platform/log.ts";
import { createJumpDetector, readClockSource } from "./clock-jumps.ts";
import { openSecretBox, type SecretBox } from "../platform/secret-box.ts";
import { type Connection, isDaemonRunning, openDatabase } from "../store/database/database.ts";
import { findIdentity, findLoss, lostFileError } from "../store/database/file-identity.ts";
import { createSafeguard } from "../store/safeguard.ts";
import { isOnReadOnlyDisk } from "../store/database/storage-error.ts";
import { createStore, memoizeStores, type Store } from "../store/store.ts";
import type { Db } from "../store/database/db.ts";
import { dirname } from "node:path";
import { BEFORE_MIGRATION } from "../features/before-migration.ts";
import { BEFORE_WRITE } from "../features/before-write.ts";

/**
 * A Runtime has all side effects of the code that uses it. Tests replace the clock, the randomness
 * and the log; the database file is always real.
 */
export type Runtime = Pick<
  Connection,
  "tx" | "read" | "revision" | "startDryRun" | "undoDryRun" | "isDryRun" | "close"
> & {
  config: Config;
  store: Store;
  /** Returns the store that `create` makes; the first call makes it, and later calls return it. */
  openStore: <T>(create: (db: Db) => T) => T;
  /** Wall clock, epoch milliseconds. */
  now: () => number;
  /** Milliseconds that never jump, for durations and rate limits. */
  monotonic: () => number;
  /**
   * The wall clock minus the monotonic clock that `source` names. The offset is equal in all
   * processes that share both clocks.
   */
  machineClock: { offset: () => number; source: () => string };
  /**
   * Asserts that this process may write now.
   * @throws AppError state_refuses if another server continues from these data; shutting_down if
   * the daemon hands them over
   */
  assertMayWrite: () => void;
  /**
   * If the wall clock has jumped, shifts every time at which a stored period ends. The function
   * runs before each transaction.
   */
  applyJump: () => void;
  random: (bytes: number) => Buffer;
  /**
   * Returns a number 0 <= n < 1, which may be predictable. The function does without node:crypto,
   * which takes 7 ms to load at its first use.
   */
  randomFraction: () => number;
  newId: (prefix: IdPrefix) => string;
  secrets: SecretBox;
  freeBytes: () => number;
  isDiskReadOnly: () => boolean;
  /**
   * Returns why the database's path no longer leads to the open file; undefined if the path still
   * leads to it.
   */
  findLoss: () => string | undefined;
  log: Log;
  /**
   * Returns who makes the changes: the key of the current request, else the user of the process.
   */
  actor: () => Actor;
  /** Runs `work`, and everything that it awaits, on behalf of another actor. */
  runAs: <T>(actor: Actor, work: () => T) => T;
};

/** Returns the time, for code that runs without a Runtime. */
export const wallClock = (): number => Date.now();
export const systemRandom = (bytes: number): Buffer => randomBytes(bytes);

type Effects = Partial<
  Pick<Runtime, "now" | "monotonic" | "machineClock" | "random" | "log" | "actor">
> & {
  /** Whether this process holds the daemon lock, possibly in another thread. */
  isDaemon?: boolean;
  /** Replaces the check that a command makes before it writes; by default, a daemon makes none. */
  assertMayWrite?: () => void;
  onSyncFailed?: (error: unknown) => void;
};

/**
 * Opens the database, and creates the data folder on first use.
 * @param busyTimeoutMs how long a write waits for another writer; 0 on the thread that serves
 *   HTTP
 */
export function openRuntime(config: Config, busyTimeoutMs: number, effects: Effects = {}): Runtime {
  const now = effects.now ?? wallClock;
  const monotonic = effects.monotonic ?? (() => performance.now());
  const random = effects.random ?? systemRandom;
  if (config.mayCreate) prepareDataFolder(config);
  const log = effects.log ?? createLog(config.logFormat, now);
  const { databasePath } = config;
  const safeguard = createSafeguard(
    config,
    { now, random },
    effects.isDaemon ?? false,
    BEFORE_MIGRATION,
  );
  const { db, migration, ...connection } = openDatabase(databasePath, busyTimeoutMs, safeguard, {
    monotonic,
    onSyncFailed: effects.onSyncFailed,
  });
  if (migration) log("info", "migrated", migration);
  const openedFile = findIdentity(databasePath);
  const findLossOfFile = () => findLoss(databasePath, openedFile);
  const store = createStore(db);
  const machineClock = effects.machineClock ?? sharedClock(effects);
  const applyJump = createJumpDetector(
    connection,
    store,
    { now, ...machineClock },
    {
      isDaemon: effects.isDaemon ?? false,
      isDaemonRunning: () => isDaemonRunning(databasePath),
    },
    log,
  );
  const guards = effects.isDaemon ? [] : BEFORE_WRITE.map((createGuard) => createGuard(config));
  const assertMayWrite = effects.assertMayWrite ?? (() => guards.forEach((check) => check()));
  const currentActor = new AsyncLocalStorage<Actor>();
  const processActor = effects.actor ?? systemUser;
  return {
    ...connection,
    // Changes to a deleted file would be confirmed and lost, so the file is checked first.
    tx: (work) => {
      const loss = findLossOfFile();
      if (loss !== undefined) throw lostFileError(databasePath, loss);
      if (db.inTransaction) return connection.tx(work);
      assertMayWrite();
      // The shift is made before the transaction, because a rollback would undo a shift inside of
      // it.
      applyJump();
      return connection.tx(() => {
        // Another process may have ended the right to write while this one waited for the lock.
        assertMayWrite();
        return work();
      });
    },
    assertMayWrite,
    findLoss: findLossOfFile,
    config,
    store,
    openStore: memoizeStores(db),
    now,
    monotonic,
    machineClock,
    applyJump,
    random,
    randomFraction: effects.random ? () => random(4).readUInt32BE() / 2 ** 32 : Math.random,
    newId: createIdSource(now, random),
    secrets: openSecretBox(config.masterKeyPath, random, connection.isDryRun),
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(config.dataDir);
      return bavail * bsize;
    },
    isDiskReadOnly: () => isOnReadOnlyDisk(databasePath),
    log,
    actor: () => currentActor.getStore() ?? processActor(),
    runAs: (actor, work) => currentActor.run(actor, work),
  };
}

/**
 * Returns the clock that all processes of the machine share, or the clock of a test. If a test
 * replaces only one of the two clocks, the wall clock never jumps.
 */
function sharedClock({ now, monotonic }: Effects): Runtime["machineClock"] {
  if (now === undefined && monotonic === undefined) {
    // `hrtime` counts from the boot of the machine, `performance.now()` from the thread's start.
    const startedAt = Number(process.hrtime.bigint()) / 1e6 - performance.now();
    const source = readClockSource(systemRandom);
    return {
      offset: () => Date.now() - startedAt - performance.now(),
      source: () => source,
    };
  }
  const source = `test ${Math.random()}`;
  if (now === undefined || monotonic === undefined)
    return { offset: () => 0, source: () => source };
  return { offset: () => now() - monotonic(), source: () => source };
}

/**
 * Creates the data folder. Files get mode 0600 and folders 0700, whatever the umask was. A worker
 * thread inherits the umask of the process and cannot set it.
 */
export function prepareDataFolder({ dataDir }: Config): void {
  process.umask(0o077);
  makeFolder(dataDir);
}

function systemUser(): Actor {
  return {
    via: "cli",
    id: `uid:${process.getuid?.() ?? "unknown"}`,
    name: readSudoUser() ?? userName(),
    address: null,
  };
}

/** Returns null for a user ID without a passwd entry, for which `userInfo` throws. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/**
 * Creates a folder and its parents, each with mode 0700. The parents are created one by one,
 * because Node's recursive mkdir never returns under /proc.
 * @throws AppError not_permitted if a file is in the way, or if no folder can exist there; other
 *   errors of mkdir as they are
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process created it first.
    if (code === "EEXIST" && isFolder(path)) return;
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EEXIST") throw error;
    throw new AppError("not_permitted", `Cannot create ${path}: ${errorInWords(error)}.`, {
      fix: "name another folder with --data-dir",
    });
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
