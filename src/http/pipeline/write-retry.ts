import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import { isBusy } from "../../store/database.ts";

const GIVE_UP_AFTER_MS = 2000;
const RETRY_EVERY_MS = 20;

/**
 * Runs a write that gives way to other writers without holding up this thread: its connection does not wait by itself.
 * @throws AppError busy when the file stays locked, storage_full
 */
export async function retryWhileBusy<T>(rt: Runtime, write: () => T | Promise<T>): Promise<T> {
  const startedAt = rt.monotonic();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if ((error as { code?: unknown }).code === "SQLITE_FULL")
        throw new AppError(
          "storage_full",
          "The disk is full: nothing can be written until there is room.",
        );
      if (!isBusy(error)) throw error;
      if (rt.monotonic() - startedAt >= GIVE_UP_AFTER_MS)
        throw new AppError("busy", "Another writer holds the database. Try again in a moment.");
    }
    await delay(RETRY_EVERY_MS);
  }
}
