import type { SendOnce } from "../../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../../app/runtime.ts";

/** How a test event goes out from this process: what sends is loaded for the first one. */
export const lazySendOnce =
  (rt: Runtime): SendOnce =>
  async (post, givenUp) =>
    (await import("../../delivery/send-once.ts")).createSendOnce(rt)(post, givenUp);
