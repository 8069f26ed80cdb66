import { type Alert, toAlert } from "./rules/alert.ts";
import { isStorageUnavailable } from "../../store/database/storage-error.ts";
import { isBusy } from "../../store/database/write-lock.ts";
import type { Check } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import { type AlertChannels, createChannelQueue } from "./channel-queue.ts";
import { ConditionWatch } from "./condition-watch.ts";
import { createSavedRows, type Row } from "./saved-rows.ts";
import { answerTests, createTestAlert } from "./test-alert.ts";
import { createAlertStore } from "./store.ts";

const CHECK_MS = 10_000;
const MINUTE_MS = 60_000;

/**
 * Checks the health conditions and sends alerts. The state is stored, so that a daemon that
 * restarts neither repeats nor loses an alert. While the storage cannot be written, the state is
 * kept in memory.
 */
export function createAlerting(
  rt: Runtime,
  checks: readonly Check[],
  { channels, heartbeat }: AlertChannels,
) {
  const stored = rt.openStore(createAlertStore);
  const rows = createSavedRows(rt, ["cause", "unsent", "channel", "known"]);
  const queues = channels.map((channel) => createChannelQueue(rt, channel));
  const pulse = heartbeat && createChannelQueue(rt, heartbeat);
  const allQueues = pulse ? [...queues, pulse] : queues;
  const watch = new ConditionWatch(rt, checks);
  for (const { value } of stored.list<{ channel: string; alert: Alert }>("unsent"))
    queues.find(({ name }) => name === value.channel)?.add(value.alert);
  const known = new Set(stored.list("known").map(({ key }) => key));
  // A new channel gets every alert that is still firing.
  for (const { add } of queues.filter(({ name }) => !known.has(name)))
    for (const cause of watch.listFiring()) add(toAlert(cause, "FIRING", rt.now()));
  let checkedAt = -Infinity;
  let minuteAt = -Infinity;
  let isTesting = false;
  let isStopped = false;
  let running: Promise<unknown> = Promise.all(queues.map(({ check }) => check()));

  function check(): void {
    checkedAt = rt.monotonic();
    for (const alert of watch.check()) for (const queue of queues) queue.add(alert);
  }

  function everyMinute(): void {
    minuteAt = rt.monotonic();
    const firing = watch.listFiring();
    // Alertmanager ends an alert that is not sent again.
    for (const queue of queues.filter(({ resends }) => resends))
      for (const cause of firing) queue.add(toAlert(cause, "FIRING", rt.now()));
    if (pulse === undefined || !watch.isHealthy) return;
    // A daemon that cannot commit sends no heartbeat.
    rt.tx(() => stored.put("heartbeat", "at", rt.now()));
    // A heartbeat sends no text, so any alert will do.
    pulse.add(createTestAlert(rt.now()));
  }

  const listRows = (): Row[] => [
    ...watch.causes.map((cause): Row => ({ kind: "cause", key: cause.fingerprint, value: cause })),
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
    if (watch.handledNotices.length === 0) return rows.save(listRows());
    rt.tx(() => {
      rows.save(listRows());
      for (const key of watch.handledNotices) stored.delete("notice", key);
    });
    watch.forgetHandled();
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
    /** Call it each second. @returns when each alert that is due was sent or has failed */
    tick(): Promise<void> {
      watch.tick();
      if (rt.monotonic() - checkedAt >= CHECK_MS) check();
      if (rt.monotonic() - minuteAt >= MINUTE_MS) whenPossible(everyMinute);
      whenPossible(save);
      const sent = send();
      running = Promise.allSettled([running, sent]);
      return sent;
    },
    /** Makes the next tick check the conditions. */
    checkSoon: (): void => void (checkedAt = -Infinity),
    /** Resolves when nothing is being sent. The next start sends what is left. */
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}

/** Runs `work`. The next tick tries again if another program writes or the storage fails. */
function whenPossible(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isTemporary(error)) throw error;
  }
}

const isTemporary = (error: unknown): boolean => isBusy(error) || isStorageUnavailable(error);
