import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolders, type Config } from "../../config.ts";

const INTERVAL_MS = 3_600_000;

/** The last alert about a failure; `at` is in epoch milliseconds. */
type Sent = { at: number; reason: string };

/** Returns the possible paths of the marker: the data folder may be missing or read-only. */
const listMarkers = (config: Config): string[] =>
  [config.dataDir, ...cacheFolders()].map((folder) => join(folder, "last-failure-alert.json"));

/**
 * Returns whether an alert about a failure of the daemon was sent within the last hour: a
 * supervisor may restart the daemon each second.
 * @param reason undefined for any reason
 */
export const hasAlertedFailure = (
  config: Config,
  reason: string | undefined,
  now: number,
): boolean =>
  listMarkers(config)
    .map(readMarker)
    .some(
      (sent) =>
        sent !== undefined &&
        sent.at <= now &&
        now - sent.at < INTERVAL_MS &&
        (reason === undefined || sent.reason === reason),
    );

/** Writes the marker to the first folder that is writable. */
export function recordFailureAlert(config: Config, sent: Sent): void {
  for (const path of listMarkers(config))
    try {
      mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
      return writeFileSync(path, JSON.stringify(sent), { mode: 0o600 });
    } catch {
      // The next folder may be writable.
    }
}

function readMarker(path: string): Sent | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Sent;
  } catch {
    return undefined;
  }
}
