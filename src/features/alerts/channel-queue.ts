import { errorInWords } from "../../domain/errors.ts";
import type { Alert } from "./rules/alert.ts";
import { isDecided } from "../../app/bookings/booking-alerts.ts";
import { isNotice } from "../../domain/conditions/registry.ts";
import type { Runtime } from "../../app/runtime.ts";

/** A way to reach the operator. */
export type AlertChannel = {
  /** The flag that configures the channel, such as `--alert-url`. */
  name: string;
  /** Whether the channel wants every open alert again each minute. */
  resends: boolean;
  /**
   * Returns which of the recipients did not get the alert, and why; undefined if all got it.
   * @throws if the alert was not accepted
   */
  send: (alert: Alert) => Promise<string | undefined>;
  /** Checks whether the channel can send at all; absent if only an attempt to send can tell. */
  check?: () => Promise<void>;
};

export type AlertChannels = {
  channels: readonly AlertChannel[];
  /**
   * The channel that gets a message each minute while the daemon works, so that another service
   * notices when the messages stop.
   */
  heartbeat?: AlertChannel | undefined;
};

/** Since when (epoch ms) a channel has not accepted alerts, and why. */
export type ChannelFailure = { since: number; error: string };

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** The delay after each failure in a row; the last delay repeats. */
const RETRY_DELAYS_MS = [2 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS];
/**
 * Failures in a row before a channel is reported: a single one may be a restart of the receiver.
 */
const REPORTED_FAILURES = 3;
/**
 * How long a notice is retried: an older one is useless. Other alerts are retried without limit.
 */
const NOTICE_KEPT_MS = 24 * 60 * MINUTE_MS;

/** Sends the alerts of one channel in turn, and retries those that fail. */
export function createChannelQueue(rt: Runtime, channel: AlertChannel) {
  /** The newest unsent alert of each cause, by fingerprint. It replaces the earlier ones. */
  const unsent = new Map<string, Alert>();
  let failures = 0;
  let failure: ChannelFailure | undefined;
  /** Monotonic time of the next attempt. */
  let nextAt = -Infinity;
  let isSending = false;
  let isStopped = false;

  function recordFailure(alert: Alert, error: string): void {
    nextAt = rt.monotonic() + (RETRY_DELAYS_MS[failures] ?? 5 * MINUTE_MS);
    failures += 1;
    failure = { since: failure?.since ?? rt.now(), error };
    const { code, fingerprint, at } = alert;
    if (failures === REPORTED_FAILURES)
      rt.log("error", "An alert could not be sent; it is retried.", {
        channel: channel.name,
        code,
        reason: error,
      });
    // If a newer alert of the cause was added during the attempt, it has replaced this one.
    if (unsent.get(fingerprint) !== alert) return;
    // The alert moves to the end: other alerts must not wait for one that is never accepted.
    unsent.delete(fingerprint);
    if (!isNotice(code) || rt.now() - Date.parse(at) < NOTICE_KEPT_MS)
      unsent.set(fingerprint, alert);
    else
      rt.log("error", "An alert was dropped: the channel has not accepted it for a day.", {
        channel: channel.name,
        code,
        reason: error,
      });
  }

  function recordSuccess(): void {
    if (failures >= REPORTED_FAILURES)
      rt.log("info", "Alerts are sent again.", { channel: channel.name });
    failures = 0;
    failure = undefined;
  }

  /**
   * Reports at once that some recipients do not get alerts. The alert is not retried, because the
   * other recipients would get it again.
   */
  function recordRefusal(reason: string): void {
    if (failures < REPORTED_FAILURES)
      rt.log("error", "Some recipients do not get alerts.", { channel: channel.name, reason });
    failures = REPORTED_FAILURES;
    failure = { since: failure?.since ?? rt.now(), error: reason };
  }

  return {
    /** Reports refused settings before the first alert is lost. */
    async check(): Promise<void> {
      try {
        await channel.check?.();
      } catch (error) {
        // If an attempt to send has failed in the meantime, its error is newer and is kept.
        if (failures > 0) return;
        // Refused settings are reported at once: they do not change before a restart.
        failures = REPORTED_FAILURES;
        failure = { since: rt.now(), error: errorInWords(error) };
        const reason = failure.error;
        rt.log("error", "Alerts cannot be sent.", { channel: channel.name, reason });
      }
    },
    name: channel.name,
    resends: channel.resends,
    /**
     * Makes the queue ignore failures from now on. Call it before attempts are aborted, because an
     * aborted attempt is no failure of the channel.
     */
    stop: (): void => void (isStopped = true),
    add: (alert: Alert): void => void unsent.set(alert.fingerprint, alert),
    list: (): Alert[] => [...unsent.values()],
    /**
     * Returns the failure of the channel; undefined unless the channel has failed
     * `REPORTED_FAILURES` times in a row or its settings were refused.
     */
    failure: (): ChannelFailure | undefined =>
      failures >= REPORTED_FAILURES ? failure : undefined,
    /** Sends the waiting alerts in turn until one fails; the rest waits for the retry. */
    async sendDue(): Promise<void> {
      if (isSending || unsent.size === 0 || rt.monotonic() < nextAt) return;
      isSending = true;
      let current: Alert | undefined;
      try {
        for (const alert of unsent.values()) {
          // The visit may have been decided while the channel failed.
          if (asksInVain(rt, alert)) {
            unsent.delete(alert.fingerprint);
            continue;
          }
          current = alert;
          const refusal = await channel.send(alert);
          // A newer alert of this cause, added during the attempt, must stay.
          if (unsent.get(alert.fingerprint) === alert) unsent.delete(alert.fingerprint);
          if (refusal === undefined) recordSuccess();
          else recordRefusal(refusal);
        }
      } catch (error) {
        if (current && !isStopped) recordFailure(current, errorInWords(error));
      } finally {
        isSending = false;
      }
    },
  };
}

/** Returns whether an alert asks for a decision about a visit that no longer waits for one. */
function asksInVain(rt: Runtime, alert: Alert): boolean {
  try {
    return isDecided(rt, alert);
  } catch {
    // The alert matters more than its check: it is sent even if the storage cannot be read.
    return false;
  }
}
