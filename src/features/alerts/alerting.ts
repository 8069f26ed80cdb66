import { setImmediate as afterOtherWork } from "node:timers/promises";
import { type Alert, toAlert } from "./rules/alert.ts";
import { isStorageUnavailable } from "../../store/database/storage-error.ts";
import { isBusy } from "../../store/database/write-lock.ts";
import type { Check } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import { type AlertChannels, createChannelQueue } from "./channel-queue.ts";
import { ConditionWatch } from "./condition-watch.ts";
import { createSavedRows, type Row } from "./saved-rows.ts";
import { createTestAlert, createTestAnswers } from "./test-alert.ts";
import { createAlertStore } from "./store.ts";

const CHECK_INTERVAL_MS = 10_000;
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
  const savedRows = createSavedRows(rt, ["cause", "unsent", "channel", "known"]);
  const queues = channels.map((channel) => createChannelQueue(rt, channel));
  const heartbeatQueue = heartbeat && createChannelQueue(rt, heartbeat);
  const allQueues = heartbeatQueue ? [...queues, heartbeatQueue] : queues;
  const answerTests = createTestAnswers(rt, { channels, heartbeat }, () => isStopped);
  const watch = new ConditionWatch(rt, checks);
  for (const { value } of stored.list<{ channel: string; alert: Alert }>("unsent"))
    queues.find(({ name }) => name === value.channel)?.add(value.alert);
  const knownChannels = new Set(stored.list("known").map(({ key }) => key));
  // A new channel gets every alert that is still firing.
  for (const { add } of queues.filter(({ name }) => !knownChannels.has(name)))
    for (const cause of watch.listFiring()) add(toAlert(cause, "FIRING", rt.now()));
  // These times are monotonic; -Infinity makes the next tick do the work.
  let checkedAt = -Infinity;
  let resentAt = -Infinity;
  let heartbeatAt = -Infinity;
  let isAnsweringTests = false;
  let isStopped = false;
  let sending: Promise<unknown> = Promise.all(queues.map(({ check }) => check()));

  /**
   * Waits, so that the deliveries of this thread can continue. Resolves to false if alerting was
   * stopped.
   */
  async function pause(): Promise<boolean> {
    await afterOtherWork();
    return !isStopped;
  }

  async function checkConditions(): Promise<void> {
    checkedAt = rt.monotonic();
    for (const alert of await watch.check(pause)) for (const queue of queues) queue.add(alert);
  }

  /**
   * Sends the firing alerts again, because Alertmanager resolves an alert that it no longer
   * receives.
   */
  function resendFiring(): void {
    resentAt = rt.monotonic();
    const firing = watch.listFiring();
    for (const queue of queues.filter(({ resends }) => resends))
      for (const cause of firing) queue.add(toAlert(cause, "FIRING", rt.now()));
  }

  /**
   * Sends a heartbeat if the daemon is healthy and can commit. If the commit fails, the next tick
   * tries again, because another program may have held the lock for a moment.
   */
  function sendHeartbeat(): void {
    if (heartbeatQueue !== undefined && watch.isHealthy) {
      rt.tx(() => stored.put("heartbeat", "at", rt.now()));
      // The content does not matter: a heartbeat is a request without a body.
      heartbeatQueue.add(createTestAlert(rt.now()));
    }
    heartbeatAt = rt.monotonic();
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
    if (watch.handledNotices.length === 0) return savedRows.save(listRows());
    rt.tx(() => {
      savedRows.save(listRows());
      for (const notice of watch.handledNotices) stored.deleteNotice(notice);
    });
    watch.forgetHandled();
  }

  async function answerRequestedTests(): Promise<void> {
    if (isAnsweringTests) return;
    isAnsweringTests = true;
    try {
      await answerTests();
    } catch (error) {
      if (!isTemporary(error)) throw error;
    } finally {
      isAnsweringTests = false;
    }
  }

  async function work(): Promise<void> {
    if (rt.monotonic() - checkedAt >= CHECK_INTERVAL_MS) await checkConditions();
    if (isStopped) return;
    if (rt.monotonic() - resentAt >= MINUTE_MS) resendFiring();
    if (rt.monotonic() - heartbeatAt >= MINUTE_MS) whenPossible(sendHeartbeat);
    whenPossible(save);
    await Promise.all([...allQueues.map(({ sendDue }) => sendDue()), answerRequestedTests()]);
    if (!isStopped) whenPossible(save);
  }

  return {
    /**
     * Does the work that is due: checks conditions, and sends and stores alerts. Call it each
     * second. Resolves when each alert that is due was sent or has failed.
     */
    tick(): Promise<void> {
      watch.tick();
      const done = work();
      sending = Promise.allSettled([sending, done]);
      return done;
    },
    /** Makes the next tick check the conditions. */
    checkSoon: (): void => void (checkedAt = -Infinity),
    /** Resolves when nothing is being sent. The next start sends what is left. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const queue of allQueues) queue.stop();
      await sending;
    },
  };
}

/**
 * Runs `work`. Does not throw if another program is writing to the database or if the storage
 * fails, because the next tick tries again.
 */
function whenPossible(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isTemporary(error)) throw error;
  }
}

const isTemporary = (error: unknown): boolean => isBusy(error) || isStorageUnavailable(error);
