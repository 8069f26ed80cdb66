import { createAlertChannels } from "./channels.ts";
import { rethrow, type StartWork } from "../../delivery/scheduler.ts";
import { createAlerting } from "./alerting.ts";
import { withLinks } from "./with-links.ts";

const startAlerting: StartWork = (rt, { checks }) => {
  const { channels, heartbeat, close } = createAlertChannels(rt.config.alerts);
  // Alertmanager gets no links: it shows none, and gets every alert again each minute.
  const linked = channels.map((channel) =>
    rt.config.alerts.links && !channel.resends ? withLinks(rt, channel) : channel,
  );
  const alerting = createAlerting(rt, checks, { channels: linked, heartbeat });
  return {
    // Sending is not awaited, so that it does not delay the work of the next second.
    everySecond: [() => void alerting.tick().catch(rethrow)],
    checkSoon: alerting.checkSoon,
    async stop(graceMs) {
      const stopped = alerting.stop();
      await close(graceMs);
      await stopped;
    },
  };
};

export const schedule: readonly StartWork[] = [startAlerting];
