import type { Runtime } from "../../../app/runtime.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";

// Admission codes are stored as hashes. The codes of an order that a desk has confirmed stay in the
// memory of the process for a while, because a phone that lost the response sends the action again.

/**
 * How long codes are kept. A page sends an unanswered action again for a minute, and then asks a
 * person, who may answer minutes later.
 */
const KEPT_MS = 15 * 60_000;
/**
 * At most this many codes are kept. The codes that were stored or read least recently are dropped
 * first.
 */
const MAX_CODES = 2000;

type Kept = { codes: string[]; at: number };

const caches = new WeakMap<Runtime, BoundedCache<string, Kept>>();

/** @param action identifies the action of a device */
export function keepCodes(rt: Runtime, action: string, codes: string[]): void {
  const cache = caches.get(rt) ?? new BoundedCache(MAX_CODES, (kept: Kept) => kept.codes.length);
  caches.set(rt, cache);
  cache.set(action, { codes, at: rt.now() });
}

/** Returns the codes of an action; undefined if they are no longer kept. */
export function findCodes(rt: Runtime, action: string): string[] | undefined {
  const kept = caches.get(rt)?.get(action);
  return kept !== undefined && rt.now() - kept.at <= KEPT_MS ? kept.codes : undefined;
}
