import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { readOwnEpoch } from "../own-epoch.ts";
import { createMarker, deleteMarker, endTakeover, readNewestEpoch } from "./epochs.ts";
import { readRecordedCounters } from "./recorded-counters.ts";

/** The copy with which a server takes over. */
type TakenCopy = {
  /** The epoch in the tag of the copy; 0 if the tag is not authentic. */
  epoch: number;
  /** Whether the copy is complete until the next takeover. */
  isLast: boolean;
};

/** A takeover that has begun. */
type Takeover = {
  epoch: number;
  /** Leaves the folder as it was, so that the next try finds the copy as this one did. */
  undo: () => void;
};

/**
 * Records in the folder of the copies that a takeover has begun. A server with a lower epoch can no
 * longer start. The epoch is higher than each one that is known: those of the folder, of the copy,
 * of the servers that used the folder, and of this server. The folder alone would not do, because a
 * server that has changed its folder has an epoch from the old one.
 * @param dir the folder of the copies
 * @throws AppError state_refuses if another server takes over at the same time, or if the recorded
 *   counters in the folder are damaged
 */
export function createEpoch(config: Config, dir: string, now: number, copy: TakenCopy): Takeover {
  const newest = readNewestEpoch(dir);
  const inFolder = Math.max(newest, copy.epoch, readRecordedCounters(dir).epoch);
  // Machines that take over with one copy at the same time may have different epochs of their own.
  // This number is therefore the same on all of them, and only one of them can create its file.
  const claimed = (copy.isLast ? copy.epoch : inFolder) + 1;
  const epoch = Math.max(inFolder, readOwnEpoch(config)) + 1;
  // A last copy is no longer complete after a takeover that began after `isLast` was determined.
  if (newest >= claimed) throw concurrentError();
  const created: number[] = [];
  create(claimed);
  if (epoch !== claimed) {
    try {
      create(epoch);
      // The first file stays, so that no other machine creates it. Its takeover goes on in the
      // second.
      endTakeover(dir, claimed);
    } catch (error) {
      undo();
      throw error;
    }
  }
  // A takeover of another copy can have a higher number, so this server could not start.
  if (readNewestEpoch(dir) > epoch) throw concurrentError();
  return { epoch, undo };

  function create(number: number): void {
    if (!createMarker(config, dir, number, now)) throw concurrentError();
    created.push(number);
  }

  function undo(): void {
    // A power cut between the two deletions leaves the lower number, as before the second file.
    for (const number of created.toReversed()) deleteMarker(dir, number);
  }
}

const concurrentError = (): AppError =>
  new AppError("state_refuses", "Another server takes over at the same time.", {
    fix: "decide which one should run, and start only that one",
  });
