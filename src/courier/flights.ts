import { OVERDUE_MS } from "../domain/webhooks/lanes.ts";
import type { DueRow } from "../store/due.ts";
import type { Queue } from "./queues.ts";
import type { SlotKind, Turns } from "./turns.ts";

/** An attempt on the wire. */
export type Flight = {
  queue: Queue;
  isReplay: 0 | 1;
  slot: SlotKind;
  since: number;
  isOverdue: boolean;
};

/** Keeps book of what is on the wire, and since when. */
export function createFlights(turns: Turns, now: () => number) {
  /** The longest on the wire first. */
  const flights = new Set<Flight>();

  return {
    begin(queue: Queue, { isReplay }: DueRow, slot: SlotKind): Flight {
      const flight = { queue, isReplay, slot, since: now(), isOverdue: false };
      flights.add(flight);
      turns.hold(slot);
      queue.inFlight += 1;
      queue.replays += isReplay;
      return flight;
    },

    end(flight: Flight): void {
      const { queue, isReplay, slot, isOverdue } = flight;
      flights.delete(flight);
      turns.release(slot);
      queue.inFlight -= 1;
      queue.replays -= isReplay;
      if (isOverdue) queue.overdue -= 1;
    },

    /** Hundreds that begin to hang together hold up nobody else until their deadlines. */
    noteOverdue(): void {
      const latest = now() - OVERDUE_MS;
      for (const flight of flights) {
        if (flight.since > latest) return;
        if (flight.isOverdue) continue;
        flight.isOverdue = true;
        flight.queue.overdue += 1;
        if (flight.slot !== "PROMPT") continue;
        turns.giveUpSlot();
        flight.slot = "LATE";
      }
    },
  };
}
