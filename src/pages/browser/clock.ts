/** Returns the time on the reader's clock, in epoch milliseconds. */
export const now = (): number => Date.now();

/** Returns when the browser asked for the page, in epoch milliseconds. */
export const openedAt = (): number => performance.timeOrigin;
