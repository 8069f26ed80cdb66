import type { Runtime } from "../app/runtime.ts";
import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import { createSender } from "./sender.ts";

/** Sends over a new connection, to report the address that it used. */
export const createSendOnce =
  (rt: Runtime): SendOnce =>
  async (post, signal) => {
    if (signal?.aborted) return { outcome: { kind: "refused", error: "aborted" }, address: null };
    let address: string | null = null;
    const sender = createSender(rt.config.urlAllowances, rt.monotonic, {
      onConnected: (connected) => void (address = connected),
    });
    const abort = () => void sender.close();
    signal?.addEventListener("abort", abort);
    try {
      return { outcome: await sender.send(post), address };
    } finally {
      signal?.removeEventListener("abort", abort);
      await sender.close();
    }
  };
