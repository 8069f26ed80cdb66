import type { EndpointClass } from "../domain/webhooks/endpoint-health.ts";
import { splitPermits } from "../domain/webhooks/permits.ts";

export type PermitKind =
  /** A permit for a first or second attempt at an endpoint that responds. */
  | "PROMPT"
  /**
   * A permit for later attempts, replays, and endpoints whose last response failed or is overdue.
   */
  | "LATE"
  /** A permit for an endpoint that fails so often that it gets one at a time. */
  | "PROBE";

/** NO_PERMIT: nothing can be sent until a permit is free. */
export type DispatchResult = "SENT" | "NOTHING" | "NO_PERMIT";

const PERMIT_OF: Record<EndpointClass, PermitKind> = {
  HEALTHY: "PROMPT",
  DEGRADED: "LATE",
  PROBING: "PROBE",
};
const ENDPOINT_CLASSES = Object.keys(PERMIT_OF) as EndpointClass[];

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/**
 * Decides which endpoint may send next. Endpoints that hang use up the late permits and probes,
 * never those of healthy endpoints.
 */
export function createDeliveryQueue(permits: number) {
  const { probes, fast, late, maxFastInFlight, reserved } = splitPermits(permits);
  const used: Record<PermitKind, number> = { PROMPT: 0, LATE: 0, PROBE: 0 };
  const waiting: Record<EndpointClass, Set<string>> = {
    HEALTHY: new Set(),
    DEGRADED: new Set(),
    PROBING: new Set(),
  };

  /**
   * @param isIdle whether the endpoint has nothing in flight: its first delivery also gets a reserved
   *   permit, so that endpoints that hang with many deliveries never delay it
   */
  function hasPermit(kind: PermitKind, isIdle = false): boolean {
    if (kind === "PROBE") return used.PROBE < probes;
    const inFlight = used.PROMPT + used.LATE;
    if (kind === "PROMPT" && isIdle) return inFlight < maxFastInFlight + reserved;
    if (inFlight >= maxFastInFlight) return false;
    // Attempts that became late in flight count only up to the share of late permits.
    return (
      used.PROMPT + Math.min(used.LATE, late) < fast && (kind === "PROMPT" || used.LATE < late)
    );
  }

  return {
    hasPermit,
    acquire: (kind: PermitKind): void => void (used[kind] += 1),
    release: (kind: PermitKind): void => void (used[kind] -= 1),
    /** Turns a used prompt permit into a late one, which frees it for another delivery. */
    downgradeToLate(): void {
      used.PROMPT -= 1;
      used.LATE += 1;
    },

    /** Adds an endpoint, or moves it to another endpointClass. */
    enqueue(endpointId: string, endpointClass: EndpointClass): void {
      for (const other of ENDPOINT_CLASSES)
        if (other !== endpointClass) waiting[other].delete(endpointId);
      waiting[endpointClass].add(endpointId);
    },

    /**
     * Lets the waiting endpoints send one delivery each, in turn, so that a long backlog gives no
     * advantage. An endpoint with nothing to send stops waiting until it is enqueued again.
     */
    dispatch(sendNext: (endpointId: string) => DispatchResult): void {
      for (const endpointClass of ENDPOINT_CLASSES) {
        const withoutPermit: string[] = [];
        // Iteration includes the endpoints that are added again at the end.
        for (const endpointId of waiting[endpointClass]) {
          if (!hasPermit(PERMIT_OF[endpointClass], true)) break;
          waiting[endpointClass].delete(endpointId);
          const result = sendNext(endpointId);
          if (result === "SENT") waiting[endpointClass].add(endpointId);
          else if (result === "NO_PERMIT") withoutPermit.push(endpointId);
        }
        for (const endpointId of withoutPermit) waiting[endpointClass].add(endpointId);
      }
    },
  };
}
