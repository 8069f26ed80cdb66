import { randomBytes } from "node:crypto";
import { statfsSync } from "node:fs";
import type { Config } from "../config.ts";
import { createIdSource, type IdPrefix } from "../domain/ids.ts";
import { createLog, type Log } from "../log.ts";
import { makeFolder } from "../make-folder.ts";
import { openSecretBox, type SecretBox } from "../secret-box.ts";
import { type Connection, openDatabase } from "../store/database.ts";
import { createSafeguard } from "../store/safeguard.ts";
import { createStore, type Store } from "../store/store.ts";

/** Everything that the code may reach outside itself. Tests replace the clock, the random and the log; the file is always real. */
export type Runtime = {
  config: Config;
  store: Store;
  tx: Connection["tx"];
  /** See {@link Connection.revision}. */
  revision: Connection["revision"];
  /** See {@link Connection.othersRevision}. */
  othersRevision: Connection["othersRevision"];
  ownCommits: Connection["ownCommits"];
  /** See {@link Connection.rehearse}. */
  rehearse: Connection["rehearse"];
  /** Wall clock, epoch milliseconds. */
  now: () => number;
  /** Milliseconds that never jump; for durations and windows. */
  monotonic: () => number;
  /** Nobody can guess it. */
  random: (bytes: number) => Buffer;
  /** 0 <= n < 1, for what anybody may guess. It needs no node:crypto, which takes 7 ms of a start. */
  randomFraction: () => number;
  newId: (prefix: IdPrefix) => string;
  secrets: SecretBox;
  /** How much room the disk of the data has left. */
  freeBytes: () => number;
  log: Log;
  close: () => void;
};

/** For the few who have no data open. */
export const wallClock = (): number => Date.now();
export const systemRandom = (bytes: number): Buffer => randomBytes(bytes);

type Effects = Partial<Pick<Runtime, "now" | "monotonic" | "random" | "log">>;

/**
 * Opens the data directory, creating it at the first use.
 * @param busyTimeoutMs how long a write waits for another writer; 0 on the thread that answers HTTP
 */
export function openRuntime(config: Config, busyTimeoutMs: number, effects: Effects = {}): Runtime {
  const now = effects.now ?? wallClock;
  const random = effects.random ?? systemRandom;
  // Files 0600 and directory 0700, whatever the umask was. A worker thread inherits the process's and may not set it.
  if (config.mayCreate) {
    process.umask(0o077);
    makeFolder(config.dataDir);
  }
  const log = effects.log ?? createLog(config.logFormat, now);
  const safeguard = createSafeguard(config.databasePath, config.backupFolder, now);
  const connection = openDatabase(config.databasePath, busyTimeoutMs, safeguard);
  if (connection.migration) log("info", "migrated", connection.migration);
  return {
    config,
    store: createStore(connection.db),
    tx: connection.tx,
    revision: connection.revision,
    othersRevision: connection.othersRevision,
    ownCommits: connection.ownCommits,
    rehearse: connection.rehearse,
    now,
    monotonic: effects.monotonic ?? (() => performance.now()),
    random,
    randomFraction: effects.random ? () => random(4).readUInt32BE() / 2 ** 32 : Math.random,
    newId: createIdSource(now, random),
    secrets: openSecretBox(config.masterKeyPath, random),
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(config.dataDir);
      return bavail * bsize;
    },
    log,
    close: connection.close,
  };
}
