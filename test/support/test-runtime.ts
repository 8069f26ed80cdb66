import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { inject, onTestFinished } from "vitest";
import { type Config, type ConfigFlags, readConfig } from "../../src/config.ts";
import type { LogFields, LogLevel } from "../../src/log.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";

export type TestRuntime = Runtime & {
  /** Advances the wall clock and the monotonic clock. */
  advance: (ms: number) => void;
  /** Sets the wall clock only. */
  setClock: (byMs: number) => void;
  logged: { level: LogLevel; message: string; fields: LogFields }[];
};

function createDataFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "deskbell-test-"));
  const { databasePath } = readConfig({ dataDir }, {});
  copyFileSync(inject("emptyDatabase"), databasePath);
  const db = new Database(databasePath);
  db.pragma("synchronous = OFF");
  db.exec("UPDATE server SET id = lower(hex(randomblob(8)))");
  db.close();
  return dataDir;
}

/**
 * Opens a runtime on a temporary database. Its clock stands still until it is advanced. The
 * database is deleted when the test ends.
 */
export function createTestRuntime(
  flags: ConfigFlags = {},
  startsAt = Date.parse("2026-11-20T12:00:00Z"),
  busyTimeoutMs = 5000,
): TestRuntime {
  const dataDir = flags.dataDir ?? createDataFolder();
  const logged: TestRuntime["logged"] = [];
  let elapsedMs = 0;
  let jumpMs = 0;
  const rt = openRuntime(readConfig({ ...flags, dataDir }, {}), busyTimeoutMs, {
    now: () => startsAt + elapsedMs + jumpMs,
    monotonic: () => elapsedMs,
    log: (level, message, fields = {}) => void logged.push({ level, message, fields }),
    actor: () => ({ via: "cli", id: "uid:1000", name: "ada", address: null }),
  });
  onTestFinished(() => {
    rt.close();
    if (flags.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  });
  return Object.assign(rt, {
    logged,
    advance: (ms: number) => void (elapsedMs += ms),
    setClock: (byMs: number) => void (jumpMs += byMs),
  });
}

/** Returns the configuration of another machine, without data and with the same master key. */
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
