import { setTimeout as delay } from "node:timers/promises";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { isBusy, LOCK_RETRY_MS } from "../../store/database/write-lock.ts";

export const WRITE_TIMEOUT_MS = 2000;

/**
 * Retries a write while another writer holds the lock. The HTTP thread's connection does not wait
 * for it, because that would block every request.
 * @throws AppError busy after two seconds
 */
export async function retryWhileBusy<T>(rt: Runtime, write: () => T | Promise<T>): Promise<T> {
  const startedAt = rt.monotonic();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (rt.monotonic() - startedAt >= WRITE_TIMEOUT_MS)
        throw new AppError("busy", "Another writer holds the database lock; retry in a moment.");
    }
    await delay(LOCK_RETRY_MS);
  }
}
