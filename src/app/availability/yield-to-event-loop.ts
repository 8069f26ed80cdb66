import { setImmediate } from "node:timers";

/** Waits for a turn of the event loop of one's own: of all who wait, one is let on in each. */
export type YieldToEventLoop = () => Promise<void>;

export function createEventLoopYield(): YieldToEventLoop {
  const waiting: (() => void)[] = [];
  const letOneOn = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(letOneOn);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(letOneOn);
    });
}

/** Cuts a run of numbers into stretches with a turn for each: whatever else there is to do is done in between. */
export async function* inChunks(
  turn: YieldToEventLoop,
  { first, last }: { first: number; last: number },
  length: number,
): AsyncGenerator<{ first: number; last: number }> {
  for (let next = first; next <= last; next += length) {
    await turn();
    yield { first: next, last: Math.min(last, next + length - 1) };
  }
}
