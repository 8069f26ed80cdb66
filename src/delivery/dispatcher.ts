import type { Runtime } from "../app/runtime.ts";
import type { OutcomeClass } from "../domain/webhooks/outcome.ts";
import { PERMITS } from "../domain/webhooks/permits.ts";
import type { SigningKey } from "../domain/webhooks/webhook-post.ts";
import type { AttemptResult } from "./attempt.ts";
import { createDeliveryQueue, type DispatchResult } from "./delivery-queue.ts";
import { createEndpointHosts } from "./endpoint-hosts.ts";
import type { EndpointQueue } from "./endpoint-queue.ts";
import { createEndpointQueues } from "./endpoint-queues.ts";
import { createInFlight, type InFlightDelivery } from "./in-flight.ts";

/**
 * Decides which deliveries are sent now: the endpoints take turns, within their own limits and
 * those of their hosts. A delivery is claimed until its outcome is written.
 */
export class Dispatcher {
  readonly #rt: Runtime;
  readonly #deliver: (delivery: InFlightDelivery, keys: readonly SigningKey[]) => void;
  readonly #deliveryQueue = createDeliveryQueue(PERMITS);
  readonly #queues: ReturnType<typeof createEndpointQueues>;
  readonly #hosts: ReturnType<typeof createEndpointHosts>;
  readonly #inFlight: ReturnType<typeof createInFlight>;
  /** Numbers of the deliveries in flight or with an unwritten outcome. */
  readonly #claimed = new Set<number>();

  /** @param deliver sends a delivery; call `endAttempt` when it has ended, and `release` later */
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

  /** Call it for an endpoint that may have due deliveries, and then `dispatch`. */
  enqueue(endpointId: string): void {
    const queue = this.#queues.find(endpointId);
    queue?.expectMore();
    this.#deliveryQueue.enqueue(endpointId, queue?.endpointClass ?? "HEALTHY");
  }

  /** Starts the deliveries of the enqueued endpoints. @param countCommits the commits of others */
  dispatch(countCommits: () => number): void {
    // Rows read at an earlier count are read again. Counted once: each count reads the database.
    let commitCount: number | undefined;
    this.#deliveryQueue.dispatch((id) => this.#sendNext(id, (commitCount ??= countCommits())));
  }

  /** Starts the endpoint's next due delivery that gets a permit. */
  #sendNext(endpointId: string, commitCount: number): DispatchResult {
    const rt = this.#rt;
    const queue = this.#queues.load(endpointId, commitCount);
    // An endpoint without capacity is enqueued again by each attempt that ends, and by each sweep.
    if (
      queue === undefined ||
      !queue.hasCapacity(rt.monotonic()) ||
      !this.#hosts.hasCapacity(queue)
    )
      return "NOTHING";
    const rows = queue.listDue(
      (limit) => rt.store.due.listForEndpoint(endpointId, rt.now(), limit),
      (number) => this.#claimed.has(number),
    );
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

  /** Deliveries in flight for a long time give up their permits for prompt ones. */
  markOverdue(): void {
    this.#inFlight.markOverdue();
  }

  /** The delivery stays claimed until it is released. */
  endAttempt(delivery: InFlightDelivery, outcome: OutcomeClass | undefined): void {
    const { queue, host, owner } = delivery;
    this.#inFlight.remove(delivery);
    if (outcome !== undefined) queue.recordOutcome(outcome, this.#rt.monotonic());
    for (const id of this.#hosts.endAttempt(host, owner)) this.enqueue(id);
    this.#deliveryQueue.enqueue(queue.endpointId, queue.endpointClass);
  }

  /** Call it when the outcome is written. */
  release({ due, endpointId, host, isGone }: AttemptResult): void {
    this.#claimed.delete(due.number);
    for (const id of this.#hosts.release(host)) this.enqueue(id);
    this.#queues.find(endpointId)?.release(isGone);
  }
}
