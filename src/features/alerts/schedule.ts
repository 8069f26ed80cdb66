import { createAlertChannels } from "./channels.ts";
import type { StartWork } from "../../delivery/scheduler.ts";
import { createAlerting } from "./alerting.ts";

const startAlerting: StartWork = (rt, { checks }) => {
  const channels = createAlertChannels(rt.config.alerts);
  const { tick, checkSoon, stop } = createAlerting(rt, checks, channels);
  return {
    // The next second does not wait for what is being sent.
    everySecond: [async () => void tick()],
    checkSoon,
    async stop() {
      await channels.close();
      await stop();
    },
  };
};

export const schedule: readonly StartWork[] = [startAlerting];
