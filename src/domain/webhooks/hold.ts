/**
 * Why nothing is sent to an endpoint for now: `failing`, it is probed at growing intervals;
 * `retry_after`, the receiver requested a pause.
 */
export const HOLD_REASONS = ["failing", "retry_after"] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

export type Hold = Readonly<{ until: number; reason: HoldReason }>;

/** The stored hold of an endpoint, which may have ended. Times are of the wall clock. */
export type StoredHold = { heldUntil: number | null; heldReason: HoldReason | null };

export const NO_HOLD: StoredHold = { heldUntil: null, heldReason: null };

/** Returns NO_HOLD once the hold has ended. */
export const currentHold = ({ heldUntil, heldReason }: StoredHold, now: number): StoredHold =>
  heldUntil !== null && heldUntil > now ? { heldUntil, heldReason } : NO_HOLD;

type Waiting = {
  nextAttemptAt: number | null;
  /** The end of the stored hold of its endpoint. */
  endpointHeldUntil: number | null;
};

/**
 * Returns when a delivery is sent next. `heldUntil` is the same time if the delivery waits for the
 * hold of its endpoint to end, otherwise null.
 */
export function nextAttemptOf({ nextAttemptAt, endpointHeldUntil }: Waiting, now: number) {
  const isHeld =
    nextAttemptAt !== null &&
    endpointHeldUntil !== null &&
    endpointHeldUntil > Math.max(now, nextAttemptAt);
  return isHeld
    ? { nextAttemptAt: endpointHeldUntil, heldUntil: endpointHeldUntil }
    : { nextAttemptAt, heldUntil: null };
}
