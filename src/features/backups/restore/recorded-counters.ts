import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../domain/errors.ts";
import { shellQuote } from "../../../domain/text.ts";
import { replaceDurably } from "../../../platform/durable-file.ts";
import type { BusinessCounters } from "../store/files.ts";
import { isEpoch, readBackupDir, readNewestEpoch } from "./epochs.ts";

// Two servers that were restored from the same copy do not know each other's events. A folder of
// copies therefore has the highest counters of all servers that used it, and a restore of one of
// its copies exceeds them. Otherwise partners would see the same sequence numbers again.

const NAME = "counters.json";

/** `epoch` is the highest epoch of the servers that recorded the counters. */
type Recorded = { epoch: number; counters: BusinessCounters[] };

/**
 * Returns the highest counters, the highest epoch of the servers that recorded them, and
 * `takeoversSince`: how far epochs have risen since then, which is at least the number of
 * takeovers. If there is no record, all takeovers count.
 * @param dir the folder of the copies
 * @throws AppError state_refuses if the record cannot be read or is damaged
 */
export function readRecordedCounters(dir: string): Recorded & { takeoversSince: number } {
  const { epoch, counters } = readRecord(dir);
  return { epoch, counters, takeoversSince: Math.max(0, readNewestEpoch(dir) - epoch) };
}

function readRecord(dir: string): Recorded {
  const path = join(dir, NAME);
  const text = readBackupDir(path, readIfItExists);
  if (text === null) return { epoch: 0, counters: [] };
  const record = parse(text);
  if (!isRecord(record))
    throw new AppError("state_refuses", `${path} is damaged, or not from deskbell.`, {
      fix: `mv ${shellQuote(path)} ${shellQuote(`${path}.damaged`)}; without it, the sequence numbers after a restore leave a larger gap`,
    });
  return record;
}

function readIfItExists(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Recorded {
  const { epoch, counters } = (value ?? {}) as Partial<Recorded>;
  return (
    isEpoch(epoch) &&
    Array.isArray(counters) &&
    counters.every(
      (business: Partial<BusinessCounters> | null) =>
        typeof business?.id === "string" &&
        isCounter(business.catalogVersion) &&
        isCounter(business.lastSequence),
    )
  );
}

/**
 * Maximum counter of a server. A higher counter is damaged or forged. The server would continue at
 * it, and could write no change once JavaScript could not add 1 to it exactly.
 */
const MAX_COUNTER = 2 ** 52;

const isCounter = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) <= MAX_COUNTER;

/**
 * Records the counters of a server, unless those in the folder are higher.
 * @throws AppError like `readRecordedCounters`
 */
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
  replaceDurably(join(dir, NAME), JSON.stringify(record));
}
