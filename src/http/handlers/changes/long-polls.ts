import { createCommitDetector } from "../../../app/commit-detector.ts";
import type { Runtime } from "../../../app/runtime.ts";

const POLL_MS = 25;

export type LongPolls = ReturnType<typeof createLongPolls>;

/**
 * A request that waits for an event of one business after the sequence number `last`. If
 * `businessId` is null, the request waits for an event of any business with partners, and `last` is
 * a position.
 */
type Waiter = { businessId: string | null; last: number; wake: () => void };

/**
 * Wakes requests that wait for an event. One timer polls the database for all of them, and only
 * while there are any.
 */
export function createLongPolls(rt: Runtime) {
  const waiters = new Set<Waiter>();
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const hasNewCommit = createCommitDetector(rt);

  const poll = (): void => {
    if (!hasNewCommit()) return;
    const businesses = new Set([...waiters].map(({ businessId }) => businessId));
    const newest = new Map([...businesses].map((id) => [id, getLast(id)]));
    for (const { businessId, last, wake } of waiters)
      if ((newest.get(businessId) ?? 0) > last) wake();
  };

  const getLast = (businessId: string | null): number =>
    businessId === null
      ? rt.store.feed.getLastPosition()
      : rt.store.feed.getLastSequence(businessId);

  const remove = (waiter: Waiter): void => {
    waiters.delete(waiter);
    if (waiters.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    /**
     * Resolves when there is an event after `last`, or when `signal` is aborted.
     * @param businessId null for an event of any business with partners
     * @param last a sequence number of the business, or the position of an event
     */
    waitForEvent: (businessId: string | null, last: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted || getLast(businessId) > last) return resolve();
        const wake = () => {
          signal.removeEventListener("abort", wake);
          remove(waiter);
          resolve();
        };
        const waiter = { businessId, last, wake };
        signal.addEventListener("abort", wake);
        waiters.add(waiter);
        timer ??= setInterval(poll, POLL_MS);
      }),
    closing: closing.signal,
    close: (): void => closing.abort(),
  };
}
