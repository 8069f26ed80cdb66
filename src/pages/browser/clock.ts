/** Returns the time on the reader's clock, in epoch milliseconds. */
export const now = (): number => Date.now();
