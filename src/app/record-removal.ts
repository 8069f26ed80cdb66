import { AppError } from "../domain/errors.ts";
import { ON_REMOVAL } from "../features/on-removal.ts";
import { storageError } from "../store/database/storage-error.ts";
import type { OnRemoval } from "./feature-hooks.ts";
import type { Runtime } from "./runtime.ts";

type Removal<Result> = {
  /** Removes the data. It calls `record` once, unless it finds nothing to remove. */
  remove: (record: () => void) => Result;
  /** Calls the function with which a feature records the removal. */
  record: (feature: OnRemoval) => void;
  /** What a restore does because of the record, for the error of a removal that has failed. */
  consequence: string;
};

/**
 * Removes data for good, in one transaction with the record by which a restore removes them again.
 * The record is outside the database, so it remains if the transaction fails after it.
 */
export function removeForGood<Result>(
  rt: Runtime,
  { remove, record, consequence }: Removal<Result>,
): Result {
  let isRecorded = false;
  const recordInFeatures = () => {
    if (rt.isDryRun()) return;
    for (const feature of ON_REMOVAL) {
      record(feature);
      isRecorded = true;
    }
  };
  let removed: Result;
  try {
    removed = rt.tx(() => remove(recordInFeatures));
  } catch (error) {
    throw isRecorded ? explain(rt, error, consequence) : error;
  }
  if (!rt.isDryRun()) for (const { committed } of ON_REMOVAL) committed?.(rt);
  return removed;
}

function explain({ config }: Runtime, error: unknown, consequence: string): unknown {
  const known = error instanceof AppError ? error : storageError(error, config.databasePath);
  if (known === undefined) return error;
  const { code, message, fix } = known;
  return new AppError(
    code,
    `${message} Nothing was changed, but the change is recorded: ${consequence}. To complete the change, run the command again.`,
    fix === undefined ? {} : { fix },
  );
}
