// A permit is the right to have one attempt in flight. Attempts of different kinds have permits of
// their own, so that endpoints that hang or fail never use up those of endpoints that respond.

/** The permits of a delivery worker, for all endpoints together. */
export const PERMITS = 1024;

/** The share of probes in all permits; the other permits are fast. */
const PROBE_SHARE = 0.2;

/** The share of the fast permits that late attempts can use. */
const LATE_SHARE_OF_FAST = 0.5;

/**
 * An attempt that becomes late in flight continues, but frees its fast permit for another one. Fast
 * and late attempts in flight are therefore more than the fast permits: at most this many times.
 */
const MAX_FAST_FACTOR = 2;

/** The attempts above this maximum that endpoints with nothing in flight may begin. */
const RESERVED_SHARE_OF_FAST = 0.5;

type PermitLimits = {
  /** Permits of probes. */
  probes: number;
  /** Permits of prompt and late attempts. */
  fast: number;
  /** The fast permits that late attempts can use. */
  late: number;
  /** The most prompt and late attempts in flight. */
  maxFastInFlight: number;
  /** The attempts above `maxFastInFlight` for endpoints with nothing in flight. */
  reserved: number;
};

/** Divides the permits among the kinds of attempts. */
export function splitPermits(permits: number): PermitLimits {
  const probes = Math.floor(permits * PROBE_SHARE);
  const fast = permits - probes;
  return {
    probes,
    fast,
    late: Math.floor(fast * LATE_SHARE_OF_FAST),
    maxFastInFlight: fast * MAX_FAST_FACTOR,
    reserved: Math.floor(fast * RESERVED_SHARE_OF_FAST),
  };
}

/** Returns the most attempts in flight, which are more than the permits (see `MAX_FAST_FACTOR`). */
export function maxInFlight(permits: number): number {
  const { probes, maxFastInFlight, reserved } = splitPermits(permits);
  return probes + maxFastInFlight + reserved;
}
