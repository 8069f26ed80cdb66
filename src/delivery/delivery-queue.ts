import type { Lane } from "../domain/webhooks/endpoint-health.ts";
import { splitPermits } from "../domain/webhooks/permits.ts";

/** What a delivery needs to go out: its place among those on the wire. */
export type PermitKind =
  /** A first or second attempt at an endpoint that answers. */
  | "PROMPT"
  /** Any later attempt, a replay, or anything for an endpoint whose last answer was a failure or is overdue. */
  | "LATE"
  /** The probe of a suspect. */
  | "PROBE";

/** What came of an endpoint's turn: one went out, nothing can for now, or something waits for a slot alone. */
export type DispatchResult = "SENT" | "NOTHING" | "NO_SLOT";

const SLOT_OF: Record<Lane, PermitKind> = { HEALTHY: "PROMPT", DEGRADED: "LATE", PROBING: "PROBE" };
const LANES = Object.keys(SLOT_OF) as Lane[];

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/**
 * Hands out the slots on the wire, and takes turns over the endpoints that want them. Endpoints that hang hold many slots for
 * long: they run out of theirs, and never of those of the others. Decides only: knows nothing of rows, sockets or time.
 */
export function createDeliveryQueue(slots: number) {
  const { probes, fast, late, maxFastInFlight } = splitPermits(slots);
  const used: Record<PermitKind, number> = { PROMPT: 0, LATE: 0, PROBE: 0 };
  /** Those that may have something to send, next first. */
  const waiting: Record<Lane, Set<string>> = {
    HEALTHY: new Set(),
    DEGRADED: new Set(),
    PROBING: new Set(),
  };

  function hasSlot(kind: PermitKind): boolean {
    if (kind === "PROBE") return used.PROBE < probes;
    if (used.PROMPT + used.LATE >= maxFastInFlight) return false;
    // However many have become late on the wire, they take no more than the share of late ones.
    return (
      used.PROMPT + Math.min(used.LATE, late) < fast && (kind === "PROMPT" || used.LATE < late)
    );
  }

  return {
    hasSlot,
    acquire: (kind: PermitKind): void => void (used[kind] += 1),
    release: (kind: PermitKind): void => void (used[kind] -= 1),
    /** A prompt one has become late on the wire: its slot is another's now. */
    downgradeToLate(): void {
      used.PROMPT -= 1;
      used.LATE += 1;
    },

    /** Something may be due for this endpoint. */
    enqueue(endpointId: string, lane: Lane): void {
      for (const other of LANES) if (other !== lane) waiting[other].delete(endpointId);
      waiting[lane].add(endpointId);
    },

    /**
     * Gives each waiting endpoint its turn to send one delivery, and again, until nobody can any more: one with a million
     * waiting goes no more often than one with a single one. Whoever had nothing waits no longer until it is offered again.
     */
    dispatch(take: (endpointId: string) => DispatchResult): void {
      for (const lane of LANES) {
        const slotless: string[] = [];
        // A set goes on to what is added to its end meanwhile.
        for (const endpointId of waiting[lane]) {
          if (!hasSlot(SLOT_OF[lane])) break;
          waiting[lane].delete(endpointId);
          const taken = take(endpointId);
          if (taken === "SENT") waiting[lane].add(endpointId);
          else if (taken === "NO_SLOT") slotless.push(endpointId);
        }
        for (const endpointId of slotless) waiting[lane].add(endpointId);
      }
    },
  };
}
