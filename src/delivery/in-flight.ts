import { OVERDUE_MS } from "../domain/webhooks/endpoint-health.ts";
import type { DueRow } from "../store/webhooks/due.ts";
import type { DeliveryQueue, PermitKind } from "./delivery-queue.ts";
import type { EndpointQueue } from "./endpoint-queue.ts";

export type InFlightDelivery = {
  queue: EndpointQueue;
  row: DueRow;
  permit: PermitKind;
  /** The endpoint's host and owner at the start: the endpoint may be changed meanwhile. */
  host: string | null;
  owner: string;
  startedAt: number;
  isOverdue: boolean;
};

/** The deliveries in flight, with their permits. `now` is the monotonic clock. */
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
     * Attempts without a response for OVERDUE_MS give up their prompt permits, so that hundreds of
     * endpoints that stop responding do not delay the others until the timeout.
     */
    markOverdue(): void {
      const latestStart = now() - OVERDUE_MS;
      for (const delivery of inFlight) {
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
