import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { type Config, type ConfigFlags, readConfig } from "../../src/config.ts";
import type { Actor } from "../../src/domain/audit.ts";
import { createIdSource } from "../../src/domain/ids.ts";
import { lazy } from "../../src/domain/lazy.ts";
import type { LogFields, LogLevel } from "../../src/platform/log.ts";
import { openRuntime, type Runtime, systemRandom } from "../../src/app/runtime.ts";

export type TestRuntime = Runtime & {
  /** Advances the wall clock and the monotonic clock. */
  advance: (ms: number) => void;
  /** Shifts the wall clock, but not the monotonic clock. */
  shiftClock: (byMs: number) => void;
  logged: { level: LogLevel; message: string; fields: LogFields }[];
};

/** The bytes of a database, and the position of its server ID. */
export type DatabaseCopy = { file: Buffer; idAt: number };

const emptyDatabase = lazy((): DatabaseCopy => {
  const file = readFileSync(inject("emptyDatabase"));
  return { file, idAt: file.indexOf(inject("emptyServerId")) };
});

/** Creates a folder with a copy of a database, and gives the copy a new server ID. */
export function createDataFolder({ file, idAt } = emptyDatabase()): string {
  const dataDir = mkdtempSync(join(tmpdir(), "deskbell-test-"));
  file.write(randomBytes(8).toString("hex"), idAt);
  writeFileSync(readConfig({ dataDir }, {}).databasePath, file, { mode: 0o600 });
  return dataDir;
}

const STARTS_AT = Date.parse("2026-11-20T12:00:00Z");
const ACTOR: Actor = { via: "cli", id: "uid:1000", name: "ada", address: null };

const prepared = new Map<string, DatabaseCopy>();

/**
 * Returns a copy of a database that `prepare` has filled. Each process fills the database of a name
 * only once.
 */
export function prepareDatabase(name: string, prepare: (rt: Runtime) => void): DatabaseCopy {
  const known = prepared.get(name);
  if (known !== undefined) return known;
  const empty = emptyDatabase();
  const config = readConfig({ dataDir: createDataFolder(empty) }, {});
  const rt = openRuntime(config, 5000, {
    now: () => STARTS_AT,
    monotonic: () => 0,
    log: () => {},
    actor: () => ACTOR,
  });
  // These IDs are 1 ms older than those of a test, which therefore sort after them.
  rt.newId = createIdSource(() => STARTS_AT - 1, systemRandom);
  prepare(rt);
  rt.close();
  const copy = { file: readFileSync(config.databasePath), idAt: empty.idAt };
  rmSync(config.dataDir, { recursive: true });
  prepared.set(name, copy);
  return copy;
}

/**
 * Opens a runtime on `flags.dataDir`, which is kept, or on a copy of `database` that is deleted
 * when the test ends. The clock stands still until it is advanced.
 */
export function createTestRuntime(
  flags: ConfigFlags = {},
  startsAt = STARTS_AT,
  busyTimeoutMs = 5000,
  database = emptyDatabase(),
): TestRuntime {
  const dataDir = flags.dataDir ?? createDataFolder(database);
  const logged: TestRuntime["logged"] = [];
  let elapsedMs = 0;
  let jumpMs = 0;
  let readings = 0;
  const rt = openRuntime(readConfig({ ...flags, dataDir }, {}), busyTimeoutMs, {
    now: () => startsAt + elapsedMs + jumpMs,
    // A real monotonic clock also has fractions of a millisecond, which differ between two
    // readings.
    monotonic: () => elapsedMs + (readings += 1) * 2 ** -20,
    log: (level, message, fields = {}) => void logged.push({ level, message, fields }),
    actor: () => ACTOR,
  });
  onTestFinished(() => {
    rt.close();
    if (flags.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  });
  return Object.assign(rt, {
    logged,
    advance: (ms: number) => void (elapsedMs += ms),
    shiftClock: (byMs: number) => void (jumpMs += byMs),
  });
}

/** Returns the configuration of another machine without data, with the same master key. */
export function createStandbyConfig(
  { masterKeyPath }: Pick<Config, "masterKeyPath">,
  flags: ConfigFlags = {},
): Config {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-standby-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = readConfig({ dataDir: join(folder, "data"), ...flags }, {});
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  if (existsSync(masterKeyPath)) copyFileSync(masterKeyPath, config.masterKeyPath);
  return config;
}
