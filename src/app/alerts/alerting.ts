import { errorInWords } from "../../domain/error-words.ts";
import { type Alert, type Cause, toAlert } from "../../domain/conditions/alert.ts";
import {
  type AlertCode,
  conditionKind,
  type HealthCondition,
  isNotice,
  type NoticeCode,
} from "../../domain/conditions/registry.ts";
import { fingerprintOf, trackConditions } from "../../domain/conditions/track.ts";
import { isStorageUnavailable } from "../../store/storage-error.ts";
import { isBusy } from "../../store/write-lock.ts";
import { type Check, listDaemonConditions } from "../operations/conditions.ts";
import type { Runtime } from "../runtime.ts";
import { type AlertChannels, createChannelQueue } from "./channel-queue.ts";
import { createSavedRows, type Row } from "./saved-rows.ts";
import { answerTests, createTestAlert } from "./test-alert.ts";

const CHECK_MS = 10_000;
const MINUTE_MS = 60_000;
/** Ticks come each second; without one for this long, the machine slept or the process was stopped. */
const SUSPENDED_MS = 30_000;
/** The lateness at which deliveries are reported: they have the same time to be caught up. */
const CATCH_UP_MS = 2 * MINUTE_MS;

export type Alerting = ReturnType<typeof createAlerting>;

/**
 * Checks the health conditions, logs when one begins or ends, and sends alerts. Its state is stored,
 * so that a daemon that restarts sends nothing twice and loses nothing. While the storage cannot be
 * written, it continues in memory.
 */
export function createAlerting(
  rt: Runtime,
  checks: readonly Check[],
  { channels, heartbeat }: AlertChannels,
) {
  const { alertState } = rt.store;
  const rows = createSavedRows(rt, ["cause", "unsent", "channel", "known"]);
  const queues = channels.map((channel) => createChannelQueue(rt, channel));
  const pulse = heartbeat && createChannelQueue(rt, heartbeat);
  const allQueues = pulse ? [...queues, pulse] : queues;
  let causes = alertState.list<Cause>("cause").map(({ value }) => value);
  for (const { value } of alertState.list<{ channel: string; alert: Alert }>("unsent"))
    queues.find(({ name }) => name === value.channel)?.add(value.alert);
  const known = new Set(alertState.list("known").map(({ key }) => key));
  // A new channel gets the alerts that were sent before it was configured.
  for (const { add } of queues.filter(({ name }) => !known.has(name)))
    for (const cause of causes.filter(({ status }) => status === "FIRING"))
      add(toAlert(cause, "FIRING", rt.now()));
  let found: HealthCondition<AlertCode>[] = [];
  /** Keys of the notices that have been handled, but not deleted. */
  let handled: string[] = [];
  /** Why the conditions could not be checked. */
  let checkError: string | undefined;
  let checkedAt = -Infinity;
  let tickedAt = rt.now();
  /** The time at which the process continued after it had been stopped for a while. */
  let resumedAt = -Infinity;
  let minuteAt = -Infinity;
  let isTesting = false;
  let isStopped = false;
  let running: Promise<unknown> = Promise.all(queues.map(({ check }) => check()));

  /** A check that fails must not end the daemon, which sends webhooks. */
  function tryCheck(): void {
    checkedAt = rt.monotonic();
    try {
      check();
      checkError = undefined;
    } catch (error) {
      const reason = errorInWords(error);
      if (reason !== checkError)
        rt.log("error", "The health conditions could not be checked.", { reason });
      checkError = reason;
    }
  }

  /** A process that has just continued has had no time to do what was due meanwhile. */
  function isTimely(condition: HealthCondition): boolean {
    if (rt.now() - resumedAt >= CATCH_UP_MS) return true;
    if (!conditionKind(condition.code).isLateness) return true;
    const fingerprint = fingerprintOf(condition);
    return causes.some(({ members }) =>
      members.some((member) => member.isOpen && member.fingerprint === fingerprint),
    );
  }

  function check(): void {
    const notices = alertState.list<HealthCondition<NoticeCode>>("notice");
    found = [
      ...listDaemonConditions(rt, checks).filter(isTimely),
      ...notices.map(({ value }) => value),
    ];
    const tracked = trackConditions(causes, found, rt.now());
    handled = notices.map(({ key }) => key);
    causes = tracked.causes;
    for (const condition of tracked.began) logBeginning(rt, condition);
    for (const condition of tracked.ended) logEnd(rt, condition);
    for (const alert of tracked.alerts) for (const queue of queues) queue.add(alert);
  }

  function everyMinute(): void {
    minuteAt = rt.monotonic();
    const firing = causes.filter(({ status }) => status === "FIRING");
    for (const queue of queues.filter(({ resends }) => resends))
      for (const cause of firing) queue.add(toAlert(cause, "FIRING", rt.now()));
    const isCritical = found.some(({ severity }) => severity === "critical");
    if (pulse === undefined || isCritical || checkError !== undefined) return;
    // A daemon that cannot commit sends no heartbeat.
    rt.tx(() => alertState.put("heartbeat", "at", rt.now()));
    pulse.add(createTestAlert(rt.now()));
  }

  const listRows = (): Row[] => [
    ...causes.map((cause): Row => ({ kind: "cause", key: cause.fingerprint, value: cause })),
    ...queues.flatMap(({ name, list }) =>
      list().map((alert): Row => {
        const value = { channel: name, alert };
        return { kind: "unsent", key: `${name} ${alert.fingerprint}`, value };
      }),
    ),
    ...queues.map(({ name }): Row => ({ kind: "known", key: name, value: true })),
    ...allQueues.flatMap(({ name, failure }): Row[] => {
      const value = failure();
      return value ? [{ kind: "channel", key: name, value }] : [];
    }),
  ];

  function save(): void {
    if (handled.length === 0) return rows.save(listRows());
    rt.tx(() => {
      rows.save(listRows());
      for (const key of handled) alertState.delete("notice", key);
    });
    handled = [];
  }

  async function test(): Promise<void> {
    if (isTesting) return;
    isTesting = true;
    try {
      await answerTests(rt, { channels, heartbeat }, () => isStopped);
    } catch (error) {
      if (!isTemporary(error)) throw error;
    } finally {
      isTesting = false;
    }
  }

  async function send(): Promise<void> {
    await Promise.all([...allQueues.map(({ sendDue }) => sendDue()), test()]);
    if (!isStopped) whenPossible(save);
  }

  return {
    /** Call it each second. @returns when the alerts that are due have been sent, or have failed */
    tick(): Promise<void> {
      const now = rt.now();
      if (now - tickedAt >= SUSPENDED_MS) resumedAt = now;
      tickedAt = now;
      if (rt.monotonic() - checkedAt >= CHECK_MS) tryCheck();
      if (rt.monotonic() - minuteAt >= MINUTE_MS) whenPossible(everyMinute);
      whenPossible(save);
      const sent = send();
      running = Promise.allSettled([running, sent]);
      return sent;
    },
    /** Makes the next tick check the conditions. */
    checkSoon: (): void => void (checkedAt = -Infinity),
    /** Resolves when nothing is being sent. What was not sent is sent after the next start. */
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}

/** While another program writes, or without storage, the next tick tries again. */
function whenPossible(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isTemporary(error)) throw error;
  }
}

const isTemporary = (error: unknown): boolean => isBusy(error) || isStorageUnavailable(error);

const logFields = ({ code, severity, business, subject }: HealthCondition<AlertCode>) => ({
  code,
  severity,
  business,
  subject: subject?.id ?? null,
});

function logBeginning({ log }: Runtime, condition: HealthCondition<AlertCode>): void {
  const { code, severity, text, command } = condition;
  const level = isNotice(code) ? "info" : severity === "critical" ? "error" : "warn";
  log(level, text, { ...logFields(condition), fix: command });
}

function logEnd({ log }: Runtime, condition: HealthCondition<AlertCode>): void {
  if (!isNotice(condition.code)) log("info", `ended: ${condition.text}`, logFields(condition));
}
