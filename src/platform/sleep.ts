const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread for some milliseconds: for a transaction, which cannot wait otherwise. */
export const sleep = (ms: number): void => void Atomics.wait(SLEEPER, 0, 0, ms);
