import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Config } from "./config.ts";
import { type IdPrefix, sortableId } from "./domain/ids.ts";
import { createLog, type Log } from "./log.ts";
import { openSecretBox, type SecretBox } from "./secret-box.ts";
import { type Connection, openDatabase } from "./store/database.ts";
import { createStore, type Store } from "./store/store.ts";

/** Everything that the code may reach outside itself. Tests replace the clock, the random and the log; the file is always real. */
export type Runtime = {
  config: Config;
  store: Store;
  tx: Connection["tx"];
  /** See {@link Connection.revision}. */
  revision: Connection["revision"];
  /** Wall clock, epoch milliseconds. */
  now: () => number;
  /** Milliseconds that never jump; for durations and windows. */
  monotonic: () => number;
  random: (bytes: number) => Buffer;
  newId: (prefix: IdPrefix) => string;
  secrets: SecretBox;
  log: Log;
  close: () => void;
};

type Effects = Partial<Pick<Runtime, "now" | "monotonic" | "random" | "log">>;

/**
 * Opens the data directory, creating it at the first use.
 * @param busyTimeoutMs how long a write waits for another writer; 0 on the thread that answers HTTP
 */
export function openRuntime(config: Config, busyTimeoutMs: number, effects: Effects = {}): Runtime {
  const now = effects.now ?? Date.now;
  const random = effects.random ?? randomBytes;
  // Files 0600 and directory 0700, whatever the umask was. A worker thread inherits the process's and may not set it.
  if (config.mayCreate) {
    process.umask(0o077);
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  }
  const connection = openDatabase(config.databasePath, busyTimeoutMs);
  return {
    config,
    store: createStore(connection.db),
    tx: connection.tx,
    revision: connection.revision,
    now,
    monotonic: effects.monotonic ?? (() => performance.now()),
    random,
    newId: (prefix) => sortableId(prefix, now(), random(10)),
    secrets: openSecretBox(config.masterKeyPath, random),
    log: effects.log ?? createLog(config.logFormat, now),
    close: connection.close,
  };
}
