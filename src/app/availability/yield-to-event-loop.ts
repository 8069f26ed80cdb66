import { setImmediate } from "node:timers";

/**
 * Returns a promise that resolves in a later iteration of the event loop. Each iteration resumes
 * only one of the waiting callers.
 */
export type YieldToEventLoop = () => Promise<void>;

export function createEventLoopYield(): YieldToEventLoop {
  const waiting: (() => void)[] = [];
  const resumeNext = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(resumeNext);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(resumeNext);
    });
}

/** Splits a range into chunks, and lets the event loop run before each. */
export async function* inChunks(
  yieldToEventLoop: YieldToEventLoop,
  { first, last }: { first: number; last: number },
  length: number,
): AsyncGenerator<{ first: number; last: number }> {
  for (let start = first; start <= last; start += length) {
    await yieldToEventLoop();
    yield { first: start, last: Math.min(last, start + length - 1) };
  }
}
