const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread. Synchronous code, such as a transaction, cannot await a timer instead. */
export const sleep = (ms: number): void => void Atomics.wait(SLEEPER, 0, 0, ms);
