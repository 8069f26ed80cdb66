import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { readOwnEpoch } from "../own-epoch.ts";
import { createMarker, deleteMarker, endTakeover, readNewestEpoch } from "./epochs.ts";
import { readRecordedCounters } from "./recorded-counters.ts";

/** The copy with which a server takes over. */
type TakenCopy = {
  /** The epoch in the tag of the copy; 0 if the tag is not authentic. */
  epoch: number;
  /** Whether the copy has all that its server ever stored, as long as no other takeover begins. */
  isLast: boolean;
};

/** A takeover that has begun. */
type Takeover = {
  epoch: number;
  /** Deletes the files of this takeover, so that the next try finds the folder as this one did. */
  undo: () => void;
};

/**
 * Records in the folder of the copies that a takeover has begun. A server with a lower epoch can no
 * longer start. The new epoch is higher than all known ones: that of the folder, that in the tag of
 * the copy, the one recorded with the counters, and that of this server. A server that has changed
 * its folder has an epoch from the old folder, which the new folder lacks.
 * @param dir the folder of the copies
 * @throws AppError state_refuses if another server takes over at the same time, or if the recorded
 *   counters in the folder are damaged
 */
export function createEpoch(config: Config, dir: string, now: number, copy: TakenCopy): Takeover {
  const newest = readNewestEpoch(dir);
  const inFolder = Math.max(newest, copy.epoch, readRecordedCounters(dir).epoch);
  // Machines that take over with one copy at the same time may have different epochs of their own.
  // `claimed` does not depend on them, so it is the same on all machines, and only one machine can
  // create its file.
  const claimed = (copy.isLast ? copy.epoch : inFolder) + 1;
  const epoch = Math.max(inFolder, readOwnEpoch(config)) + 1;
  // A takeover that began after `isLast` was determined may have stored data that the copy lacks.
  if (newest >= claimed) throw concurrentError();
  const created: number[] = [];
  create(claimed);
  if (epoch !== claimed) {
    try {
      create(epoch);
      // The file of the lower number stays, so that no other machine can create it. Its takeover is
      // marked as complete, because the file of the higher number now stands for the takeover.
      endTakeover(dir, claimed);
    } catch (error) {
      undo();
      throw error;
    }
  }
  // Another machine may have taken over with another copy and a higher number, so this server could
  // not start.
  if (readNewestEpoch(dir) > epoch) throw concurrentError();
  return { epoch, undo };

  function create(number: number): void {
    if (!createMarker(config, dir, number, now)) throw concurrentError();
    created.push(number);
  }

  function undo(): void {
    // The higher number is deleted first. A power cut between the two deletions then leaves the
    // same state as before the second file was created.
    for (const number of created.toReversed()) deleteMarker(dir, number);
  }
}

const concurrentError = (): AppError =>
  new AppError("state_refuses", "Another server takes over at the same time.", {
    fix: "decide which one should run, and start only that one",
  });
