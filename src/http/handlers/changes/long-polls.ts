import { createCommitDetector } from "../../../app/commit-detector.ts";
import type { Runtime } from "../../../app/runtime.ts";

const POLL_MS = 25;

export type LongPolls = ReturnType<typeof createLongPolls>;

type Waiter = { businessId: string; sequence: number; wake: () => void };

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
    const last = new Map([...businesses].map((id) => [id, rt.store.feed.getLastSequence(id)]));
    for (const { businessId, sequence, wake } of waiters)
      if ((last.get(businessId) ?? 0) > sequence) wake();
  };

  const remove = (waiter: Waiter): void => {
    waiters.delete(waiter);
    if (waiters.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    /** Resolves when there is an event after `sequence`, or when `signal` is aborted. */
    waitForEvent: (businessId: string, sequence: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted || rt.store.feed.getLastSequence(businessId) > sequence)
          return resolve();
        const wake = () => {
          signal.removeEventListener("abort", wake);
          remove(waiter);
          resolve();
        };
        const waiter = { businessId, sequence, wake };
        signal.addEventListener("abort", wake);
        waiters.add(waiter);
        timer ??= setInterval(poll, POLL_MS);
      }),
    closing: closing.signal,
    close: (): void => closing.abort(),
  };
}
