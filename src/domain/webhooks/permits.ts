/** The courier's places on the wire, for all endpoints together. */
export const PERMITS = 1024;

const PROBE_SHARE = 0.2;
const LATE_SHARE_OF_FAST = 0.5;
/** With those that became late on the wire there are at most so many times the fast ones. */
const MOST_OF_FAST = 2;

/** What of the places each kind of attempt has, and how many there may be on the wire with those that gave theirs up. */
export function splitPermits(slots: number) {
  const probes = Math.floor(slots * PROBE_SHARE);
  const fast = slots - probes;
  return {
    probes,
    fast,
    late: Math.floor(fast * LATE_SHARE_OF_FAST),
    maxFastInFlight: fast * MOST_OF_FAST,
  };
}

/** More than there are places: an attempt that hangs gives its place up, and goes on to its deadline. */
export function maxInFlight(slots: number): number {
  const { probes, maxFastInFlight } = splitPermits(slots);
  return probes + maxFastInFlight;
}
