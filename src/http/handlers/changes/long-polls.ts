import type { Runtime } from "../../../app/runtime.ts";

const LOOK_EVERY_MS = 25;

/** Where requests wait for something to happen in their business. */
export type LongPolls = {
  /** Resolves when a sequence number above `known` was given out, or with `over`. */
  waitForEvent: (businessId: string, known: number, over: AbortSignal) => Promise<void>;
  /** Aborted once the process is to end: nobody waits any longer. */
  closing: AbortSignal;
  close: () => void;
};

type Waiter = { businessId: string; known: number; wake: () => void };

/** All wait on one look at the file every 25 ms, and on none while nobody waits. */
export function createLongPolls(rt: Runtime): LongPolls {
  const waiters = new Set<Waiter>();
  const closed = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let seen = -1;

  const look = (): void => {
    const revision = rt.revision();
    if (revision === seen) return;
    seen = revision;
    const businesses = new Set([...waiters].map(({ businessId }) => businessId));
    const last = new Map([...businesses].map((id) => [id, rt.store.feed.getLastSequence(id)]));
    for (const { businessId, known, wake } of waiters)
      if ((last.get(businessId) ?? 0) > known) wake();
  };

  const leave = (waiter: Waiter): void => {
    waiters.delete(waiter);
    if (waiters.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    waitForEvent: (businessId, known, over) =>
      new Promise((resolve) => {
        if (over.aborted || rt.store.feed.getLastSequence(businessId) > known) return resolve();
        const wake = () => {
          over.removeEventListener("abort", wake);
          leave(waiter);
          resolve();
        };
        const waiter = { businessId, known, wake };
        over.addEventListener("abort", wake);
        waiters.add(waiter);
        timer ??= setInterval(look, LOOK_EVERY_MS);
      }),
    closing: closed.signal,
    close: () => closed.abort(),
  };
}
