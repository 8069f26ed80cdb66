import { hasAlertedFailure, recordFailureAlert } from "./failure-marker.ts";
import { type ChannelResult, createNoticeAlert, sendToEach } from "./test-alert.ts";
import { wallClock } from "../../app/runtime.ts";
import { type Config, hasAlertChannel } from "../../config.ts";
import { openCondition } from "../../domain/conditions/registry.ts";
import { safe } from "../../domain/text.ts";
import { createAlertChannels } from "./channels.ts";

export type DaemonFailure = {
  message: string;
  fix?: string | undefined;
  /**
   * Whether the supervisor reports the failure without knowing the reason. No alert is then sent if
   * an alert about any failure of the daemon was sent within the last hour.
   */
  isUnexplained?: boolean;
};

const MAX_TEXT_LENGTH = 500;

/**
 * Sends an alert that the daemon has ended or refuses to start, at most once an hour for the same
 * reason. Needs no database, and never throws.
 * @returns the results of the channels; empty if nothing was sent
 */
export async function sendFailureAlert(
  config: Config,
  { message, fix = "deskbell doctor", isUnexplained = false }: DaemonFailure,
): Promise<ChannelResult[]> {
  const now = wallClock();
  if (!hasAlertChannel(config.alerts)) return [];
  if (hasAlertedFailure(config, isUnexplained ? undefined : message, now)) return [];
  const { channels, close } = createAlertChannels(config.alerts);
  try {
    const condition = openCondition("daemon.failed", safe(message, MAX_TEXT_LENGTH), fix);
    const results = await sendToEach(createNoticeAlert(condition, now), channels);
    if (results.some(({ isSent }) => isSent))
      recordFailureAlert(config, { at: now, reason: message });
    return results;
  } finally {
    await close();
  }
}

export const failures = [sendFailureAlert];
