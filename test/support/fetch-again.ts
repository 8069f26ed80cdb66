type Fetch = typeof fetch;

/**
 * Sends a request that can be repeated, and repeats it once if the connection was closed: on a busy
 * machine, the server may close an idle connection just when the client uses it again.
 */
export const fetchAgain = (...request: Parameters<Fetch>): ReturnType<Fetch> =>
  fetch(...request).catch((error: unknown) => {
    const { code } = (error as { cause?: { code?: string } }).cause ?? {};
    if (code !== "UND_ERR_SOCKET" && code !== "ECONNRESET") throw error;
    return fetch(...request);
  });
