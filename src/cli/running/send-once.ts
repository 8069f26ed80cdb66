import type { SendOnce } from "../../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../../app/runtime.ts";

/** Returns a function that sends a test event. The HTTP client is loaded at the first call. */
export const lazySendOnce =
  (rt: Runtime): SendOnce =>
  async (post, givenUp) =>
    (await import("../../delivery/sender.ts")).createSendOnce(rt)(post, givenUp);
