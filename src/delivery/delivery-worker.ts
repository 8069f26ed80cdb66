import type { Alert } from "../app/webhooks/alerts.ts";
import { reviewEndpoints } from "../app/webhooks/endpoint-lifecycle.ts";
import { recordResults } from "../app/webhooks/delivery-results.ts";
import type { EventType } from "../domain/event-types.ts";
import { laneOf } from "../domain/webhooks/endpoint-health.ts";
import type { Send } from "../domain/webhooks/webhook-post.ts";
import type { SigningKey } from "../domain/webhooks/signature.ts";
import type { Settlement } from "../domain/webhooks/settle.ts";
import { PERMITS } from "../domain/webhooks/permits.ts";
import type { Outcome } from "../domain/webhooks/outcome.ts";
import type { Runtime } from "../app/runtime.ts";
import { isBusy, isStorageFull } from "../store/database.ts";
import type { DueRow } from "../store/due.ts";
import { type AttemptResult, createAttemptRunner } from "./attempt.ts";
import { createClockWatch } from "./clock-watch.ts";
import { createCommitCounter } from "./commit-counter.ts";
import { createInFlight } from "./in-flight.ts";
import { createEndpointQueues, type EndpointQueue } from "./endpoint-queues.ts";
import { createDeliveryQueue, type PermitKind, type DispatchResult } from "./delivery-queue.ts";

const GROUP_SIZE = 256;
const GROUP_MS = 20;
/** Between two tries to write: while somebody else is writing, and while the disk is full. */
const BUSY_MS = 2;
const FULL_MS = 1000;
/** So many outcomes may wait for somebody else to end writing. */
const MOST_UNWRITTEN = 2048;
/** Endpoints that a sweep looks at between two turns of the event loop. */
const LOOKED_AT_ONCE = 4;
/** Attempts that still count as prompt. */
const PROMPT_ATTEMPTS = 2;

/** An attempt that was written, for whoever watches. */
export type AttemptNotice = {
  deliveryId: string;
  endpointId: string;
  url: string;
  eventId: string;
  eventType: EventType;
  n: number;
  durationMs: number;
  outcome: Outcome["kind"];
  statusCode: number | null;
  error: string | null;
  status: Settlement["status"];
  nextAttemptAt: number | null;
};

/** Who is told what, after it was written. */
export type DeliveryListeners = {
  onAttempt?: ((notice: AttemptNotice) => void) | undefined;
  onAlert?: ((alert: Alert) => void) | undefined;
};

export type DeliveryWorker = {
  /** Somebody committed: what is new goes out at once. */
  wake: () => void;
  /** Takes up whatever is due. Nothing is lost by its coming late. */
  sweep: () => void;
  /** Looks after endpoints that have been failing for long. */
  reviewFailing: () => void;
  /** Resolves when nothing is on the wire and every outcome is written. */
  whenIdle: () => Promise<void>;
  /** Takes up nothing more, and waits at most `graceMs` for what is on the wire; what is then unfinished stays due. */
  stop: (graceMs: number) => Promise<void>;
};

/**
 * The engine. It alone sends, so that a claim needs no write: what is on the wire is known here, and in the file a delivery
 * is PENDING until its outcome is written. After a crash it is therefore due again.
 */
export function createDeliveryWorker(
  rt: Runtime,
  send: Send,
  { onAttempt, onAlert = () => {} }: DeliveryListeners = {},
): DeliveryWorker {
  const { due } = rt.store;
  const turns = createDeliveryQueue(PERMITS);
  const attempt = createAttemptRunner(rt, send);
  /** Numbers of what is on the wire, or back from it with an outcome that is not written yet. */
  const held = new Set<number>();
  const queues = createEndpointQueues(rt, (number) => held.has(number));
  const flights = createInFlight(turns, rt.monotonic);
  let unwritten: AttemptResult[] = [];
  let lastSeen = due.getLastNumber();
  const epoch = createCommitCounter(rt);
  // What is not written yet was reckoned by the clock as it was.
  const clock = createClockWatch(rt, (byMs) => {
    for (const { settlement } of unwritten)
      if (settlement.nextAttemptAt !== null) settlement.nextAttemptAt += byMs;
  });
  let state: "running" | "stopping" | "stopped" = "running";
  let writeTimer: NodeJS.Timeout | undefined;
  /** The last write failed; its timer runs. */
  let isRefused = false;
  /** Nothing more goes out whose outcome could not be kept. */
  let isStuck = false;
  let waitingForIdle: (() => void)[] = [];

  function wake(): void {
    clock.check(lastSeen);
    const newest = due.getLastNumber();
    for (const id of due.listEndpointsWithNew(lastSeen, newest)) offer(id);
    lastSeen = newest;
    turn();
  }

  function sweep(): void {
    clock.check(lastSeen);
    flights.markOverdue();
    takeUp(due.listDueEndpoints(rt.now()));
  }

  /** Some at a time: what is fresh does not wait until hundreds of endpoints have been looked at that hang. */
  function takeUp(endpointIds: string[]): void {
    for (const id of endpointIds.slice(0, LOOKED_AT_ONCE)) offer(id);
    turn();
    if (endpointIds.length > LOOKED_AT_ONCE)
      setImmediate(() => takeUp(endpointIds.slice(LOOKED_AT_ONCE)));
  }

  function review(): void {
    reviewEndpoints(rt).forEach(onAlert);
  }

  /** Something may have become due for it. */
  function offer(endpointId: string): void {
    const queue = queues.get(endpointId);
    if (queue !== undefined) queue.isDry = false;
    turns.enqueue(
      endpointId,
      queue === undefined ? "HEALTHY" : laneOf(queue.health, queue.overdue),
    );
  }

  function turn(): void {
    if (state === "running" && !isStuck) turns.dispatch(take);
    if (held.size > 0) return;
    for (const resolve of waitingForIdle) resolve();
    waitingForIdle = [];
  }

  function take(endpointId: string): DispatchResult {
    const queue = queues.open(endpointId, epoch.current());
    // One that has no room is offered again by whatever of it ends, and by each sweep.
    if (queue === undefined || !queues.hasRoom(queue)) return "NOTHING";
    const rows = queues.rowsOf(queue);
    let isSlotless = false;
    for (const [i, row] of rows.entries()) {
      if (row.isReplay === 1 && queue.replays > 0) continue;
      const slot = slotOf(queue, row);
      if (turns.hasSlot(slot)) {
        const keys = queues.keysOf(queue);
        if (keys === undefined) return "NOTHING";
        rows.splice(i, 1);
        void deliver(queue, row, slot, keys);
        return "SENT";
      }
      isSlotless = true;
    }
    return isSlotless ? "NO_SLOT" : "NOTHING";
  }

  async function deliver(
    queue: EndpointQueue,
    row: DueRow,
    slot: PermitKind,
    keys: readonly SigningKey[],
  ): Promise<void> {
    const { destination } = queue;
    const flight = flights.add(queue, row, slot);
    held.add(row.number);
    queue.held += 1;
    const result = await attempt({ due: row, destination, keys });
    if (state === "stopped") return;
    // Before this outcome is among the unwritten: it was reckoned by the clock as it is.
    clock.check(lastSeen);
    flights.remove(flight);
    if (result.outcomeClass !== undefined) queues.feel(queue, result.outcomeClass);
    turns.enqueue(queue.endpointId, laneOf(queue.health, queue.overdue));
    unwritten.push(result);
    // Before anything more goes there, it is disabled.
    if (result.isGone && !isRefused) return write();
    // The next one does not wait for the disk.
    turn();
    if (unwritten.length >= GROUP_SIZE && !isRefused) write();
    else writeTimer ??= setTimeout(write, GROUP_MS);
  }

  /** One transaction, and one fsync, for a group of outcomes. */
  function write(): void {
    clearTimeout(writeTimer);
    writeTimer = undefined;
    clock.check(lastSeen);
    const group = unwritten;
    let alerts: Alert[];
    try {
      alerts = epoch.runUncounted(() => recordResults(rt, group));
    } catch (error) {
      const isFull = isStorageFull(error);
      if (!isFull && !isBusy(error)) throw error;
      if (isFull && !isStuck)
        rt.log("error", "The disk is full: outcomes cannot be written, and deliveries wait.");
      isRefused = true;
      isStuck = isFull || unwritten.length >= MOST_UNWRITTEN;
      writeTimer = setTimeout(write, isFull ? FULL_MS : BUSY_MS);
      return;
    }
    isRefused = false;
    isStuck = false;
    unwritten = [];
    for (const result of group) release(result);
    alerts.forEach(onAlert);
    turn();
  }

  function release(result: AttemptResult): void {
    const { due, endpointId, settlement } = result;
    held.delete(due.number);
    const queue = queues.get(endpointId);
    if (queue !== undefined) {
      queue.held -= 1;
      // Disabled with it: what was read ahead is parked.
      if (result.isGone) queue.epoch = Number.NaN;
    }
    if (settlement.status === "CORRUPT")
      rt.log("error", "An event is damaged; its delivery was not sent and ended CORRUPT.", {
        delivery: due.id,
        event: due.eventId,
      });
    const notice = onAttempt && queue && noticeOf(result, queue.destination.url);
    if (notice) onAttempt(notice);
  }

  const idle = (): Promise<void> =>
    held.size === 0 ? Promise.resolve() : new Promise((resolve) => waitingForIdle.push(resolve));

  async function stop(graceMs: number): Promise<void> {
    state = "stopping";
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([idle(), new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))]);
    clearTimeout(timer);
    clearTimeout(writeTimer);
    state = "stopped";
  }

  clock.repair();
  return { wake, sweep, reviewFailing: review, whenIdle: idle, stop };
}

function slotOf({ health, overdue }: EndpointQueue, row: DueRow): PermitKind {
  const lane = laneOf(health, overdue);
  if (lane === "PROBING") return "PROBE";
  const isPrompt = row.isReplay === 0 && row.attemptCount - row.attemptsBefore < PROMPT_ATTEMPTS;
  return lane === "HEALTHY" && isPrompt ? "PROMPT" : "LATE";
}

// prettier-ignore
function noticeOf({ due, endpointId, settlement, attempt }: AttemptResult, url: string): AttemptNotice | undefined {
  if (attempt === null) return undefined;
  const { id: deliveryId, eventId, eventType } = due;
  const { status, nextAttemptAt } = settlement;
  const { n, durationMs, outcome, statusCode, error } = attempt;
  return { deliveryId, endpointId, url, eventId, eventType, n, durationMs, outcome, statusCode, error, status, nextAttemptAt };
}
