import type { Runtime } from "../app/runtime.ts";
import { reviewEndpoints } from "../app/webhooks/endpoint-lifecycle.ts";
import { NO_BACKOFF, type StoredBackoff } from "../domain/webhooks/failing-endpoint.ts";
import type { Settlement } from "../domain/webhooks/settle.ts";
import type { SigningKey, Send } from "../domain/webhooks/webhook-post.ts";
import type { AttemptRow } from "../store/webhooks/deliveries.ts";
import type { DueRow } from "../store/webhooks/due.ts";
import { type AttemptResult, createAttemptRunner } from "./attempt.ts";
import { createClockWatch } from "./clock-watch.ts";
import { Dispatcher, type InFlightDelivery } from "./dispatcher.ts";
import type { EndpointQueue } from "./endpoint-queue.ts";
import { OutcomeWriter } from "./outcome-writer.ts";

/**
 * Longest backoff that ends with a timer. A longer one ends with the next sweep, at most a second
 * late.
 */
const MAX_TIMED_MS = 10_000;

/**
 * Probes endpoints when short backoffs end. Waiting for the sweep, which runs each second, could
 * double such a backoff.
 */
export function createProbeTimers(probe: (endpointId: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>();

  return {
    /** Replaces the endpoint's earlier timer. */
    set(endpointId: string, afterMs: number): void {
      clearTimeout(timers.get(endpointId));
      timers.delete(endpointId);
      if (afterMs > MAX_TIMED_MS) return;
      const timer = setTimeout(
        () => {
          timers.delete(endpointId);
          probe(endpointId);
        },
        // A timer may fire up to a millisecond early, when the backoff has not ended yet.
        Math.ceil(afterMs) + 1,
      );
      timers.set(endpointId, timer);
    },

    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Number of endpoints that a sweep handles per iteration of the event loop. */
const SWEEP_BATCH = 4;

export type AttemptReport = { deliveryId: string; endpointId: string; url: string } & Pick<
  DueRow,
  "eventId" | "eventType"
> &
  Pick<AttemptRow, "n" | "durationMs" | "outcome" | "statusCode" | "error"> &
  Pick<Settlement, "status" | "nextAttemptAt">;

export type DeliveryListeners = {
  onAttempt?: ((report: AttemptReport) => void) | undefined;
  /** Called after an outcome has disabled an endpoint. */
  onDisabled?: ((endpointId: string) => void) | undefined;
};

/**
 * Sends webhook deliveries. Claims are kept in memory, because no other process sends. A delivery
 * is PENDING in the database until its outcome is written, so it is due again after a crash.
 */
export class DeliveryWorker {
  readonly #rt: Runtime;
  readonly #listeners: DeliveryListeners;
  readonly #attempt: ReturnType<typeof createAttemptRunner>;
  readonly #dispatcher: Dispatcher;
  readonly #outcomes: OutcomeWriter;
  readonly #probeTimers: ReturnType<typeof createProbeTimers>;
  readonly #clock: ReturnType<typeof createClockWatch>;
  /** The number of the newest delivery that `wake` has seen. */
  #lastSeen: number;
  /**
   * The highest number of a delivery that was sent. It is above `#lastSeen` if a sweep, or the end
   * of another attempt, has found the delivery before `wake`.
   */
  #lastSent = 0;
  #state: "running" | "stopping" | "stopped" = "running";
  #idleWaiters: (() => void)[] = [];

  constructor(rt: Runtime, send: Send, listeners: DeliveryListeners = {}) {
    this.#rt = rt;
    this.#listeners = listeners;
    this.#attempt = createAttemptRunner(rt, send);
    this.#dispatcher = new Dispatcher(rt, (delivery, keys) => void this.#deliver(delivery, keys));
    this.#outcomes = new OutcomeWriter(rt, {
      beforeWrite: () => {
        this.#checkClock();
        // Unwritten outcomes have due times of the new clock already. If they were written before
        // the shift is stored, the shift would later change them a second time.
        if (this.#clock.error !== undefined) throw this.#clock.error;
      },
      getStoredBackoff: (endpointId) => this.#getStoredBackoff(endpointId),
      onWritten: (results, disabled) => this.#release(results, disabled),
    });
    this.#probeTimers = createProbeTimers((endpointId) => {
      this.#checkClock();
      this.#dispatcher.enqueue(endpointId);
      this.#dispatch();
    });
    this.#lastSeen = rt.store.due.getLastNumber();
    this.#clock = createClockWatch(rt, (byMs) => this.#outcomes.shift(byMs));
    this.#clock.repair();
  }

  #checkClock(): void {
    this.#clock.check(Math.max(this.#lastSeen, this.#lastSent));
  }

  /** Sends the deliveries created since the last call. Call it after a commit. */
  wake(): void {
    const { due } = this.#rt.store;
    this.#checkClock();
    const newest = due.getLastNumber();
    for (const id of due.listEndpointsWithNew(this.#lastSeen, newest)) this.#dispatcher.enqueue(id);
    this.#lastSeen = newest;
    this.#dispatch();
  }

  /** Sends all due deliveries. A late or skipped call only delays them. */
  sweep(): void {
    this.#checkClock();
    this.#dispatcher.markOverdue();
    this.#enqueueInBatches(this.#rt.store.due.listDueEndpoints(this.#rt.now()));
  }

  /**
   * Queues endpoints in batches. New events would otherwise wait while the rows of hundreds of
   * endpoints are read.
   */
  #enqueueInBatches(endpointIds: string[]): void {
    for (const id of endpointIds.slice(0, SWEEP_BATCH)) this.#dispatcher.enqueue(id);
    this.#dispatch();
    if (endpointIds.length > SWEEP_BATCH)
      setImmediate(() => this.#enqueueInBatches(endpointIds.slice(SWEEP_BATCH)));
  }

  /** Warns about endpoints that keep failing, and announces when they will be disabled. */
  reviewFailing(): void {
    reviewEndpoints(this.#rt);
  }

  /** Sends what may be sent now. If nothing is left, resolves the promises of `whenIdle`. */
  #dispatch(): void {
    // The dispatcher does not count the commits of the outcome writer, because they change nothing
    // that the queues have read.
    const isHeld = this.#outcomes.isBlocked || this.#clock.error !== undefined;
    if (this.#state === "running" && !isHeld)
      this.#dispatcher.dispatch(() => this.#rt.revision() - this.#outcomes.commits);
    if (!this.#dispatcher.isIdle) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #deliver(delivery: InFlightDelivery, keys: readonly SigningKey[]): Promise<void> {
    const { queue, row, host } = delivery;
    this.#lastSent = Math.max(this.#lastSent, row.number);
    const result = await this.#attempt({ due: row, target: queue.target, host, keys });
    if (this.#state === "stopped") return;
    // Clock jumps are applied before this outcome is added, because its times already use the new
    // clock.
    this.#checkClock();
    this.#dispatcher.endAttempt(delivery, result.outcomeClass);
    if (result.outcomeClass !== undefined) this.#probeAfterBackoff(queue);
    this.#outcomes.add(result);
    // The write of the outcome disables an endpoint that is gone. The write therefore comes before
    // the next delivery.
    if (result.isGone && !this.#outcomes.isRetrying) return this.#outcomes.write();
    // The next delivery does not wait for the disk.
    this.#dispatch();
    this.#outcomes.writeSoon();
  }

  #probeAfterBackoff(queue: EndpointQueue): void {
    const now = this.#rt.monotonic();
    const backoff = queue.getBackoff(now);
    if (backoff !== undefined) this.#probeTimers.set(queue.endpointId, backoff.until - now);
  }

  #getStoredBackoff(endpointId: string): StoredBackoff {
    const now = this.#rt.monotonic();
    const backoff = this.#dispatcher.findQueue(endpointId)?.getBackoff(now);
    if (backoff === undefined) return NO_BACKOFF;
    const { until, reason } = backoff;
    return { heldUntil: Math.round(this.#rt.now() + until - now), heldReason: reason };
  }

  /** Releases the deliveries whose outcomes are written, and tells the listeners. */
  #release(results: readonly AttemptResult[], disabled: readonly string[]): void {
    for (const id of disabled) this.#dispatcher.expire(id);
    for (const result of results) {
      this.#dispatcher.release(result);
      this.#announce(result);
    }
    for (const id of disabled) this.#listeners.onDisabled?.(id);
    this.#dispatch();
  }

  #announce(result: AttemptResult): void {
    const { due, endpointId, settlement } = result;
    if (settlement.status === "CORRUPT")
      this.#rt.log(
        "error",
        "A stored event was altered; its delivery was not sent and is now CORRUPT.",
        { delivery: due.id, event: due.eventId },
      );
    const { onAttempt } = this.#listeners;
    const queue = onAttempt && this.#dispatcher.findQueue(endpointId);
    const report = queue && toReport(result, queue.target.url);
    if (report) onAttempt?.(report);
  }

  /** Resolves when nothing is in flight and every outcome is written. */
  async whenIdle(): Promise<void> {
    if (!this.#dispatcher.isIdle)
      await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Waits up to `graceMs` for claimed deliveries; unfinished ones stay due. */
  async stop(graceMs: number): Promise<void> {
    this.#state = "stopping";
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      this.whenIdle(),
      new Promise((resolve) => (timer = setTimeout(resolve, graceMs))),
    ]);
    clearTimeout(timer);
    this.#outcomes.cancel();
    this.#probeTimers.stop();
    this.#state = "stopped";
  }
}

/** Returns the report of an attempt; undefined if nothing was sent. */
function toReport(
  { due, endpointId, settlement, attempt }: AttemptResult,
  url: string,
): AttemptReport | undefined {
  if (attempt === null) return undefined;
  const { id: deliveryId, eventId, eventType } = due;
  const { at: _at, responseText: _text, ...sent } = attempt;
  const { status, nextAttemptAt } = settlement;
  return { deliveryId, endpointId, url, eventId, eventType, ...sent, status, nextAttemptAt };
}
