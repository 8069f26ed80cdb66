import { OVERDUE_MS, PERMITS } from "../domain/webhooks/endpoint-health.ts";
import type { DueRow } from "../store/webhooks/due.ts";
import {
  type DeliveryQueue,
  type PermitKind,
  type EndpointQueue,
  createDeliveryQueue,
  type DispatchResult,
} from "./endpoint-queue.ts";
import { SearchTurns } from "./search-turns.ts";
import type { Runtime } from "../app/runtime.ts";
import type { OutcomeClass } from "../domain/webhooks/settle.ts";
import type { SigningKey } from "../domain/webhooks/webhook-post.ts";
import type { AttemptResult } from "./attempt.ts";
import { createEndpointHosts, createEndpointQueues } from "./endpoint-queues.ts";

export type InFlightDelivery = {
  queue: EndpointQueue;
  row: DueRow;
  permit: PermitKind;
  /** The endpoint's host and owner when the attempt began: the endpoint may change meanwhile. */
  host: string | null;
  owner: string;
  /** On the monotonic clock (ms). */
  startedAt: number;
  isOverdue: boolean;
};

/** Keeps the deliveries in flight and their permits. `now` is the monotonic clock. */
export function createInFlight(deliveryQueue: DeliveryQueue, now: () => number) {
  const inFlight = new Set<InFlightDelivery>();

  return {
    add(queue: EndpointQueue, row: DueRow, permit: PermitKind): InFlightDelivery {
      const { host, owner } = queue;
      const delivery = { queue, row, permit, host, owner, startedAt: now(), isOverdue: false };
      inFlight.add(delivery);
      deliveryQueue.acquire(permit);
      queue.claim(row);
      return delivery;
    },

    remove(delivery: InFlightDelivery): void {
      inFlight.delete(delivery);
      deliveryQueue.release(delivery.permit);
      delivery.queue.endAttempt(delivery.row, delivery.isOverdue);
    },

    /**
     * Turns the prompt permit of each attempt that has waited longer than OVERDUE_MS for a response
     * into a late permit. Otherwise, hundreds of endpoints that stop responding would hold the
     * prompt permits until the timeout, and delay the deliveries to other endpoints.
     */
    markOverdue(): void {
      const latestStart = now() - OVERDUE_MS;
      for (const delivery of inFlight) {
        // The set has the deliveries in order of their start, so all others have started later.
        if (delivery.startedAt > latestStart) return;
        if (delivery.isOverdue) continue;
        delivery.isOverdue = true;
        delivery.queue.markOverdue();
        if (delivery.permit !== "PROMPT") continue;
        deliveryQueue.downgradeToLate();
        delivery.permit = "LATE";
      }
    },
  };
}

/**
 * Decides which deliveries are sent now. Endpoints take turns, within their own limits and the
 * limits of their hosts. A delivery is claimed until its outcome is written.
 */
export class Dispatcher {
  readonly #rt: Runtime;
  readonly #deliver: (delivery: InFlightDelivery, keys: readonly SigningKey[]) => void;
  readonly #deliveryQueue = createDeliveryQueue(PERMITS);
  readonly #queues: ReturnType<typeof createEndpointQueues>;
  readonly #hosts: ReturnType<typeof createEndpointHosts>;
  readonly #inFlight: ReturnType<typeof createInFlight>;
  readonly #searchTurns = new SearchTurns();
  /** Numbers of the deliveries in flight or with an unwritten outcome. */
  readonly #claimed = new Set<number>();

  /**
   * @param deliver sends a delivery, and calls `endAttempt` when the attempt has ended and
   * `release` when its outcome is written
   */
  constructor(
    rt: Runtime,
    deliver: (delivery: InFlightDelivery, keys: readonly SigningKey[]) => void,
  ) {
    this.#rt = rt;
    this.#deliver = deliver;
    this.#queues = createEndpointQueues(rt);
    this.#hosts = createEndpointHosts(rt);
    this.#inFlight = createInFlight(this.#deliveryQueue, rt.monotonic);
  }

  get isIdle(): boolean {
    return this.#claimed.size === 0;
  }

  findQueue(endpointId: string): EndpointQueue | undefined {
    return this.#queues.find(endpointId);
  }

  /** Adds an endpoint that may have due deliveries. Call `dispatch` afterwards. */
  enqueue(endpointId: string): void {
    const queue = this.#queues.find(endpointId);
    queue?.expectMore();
    this.#deliveryQueue.enqueue(endpointId, queue?.endpointClass ?? "HEALTHY");
  }

  /**
   * Starts the deliveries of the enqueued endpoints.
   * @param countCommits counts all commits but those of the outcome writer
   */
  dispatch(countCommits: () => number): void {
    // Queues read their rows again after a commit of another writer. Commits are counted once for
    // all endpoints, because counting reads the database.
    let commitCount: number | undefined;
    this.#deliveryQueue.dispatch((id) => this.#sendNext(id, (commitCount ??= countCommits())));
  }

  /** Starts the endpoint's next due delivery that gets a permit. */
  #sendNext(endpointId: string, commitCount: number): DispatchResult {
    const rt = this.#rt;
    const queue = this.#queues.load(endpointId, commitCount);
    // An endpoint without capacity is enqueued again by each attempt that ends and by each sweep.
    // If the clock is corrected and an expired key is valid again, a sweep also finds the deliveries
    // that waited for this key.
    if (
      queue === undefined ||
      queue.target.stopsAt <= rt.now() ||
      !queue.hasCapacity(rt.monotonic()) ||
      !this.#hosts.hasCapacity(queue)
    )
      return "NOTHING";
    const { due } = rt.store;
    const rows = queue.listDue({
      read: (limit) => due.listForEndpoint(endpointId, rt.now(), limit),
      readExcept: (businessIds, limit) =>
        due.listForEndpointExcept(endpointId, rt.now(), businessIds, limit),
      readAmong: (numbers) => due.listForEndpointAmong(endpointId, rt.now(), numbers),
      isClaimed: (number) => this.#claimed.has(number),
      monotonic: rt.monotonic,
      turns: this.#searchTurns,
    });
    for (const row of rows) {
      const permit = queue.permitFor(row);
      if (!this.#deliveryQueue.hasPermit(permit, queue.isIdle)) continue;
      const keys = queue.getSigningKeys(rt.now(), this.#queues.loadSigningKeys);
      if (keys === undefined) return "NOTHING";
      const delivery = this.#inFlight.add(queue, row, permit);
      this.#hosts.claim(queue);
      this.#claimed.add(row.number);
      this.#deliver(delivery, keys);
      return "SENT";
    }
    return rows.length > 0 ? "NO_PERMIT" : "NOTHING";
  }

  markOverdue(): void {
    this.#inFlight.markOverdue();
  }

  /**
   * Ends an attempt. The delivery stays claimed until `release`.
   * @param outcome undefined if nothing was sent
   */
  endAttempt(delivery: InFlightDelivery, outcome: OutcomeClass | undefined): void {
    const { queue, host, owner } = delivery;
    this.#inFlight.remove(delivery);
    if (outcome !== undefined) queue.recordOutcome(outcome, this.#rt.monotonic());
    for (const id of this.#hosts.endAttempt(host, owner)) this.enqueue(id);
    this.#deliveryQueue.enqueue(queue.endpointId, queue.endpointClass);
  }

  /** Ends the claim of a delivery. Call it when the outcome is written. */
  release({ due, endpointId, host }: AttemptResult): void {
    this.#claimed.delete(due.number);
    for (const id of this.#hosts.release(host)) this.enqueue(id);
    this.#queues.find(endpointId)?.release();
  }

  /**
   * Makes the dispatcher read the endpoint again. Call it when an outcome has disabled the
   * endpoint, because its other deliveries are then parked.
   */
  expire(endpointId: string): void {
    this.#queues.find(endpointId)?.expire();
  }
}
