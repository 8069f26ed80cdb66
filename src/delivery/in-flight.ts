import { OVERDUE_MS } from "../domain/webhooks/endpoint-health.ts";
import type { DueRow } from "../store/due.ts";
import type { EndpointQueue } from "./endpoint-queues.ts";
import type { PermitKind, DeliveryQueue } from "./delivery-queue.ts";

/** An attempt on the wire. */
export type InFlightDelivery = {
  queue: EndpointQueue;
  isReplay: 0 | 1;
  slot: PermitKind;
  since: number;
  isOverdue: boolean;
};

/** Keeps book of what is on the wire, and since when. */
export function createInFlight(turns: DeliveryQueue, now: () => number) {
  /** The longest on the wire first. */
  const flights = new Set<InFlightDelivery>();

  return {
    add(queue: EndpointQueue, { isReplay }: DueRow, slot: PermitKind): InFlightDelivery {
      const flight = { queue, isReplay, slot, since: now(), isOverdue: false };
      flights.add(flight);
      turns.acquire(slot);
      queue.inFlight += 1;
      queue.replays += isReplay;
      return flight;
    },

    remove(flight: InFlightDelivery): void {
      const { queue, isReplay, slot, isOverdue } = flight;
      flights.delete(flight);
      turns.release(slot);
      queue.inFlight -= 1;
      queue.replays -= isReplay;
      if (isOverdue) queue.overdue -= 1;
    },

    /** Hundreds that begin to hang together hold up nobody else until their deadlines. */
    markOverdue(): void {
      const latest = now() - OVERDUE_MS;
      for (const flight of flights) {
        if (flight.since > latest) return;
        if (flight.isOverdue) continue;
        flight.isOverdue = true;
        flight.queue.overdue += 1;
        if (flight.slot !== "PROMPT") continue;
        turns.downgradeToLate();
        flight.slot = "LATE";
      }
    },
  };
}
