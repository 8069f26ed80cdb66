/** The attempts that may be in flight for all endpoints together. */
export const PERMITS = 1024;

const PROBE_SHARE = 0.2;
const LATE_SHARE_OF_FAST = 0.5;
/**
 * Fast attempts in flight, including those that became late, are at most this many times `fast`.
 */
const MAX_FAST_FACTOR = 2;

const RESERVED_SHARE_OF_FAST = 0.5;

/**
 * `maxFastInFlight` includes attempts that became late. `reserved` ones are on top of it, for
 * endpoints with nothing in flight.
 */
export function splitPermits(permits: number) {
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

/** More than there are permits: an attempt that hangs gives up its permit but continues. */
export function maxInFlight(permits: number): number {
  const { probes, maxFastInFlight, reserved } = splitPermits(permits);
  return probes + maxFastInFlight + reserved;
}
