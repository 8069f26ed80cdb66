import { hash } from "node:crypto";
import type { Runtime } from "../app/runtime.ts";
import { BoundedCache } from "../domain/bounded-cache.ts";

const MAX_BODIES = 128;

/**
 * Returns an event's body, read and verified once for all its deliveries; undefined if it is damaged.
 * SQLite does not detect damage inside a value, and a damaged body must not be signed and sent.
 */
export function createBodyCache(rt: Runtime): (eventId: string) => Buffer | undefined {
  const bodies = new BoundedCache<string, Buffer>(MAX_BODIES);
  return (eventId) => {
    const cached = bodies.get(eventId);
    if (cached !== undefined) return cached;
    const event = rt.store.events.findById(eventId);
    if (event === undefined || !hash("sha256", event.body, "buffer").equals(event.sha256))
      return undefined;
    bodies.set(eventId, event.body);
    return event.body;
  };
}
