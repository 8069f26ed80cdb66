import { errorInWords } from "../../domain/errors.ts";
import { type Alert, toAlert } from "./rules/alert.ts";
import {
  type HealthCondition,
  type NoticeCode,
  openCondition,
  type Severity,
} from "../../domain/conditions/registry.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { AlertChannel, AlertChannels } from "./channel-queue.ts";
import { createAlertStore } from "./store.ts";

/**
 * The result of one channel. `isSent` is whether at least one of its recipients got the alert, and
 * `error` is null if all of them did.
 */
export type ChannelResult = { channel: string; isSent: boolean; error: string | null };

/** An alert with a text of the operator. */
export type OperatorMessage = { text: string; severity: Severity };

/** A requested alert: a message of the operator, or a test alert if `message` is absent. */
type StoredTest = {
  /** Epoch milliseconds. */
  requestedAt: number;
  /** null until the daemon has sent the alert. */
  results: ChannelResult[] | null;
  message?: OperatorMessage;
};

/** How long a request and its results are kept if no command reads the results. */
const KEPT_MS = 600_000;

/** Returns an alert about a notice, which is sent without being stored. */
export function createNoticeAlert(condition: HealthCondition<NoticeCode>, now: number): Alert {
  const fingerprint = condition.code;
  const members = [{ fingerprint, condition, isOpen: true, since: now, isNew: true }];
  const cause = { fingerprint, isGroup: false, members, since: now, clearSince: null, count: 1 };
  return toAlert({ ...cause, status: "FIRING", alertedAt: null }, "FIRING", now);
}

export const createTestAlert = (now: number): Alert =>
  createNoticeAlert(openCondition("alert.test", "this is a test, and nothing is wrong", ""), now);

const createMessageAlert = ({ text, severity }: OperatorMessage, now: number): Alert =>
  createNoticeAlert({ ...openCondition("alert.message", text, ""), severity }, now);

/**
 * Sends a message, or a test alert if there is none. A message is not sent to the heartbeat, which
 * carries no text.
 */
export const sendTest = (
  { channels, heartbeat }: AlertChannels,
  now: number,
  message: OperatorMessage | undefined,
): Promise<ChannelResult[]> =>
  message
    ? sendToEach(createMessageAlert(message, now), channels)
    : sendToEach(createTestAlert(now), heartbeat ? [...channels, heartbeat] : channels);

/** Sends an alert once through each channel. */
export const sendToEach = (
  alert: Alert,
  channels: readonly AlertChannel[],
): Promise<ChannelResult[]> =>
  Promise.all(
    channels.map(async ({ name, send }) => {
      try {
        return { channel: name, isSent: true, error: (await send(alert)) ?? null };
      } catch (error) {
        return { channel: name, isSent: false, error: errorInWords(error) };
      }
    }),
  );

/** Asks the running daemon to send a test alert or a message. @returns the key of the request */
export function requestTest(rt: Runtime, message?: OperatorMessage): string {
  const key = rt.random(8).toString("hex");
  const test: StoredTest = { requestedAt: rt.now(), results: null, ...(message && { message }) };
  rt.tx(() => rt.openStore(createAlertStore).put("test", key, test));
  return key;
}

/** Returns the results and deletes them; undefined if there are none yet. */
export function takeTestResults(rt: Runtime, key: string): ChannelResult[] | undefined {
  const stored = rt.openStore(createAlertStore);
  const test = stored.list<StoredTest>("test").find((row) => row.key === key);
  if (!test?.value.results) return undefined;
  rt.tx(() => stored.delete("test", key));
  return test.value.results;
}

/** Returns a function that sends the requested alerts. The daemon calls it each second. */
export function createTestAnswers(
  rt: Runtime,
  channels: AlertChannels,
  isStopped: () => boolean,
): () => Promise<void> {
  const stored = rt.openStore(createAlertStore);
  // While the results cannot be stored, they are kept here, so that no alert is sent twice.
  const unsaved = new Map<string, ChannelResult[]>();

  return async () => {
    for (const { key, value } of stored.list<StoredTest>("test")) {
      if (rt.now() - value.requestedAt > KEPT_MS) rt.tx(() => stored.delete("test", key));
      else if (value.results === null) {
        const results = unsaved.get(key) ?? (await sendTest(channels, rt.now(), value.message));
        // The thread is stopping, so the results are not stored, and the next daemon sends the
        // alert again.
        if (isStopped()) return;
        unsaved.set(key, results);
        rt.tx(() => stored.put("test", key, { ...value, results }));
      }
      unsaved.delete(key);
    }
  };
}
