import type { Runtime } from "../app/runtime.ts";
import { recordResults } from "../app/webhooks/delivery-results.ts";
import { reviewEndpoints } from "../app/webhooks/endpoint-lifecycle.ts";
import { NO_HOLD, type StoredHold } from "../domain/webhooks/hold.ts";
import type { OutcomeClass } from "../domain/webhooks/outcome.ts";
import { PERMITS } from "../domain/webhooks/permits.ts";
import type { Settlement } from "../domain/webhooks/settle.ts";
import type { SigningKey } from "../domain/webhooks/signature.ts";
import type { Send } from "../domain/webhooks/webhook-post.ts";
import { isStorageFull, isStorageUnavailable } from "../store/storage-error.ts";
import { isBusy } from "../store/write-lock.ts";
import type { AttemptRow } from "../store/deliveries.ts";
import type { DueRow } from "../store/due.ts";
import { type AttemptResult, createAttemptRunner } from "./attempt.ts";
import { createClockWatch } from "./clock-watch.ts";
import { createDeliveryQueue, type DispatchResult, type PermitKind } from "./delivery-queue.ts";
import { createEndpointHosts } from "./endpoint-hosts.ts";
import type { EndpointQueue } from "./endpoint-queue.ts";
import { createEndpointQueues } from "./endpoint-queues.ts";
import { createInFlight } from "./in-flight.ts";
import { createProbeTimers } from "./probe-timers.ts";

const WRITE_GROUP_SIZE = 256;
const WRITE_GROUP_MS = 20;
/** Delays before a write is retried: while it is locked out, and without storage. */
const BUSY_RETRY_MS = 2;
const UNAVAILABLE_RETRY_MS = 1000;
/** Maximum unwritten outcomes while another writer holds the lock. */
const MAX_UNWRITTEN = 2048;
/** Endpoints that a sweep handles per event-loop iteration. */
const SWEEP_BATCH = 4;

export type AttemptNotice = { deliveryId: string; endpointId: string; url: string } & Pick<
  DueRow,
  "eventId" | "eventType"
> &
  Pick<AttemptRow, "n" | "durationMs" | "outcome" | "statusCode" | "error"> &
  Pick<Settlement, "status" | "nextAttemptAt">;

export type DeliveryListeners = {
  onAttempt?: ((notice: AttemptNotice) => void) | undefined;
  /** An endpoint was disabled. */
  onDisabled?: ((endpointId: string) => void) | undefined;
};

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>;

/**
 * Sends webhook deliveries. One process alone sends, so a claim is kept in memory: in the database
 * a delivery stays PENDING until its outcome is written, and after a crash it is due again.
 */
export function createDeliveryWorker(
  rt: Runtime,
  send: Send,
  { onAttempt, onDisabled = () => {} }: DeliveryListeners = {},
) {
  const { due } = rt.store;
  const deliveryQueue = createDeliveryQueue(PERMITS);
  const attempt = createAttemptRunner(rt, send);
  /** Commits of recordResults, which change nothing that this worker has read. */
  let ownCommits = 0;
  /** Numbers of the deliveries in flight or with an unwritten outcome. */
  const claimed = new Set<number>();
  const queues = createEndpointQueues(rt);
  const hosts = createEndpointHosts(rt);
  const inFlight = createInFlight(deliveryQueue, rt.monotonic);
  const probeTimers = createProbeTimers((endpointId) => {
    checkClock();
    enqueue(endpointId);
    dispatch();
  });
  let unwritten: AttemptResult[] = [];
  let lastSeen = due.getLastNumber();
  /** Above `lastSeen` if a sweep or another attempt found the delivery before the wake did. */
  let lastSent = 0;
  // The times of unwritten outcomes use the clock before the jump.
  const clock = createClockWatch(rt, (byMs) => {
    for (const { settlement } of unwritten)
      if (settlement.nextAttemptAt !== null) settlement.nextAttemptAt += byMs;
  });
  let state: "running" | "stopping" | "stopped" = "running";
  let writeTimer: NodeJS.Timeout | undefined;
  let isRetryingWrite = false;
  /** No more deliveries are claimed, because their outcomes could not be written. */
  let isBlocked = false;
  let idleWaiters: (() => void)[] = [];

  const checkClock = (): void => clock.check(Math.max(lastSeen, lastSent));

  /** Sends new deliveries. Call it after a commit. */
  function wake(): void {
    checkClock();
    const newest = due.getLastNumber();
    for (const id of due.listEndpointsWithNew(lastSeen, newest)) enqueue(id);
    lastSeen = newest;
    dispatch();
  }

  /** Sends all due deliveries. A late or skipped call only delays them. */
  function sweep(): void {
    checkClock();
    inFlight.markOverdue();
    enqueueInBatches(due.listDueEndpoints(rt.now()));
  }

  /** Queues endpoints in batches, because reading the rows of hundreds would delay new events. */
  function enqueueInBatches(endpointIds: string[]): void {
    for (const id of endpointIds.slice(0, SWEEP_BATCH)) enqueue(id);
    dispatch();
    if (endpointIds.length > SWEEP_BATCH)
      setImmediate(() => enqueueInBatches(endpointIds.slice(SWEEP_BATCH)));
  }

  /** Warns about endpoints that keep failing, and announces when they will be disabled. */
  const reviewFailing = (): void => reviewEndpoints(rt);

  function enqueue(endpointId: string): void {
    const queue = queues.find(endpointId);
    queue?.expectMore();
    deliveryQueue.enqueue(endpointId, queue?.lane ?? "HEALTHY");
  }

  function dispatch(): void {
    if (state === "running" && !isBlocked) {
      // Rows read at an earlier count are read again. Counted once: each count reads the database.
      let commitCount: number | undefined;
      deliveryQueue.dispatch((id) => sendNext(id, (commitCount ??= rt.revision() - ownCommits)));
    }
    if (claimed.size > 0) return;
    for (const resolve of idleWaiters) resolve();
    idleWaiters = [];
  }

  /** Starts the endpoint's next due delivery that gets a permit. */
  function sendNext(endpointId: string, commitCount: number): DispatchResult {
    const queue = queues.load(endpointId, commitCount);
    // An endpoint without capacity is enqueued again by each attempt that ends, and by each sweep.
    if (queue === undefined || !queue.hasCapacity(rt.monotonic()) || !hosts.hasCapacity(queue))
      return "NOTHING";
    const rows = queue.listDue(
      (limit) => due.listForEndpoint(endpointId, rt.now(), limit),
      (number) => claimed.has(number),
    );
    for (const row of rows) {
      const permit = queue.permitFor(row);
      if (!deliveryQueue.hasPermit(permit, queue.isIdle)) continue;
      const keys = queue.getSigningKeys(rt.now(), queues.loadSigningKeys);
      if (keys === undefined) return "NOTHING";
      void deliver(queue, row, permit, keys);
      return "SENT";
    }
    return rows.length > 0 ? "NO_PERMIT" : "NOTHING";
  }

  async function deliver(
    queue: EndpointQueue,
    row: DueRow,
    permit: PermitKind,
    keys: readonly SigningKey[],
  ): Promise<void> {
    const { target, host, owner } = queue;
    const delivery = inFlight.add(queue, row, permit);
    hosts.claim(queue);
    claimed.add(row.number);
    lastSent = Math.max(lastSent, row.number);
    const result = await attempt({ due: row, target, host, keys });
    if (state === "stopped") return;
    // Apply clock jumps before adding this outcome: its times already use the new clock.
    checkClock();
    inFlight.remove(delivery);
    if (result.outcomeClass !== undefined) recordOutcome(queue, result.outcomeClass);
    hosts.endAttempt(host, owner).forEach(enqueue);
    deliveryQueue.enqueue(queue.endpointId, queue.lane);
    unwritten.push(result);
    // Disables the endpoint before anything more is sent to it.
    if (result.isGone && !isRetryingWrite) return write();
    // The next delivery does not wait for the disk.
    dispatch();
    if (unwritten.length >= WRITE_GROUP_SIZE && !isRetryingWrite) write();
    else writeTimer ??= setTimeout(write, WRITE_GROUP_MS);
  }

  function recordOutcome(queue: EndpointQueue, outcome: OutcomeClass): void {
    const now = rt.monotonic();
    queue.recordOutcome(outcome, now);
    const hold = queue.getHold(now);
    if (hold !== undefined) probeTimers.set(queue.endpointId, hold.until - now);
  }

  /** The hold to store, on the wall clock. */
  function getStoredHold(endpointId: string): StoredHold {
    const now = rt.monotonic();
    const hold = queues.find(endpointId)?.getHold(now);
    if (hold === undefined) return NO_HOLD;
    return { heldUntil: Math.round(rt.now() + hold.until - now), heldReason: hold.reason };
  }

  /** Writes all outcomes in one transaction, with one fsync. */
  function write(): void {
    clearTimeout(writeTimer);
    writeTimer = undefined;
    checkClock();
    const group = unwritten;
    let disabled: string[];
    try {
      disabled = rt.tx(() => recordResults(rt, group, getStoredHold));
      ownCommits += 1;
    } catch (error) {
      const isUnavailable = isStorageUnavailable(error);
      if (!isUnavailable && !isBusy(error)) throw error;
      if (isUnavailable && !isBlocked)
        rt.log(
          "error",
          `${isStorageFull(error) ? "The disk is full" : "The data folder cannot be used"}: outcomes cannot be written, so deliveries are paused.`,
        );
      isRetryingWrite = true;
      isBlocked = isUnavailable || unwritten.length >= MAX_UNWRITTEN;
      writeTimer = setTimeout(write, isUnavailable ? UNAVAILABLE_RETRY_MS : BUSY_RETRY_MS);
      return;
    }
    isRetryingWrite = false;
    isBlocked = false;
    unwritten = [];
    for (const result of group) release(result);
    for (const id of disabled) onDisabled(id);
    dispatch();
  }

  function release(result: AttemptResult): void {
    const { due, endpointId, settlement } = result;
    claimed.delete(due.number);
    hosts.release(result.host).forEach(enqueue);
    const queue = queues.find(endpointId);
    queue?.release(result.isGone);
    if (settlement.status === "CORRUPT")
      rt.log("error", "A stored event is damaged; its delivery was not sent and is now CORRUPT.", {
        delivery: due.id,
        event: due.eventId,
      });
    const notice = onAttempt && queue && toNotice(result, queue.target.url);
    if (notice) onAttempt(notice);
  }

  /** Resolves when nothing is in flight and every outcome is written. */
  const whenIdle = (): Promise<void> =>
    claimed.size === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve));

  /** Waits up to `graceMs` for claimed deliveries; unfinished ones stay due. */
  async function stop(graceMs: number): Promise<void> {
    state = "stopping";
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      whenIdle(),
      new Promise((resolve) => (timer = setTimeout(resolve, graceMs))),
    ]);
    clearTimeout(timer);
    clearTimeout(writeTimer);
    probeTimers.stop();
    state = "stopped";
  }

  clock.repair();
  return { wake, sweep, reviewFailing, whenIdle, stop };
}

function toNotice(
  { due, endpointId, settlement, attempt }: AttemptResult,
  url: string,
): AttemptNotice | undefined {
  if (attempt === null) return undefined;
  const { id: deliveryId, eventId, eventType } = due;
  const { at: _at, responseText: _text, ...sent } = attempt;
  const { status, nextAttemptAt } = settlement;
  return { deliveryId, endpointId, url, eventId, eventType, ...sent, status, nextAttemptAt };
}
