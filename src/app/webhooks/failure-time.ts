import type { Runtime } from "../runtime.ts";
import type { SendOnce } from "./test-endpoint.ts";

/** An attempt that times out ends a little later than its timeout. */
const MARGIN_MS = 500;

/**
 * Returns a sender whose attempts without a response all end at the same time after their start: an
 * earlier end would tell partners which ports are closed, and which do not answer.
 * @param wait resolves after a time, or as soon as the signal aborts
 */
export const withEqualFailures =
  (
    { monotonic }: Pick<Runtime, "monotonic">,
    sendOnce: SendOnce,
    wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>,
  ): SendOnce =>
  async (post, signal) => {
    const endsAt = monotonic() + post.timeoutMs + MARGIN_MS;
    const result = await sendOnce(post, signal);
    if (result.outcome.kind !== "responded") await wait(endsAt - monotonic(), signal);
    return result;
  };
