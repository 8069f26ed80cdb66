import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../app/runtime.ts";
import { createSender } from "./sender.ts";

/** Sends over a connection of its own, to tell where that led. */
export const createSendOnce =
  (rt: Runtime): SendOnce =>
  async (post, givenUp) => {
    if (givenUp?.aborted) return { outcome: { kind: "refused", error: "given up" }, address: null };
    let address: string | null = null;
    const sender = createSender(rt.config.urlAllowances, rt.monotonic, {
      onConnected: (found) => void (address = found),
    });
    const breakOff = () => void sender.close();
    givenUp?.addEventListener("abort", breakOff);
    try {
      return { outcome: await sender.send(post), address };
    } finally {
      givenUp?.removeEventListener("abort", breakOff);
      await sender.close();
    }
  };
