import { createAlertChannels } from "./channels.ts";
import type { StartWork } from "../../delivery/scheduler.ts";
import { createAlerting } from "./alerting.ts";

const startAlerting: StartWork = (rt, { checks }) => {
  const channels = createAlertChannels(rt.config.alerts);
  const { tick, checkSoon, stop } = createAlerting(rt, checks, channels);
  return {
    // Sending is not awaited, so that it does not delay the work of the next second.
    everySecond: [async () => void tick()],
    checkSoon,
    async stop() {
      await channels.close();
      await stop();
    },
  };
};

export const schedule: readonly StartWork[] = [startAlerting];
