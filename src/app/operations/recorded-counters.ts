import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BusinessCounters } from "../../store/backup.ts";
import { readNewestEpoch } from "./epochs.ts";

// Two servers that were restored from the same copy do not know each other's events. A folder of
// copies therefore has the highest counters of all servers that used it, and a restore of one of
// its copies exceeds them: otherwise partners would see the same sequence numbers again.

const NAME = "counters.json";

/** `epoch`: of the server that recorded them. */
type Recorded = { epoch: number; counters: BusinessCounters[] };

/**
 * Returns the highest counters, and the number of takeovers since they were recorded. Without a
 * record, or if it is damaged, these are all takeovers.
 * @param dir of the copies
 * @throws AppError state_refuses
 */
export function readRecordedCounters(dir: string): {
  counters: BusinessCounters[];
  takeoversSince: number;
} {
  const { epoch, counters } = readRecord(dir);
  return { counters, takeoversSince: Math.max(0, readNewestEpoch(dir) - epoch) };
}

function readRecord(dir: string): Recorded {
  try {
    return JSON.parse(readFileSync(join(dir, NAME), "utf8")) as Recorded;
  } catch {
    return { epoch: 0, counters: [] };
  }
}

/** Records the counters of a server, unless those in the folder are higher. */
export function recordCounters(dir: string, { epoch, counters }: Recorded): void {
  const recorded = readRecord(dir);
  const highest = new Map(recorded.counters.map((business) => [business.id, business]));
  for (const { id, catalogVersion, lastSequence } of counters)
    highest.set(id, {
      id,
      catalogVersion: Math.max(catalogVersion, highest.get(id)?.catalogVersion ?? 0),
      lastSequence: Math.max(lastSequence, highest.get(id)?.lastSequence ?? 0),
    });
  const record: Recorded = {
    epoch: Math.max(epoch, recorded.epoch),
    counters: [...highest.values()],
  };
  const draft = join(dir, `${NAME}.draft`);
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600, flush: true });
  renameSync(draft, join(dir, NAME));
}
